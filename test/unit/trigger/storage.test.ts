import * as fc from 'fast-check';

import { TriggerMemory } from '../../../nodes/WorkspaceCrm/trigger/storage';
import { hashKey } from '../../../nodes/WorkspaceCrm/trigger/deduplication';
import { VirtualClock } from '../../support/virtualClock';

const subscription = { id: 'sub', secret: 'secret', url: 'https://example.com', events: ['a'] };
const copy = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

/** A clock whose date is set to anything, as people do with clocks. */
function settableClock() {
	const clock = new VirtualClock();
	let dateMs = 1_800_000_000_000;
	return Object.assign(clock, {
		now: () => dateMs,
		set: (ms: number) => (dateMs = ms),
	});
}

test('the newest subscription counts, whatever is loaded in whatever order, and the clock set to anything', () => {
	fc.assert(
		fc.property(
			fc.array(
				fc.oneof(
					fc.record({ kind: fc.constant('replace' as const), dateMs: fc.nat(4_000_000_000_000) }),
					fc.record({ kind: fc.constant('load' as const), which: fc.nat(100) }),
					fc.record({ kind: fc.constant('restart' as const) }),
				),
				{ maxLength: 40 },
			),
			(steps) => {
				const clock = settableClock();
				let memory = new TriggerMemory(clock);
				const saved: unknown[] = [{}];
				let newest: string | undefined;
				for (const [index, step] of steps.entries()) {
					if (step.kind === 'replace') {
						clock.set(step.dateMs);
						newest = `secret ${index}`;
						memory.replaceSubscription({ ...subscription, secret: newest });
						saved.push(copy(memory.toStored()));
					} else if (step.kind === 'load') {
						memory.absorb(saved[step.which % saved.length]);
					} else {
						memory = new TriggerMemory(clock);
						memory.absorb(saved.at(-1));
					}
					expect(memory.subscription?.secret).toBe(newest);
				}
			},
		),
	);
});

test('what was loaded is not changed by what is done later', () => {
	const memory = new TriggerMemory(new VirtualClock());
	const loaded = {
		subscription: { ...subscription, events: ['a'], storedAtMs: 5 },
		deliveries: '',
	};
	memory.absorb(loaded);
	loaded.subscription.events.push('b');
	loaded.subscription.secret = 'other';
	expect(memory.subscription).toEqual({ ...subscription, storedAtMs: 5 });
});

test.each([
	undefined,
	null,
	'text',
	[],
	{ subscription: 'text' },
	{ subscription: {} },
	{ subscription: { ...subscription } },
	{ subscription: { ...subscription, storedAtMs: '5' } },
	{ subscription: { ...subscription, storedAtMs: 5, secret: 7 } },
	{ subscription: { ...subscription, storedAtMs: 5, id: undefined } },
	{ subscription: { ...subscription, storedAtMs: 5, url: null } },
	{ subscription: { ...subscription, storedAtMs: 5, events: 'a' } },
	{ deliveries: 7 },
])('what is none of ours is not taken for a subscription: %j', (stored) => {
	const memory = new TriggerMemory(new VirtualClock());
	memory.absorb(stored);
	expect(memory.subscription).toBeUndefined();
	expect(memory.toStored()).toEqual({ subscription: undefined, deliveries: '' });
	expect(memory.needsSave).toBe(false);
});

describe('a save is needed', () => {
	const keys = [hashKey('delivery'), hashKey('body')];

	function loadedMemory() {
		const clock = new VirtualClock();
		const memory = new TriggerMemory(clock);
		memory.replaceSubscription(subscription);
		const loaded = copy(memory.toStored());
		memory.absorb(loaded);
		return { memory, loaded };
	}

	it('not for what is loaded', () => {
		expect(loadedMemory().memory.needsSave).toBe(false);
	});

	it('for a delivery that was started, until one is made, or begun by another delivery', () => {
		const { memory } = loadedMemory();
		memory.deduplication.claim(keys);
		expect(memory.needsSave).toBe(false);
		memory.deduplication.confirm(keys, 0);
		expect(memory.needsSave).toBe(true);
		const saving = memory.toSave();
		expect(saving.deliveries).toBe(keys.join(''));
		expect(memory.needsSave).toBe(false);
	});

	it('by the last of many deliveries at once, and now and then by one of the others', async () => {
		const clock = new VirtualClock();
		const memory = new TriggerMemory(clock);
		memory.replaceSubscription(subscription);
		const deliveries = Array.from({ length: 100 }, (_, id) => [hashKey(`${id}`)]);
		for (const each of deliveries) memory.deduplication.claim(each);
		let saves = 0;
		for (const each of deliveries) {
			memory.deduplication.confirm(each, clock.elapsedMs());
			if (memory.needsSave) {
				memory.toSave();
				saves += 1;
			}
			await clock.sleep(10);
		}
		expect(saves).toBe(5);
		expect(memory.toStored().deliveries).toBe(deliveries.flat().join(''));
		expect(memory.needsSave).toBe(false);
	});

	it('again where something else has brought the old state back', () => {
		const { memory, loaded } = loadedMemory();
		memory.deduplication.confirm(keys, 0);
		memory.toSave();
		memory.absorb(loaded);
		expect(memory.needsSave).toBe(true);
	});

	it('where an older subscription was loaded', () => {
		const { memory, loaded } = loadedMemory();
		memory.replaceSubscription({ ...subscription, secret: 'new' });
		memory.absorb(loaded);
		expect(memory.needsSave).toBe(true);
		expect(memory.toSave().subscription?.secret).toBe('new');
	});
});

test('without a secret, no keys are stored, and they come back with the next subscription', () => {
	const memory = new TriggerMemory(new VirtualClock());
	memory.replaceSubscription(subscription);
	memory.deduplication.confirm([hashKey('delivery')], 0);
	memory.replaceSubscription({ ...subscription, secret: '' });
	expect(memory.toStored()).toEqual({ subscription: memory.subscription, deliveries: '' });
	memory.replaceSubscription(subscription);
	expect(memory.toStored().deliveries).toBe(hashKey('delivery'));
});
