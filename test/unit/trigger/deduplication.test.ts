import * as fc from 'fast-check';

import { Deduplication, hashKey } from '../../../nodes/WorkspaceCrm/trigger/deduplication';

const MINUTE_MS = 60_000;
const keys = (id: number) => [hashKey(`delivery ${id}`), hashKey(`body ${id}`)];

function take(deduplication: Deduplication, id: number, nowMs = 0): void {
	expect(deduplication.claim(keys(id))).toBe('new');
	deduplication.confirm(keys(id), nowMs);
}

/** Another process, or this one after a restart. */
function restarted(deduplication: Deduplication, nowMs = 0): Deduplication {
	const next = new Deduplication();
	next.absorb(deduplication.toStored(), nowMs);
	return next;
}

test('a key stands for any text, in nine characters that need no escaping', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), (one, other) => {
			expect(hashKey(one)).toMatch(/^[\w-]{9}$/);
			expect(hashKey(one)).toBe(hashKey(Buffer.from(one)));
			expect(hashKey(one) === hashKey(other)).toBe(one === other);
		}),
	);
	expect(hashKey('a')).toBe('ypeBEsobv');
});

describe('a delivery', () => {
	it('is in flight until it is confirmed, and a duplicate from then on', () => {
		const deduplication = new Deduplication();
		expect(deduplication.claim(keys(1))).toBe('new');
		expect(deduplication.claim(keys(1))).toBe('inFlight');
		deduplication.confirm(keys(1), 0);
		expect(deduplication.claim(keys(1))).toBe('duplicate');
		deduplication.confirm(keys(1), 0);
		expect(deduplication.toStored()).toBe(keys(1).join(''));
	});

	it('is new again once it is released', () => {
		const deduplication = new Deduplication();
		deduplication.claim(keys(1));
		deduplication.release(keys(1));
		expect(deduplication.claim(keys(1))).toBe('new');
	});

	it('is the same as one that shares a key with it', () => {
		const deduplication = new Deduplication();
		const [deliveryId, body] = keys(1);
		deduplication.claim([deliveryId, body]);
		expect(deduplication.claim([hashKey('other id'), body])).toBe('inFlight');
		expect(deduplication.claim([deliveryId, hashKey('other body')])).toBe('inFlight');
		deduplication.confirm([deliveryId, body], 0);
		expect(deduplication.claim([hashKey('other id'), body])).toBe('duplicate');
		expect(deduplication.claim([deliveryId, hashKey('other body')])).toBe('duplicate');
	});

	it('that is in flight is not stored, so that no process takes it for started', () => {
		const deduplication = new Deduplication();
		deduplication.claim(keys(1));
		take(deduplication, 2);
		expect(deduplication.toStored()).toBe(keys(2).join(''));
		deduplication.release(keys(1));
		expect(restarted(deduplication).claim(keys(1))).toBe('new');
	});

	it('that could not be started here is known once another process has started it', () => {
		const [here, there] = [new Deduplication(), new Deduplication()];
		here.claim(keys(1));
		here.release(keys(1));
		take(there, 1);
		here.absorb(there.toStored(), 0);
		expect(here.claim(keys(1))).toBe('duplicate');
	});
});

test('what was taken is known for longer than the service repeats it, here and after a restart', () => {
	fc.assert(
		fc.property(
			fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 60 }),
			(gapsInMinutes) => {
				const deduplication = new Deduplication();
				let nowMs = 0;
				const takenAtMs = gapsInMinutes.map((gap, id) => {
					nowMs += gap * MINUTE_MS;
					take(deduplication, id, nowMs);
					return nowMs;
				});
				const next = restarted(deduplication);
				for (const [id, atMs] of takenAtMs.entries()) {
					const isKept = nowMs - atMs <= 120 * MINUTE_MS;
					expect(deduplication.claim(keys(id))).toBe(isKept ? 'duplicate' : 'new');
					// What is stored goes by number, not by time.
					expect(next.claim([keys(id)[0]])).toBe('duplicate');
					expect(next.claim([keys(id)[1]])).toBe('duplicate');
				}
				expect(next.claim(keys(-1))).toBe('new');
			},
		),
	);
});

test('what was taken is known for two hours, and no longer', () => {
	const HOURS_MS = 2 * 60 * MINUTE_MS;
	for (const [laterMs, expected] of [
		[HOURS_MS, 'duplicate'],
		[HOURS_MS + 1, 'new'],
	] as const) {
		const deduplication = new Deduplication();
		take(deduplication, 1, 5_000);
		take(deduplication, 2, 5_000 + laterMs);
		expect(deduplication.claim(keys(1))).toBe(expected);
	}
});

test('processes that read what each other stores know all of it, in whatever order they do', () => {
	fc.assert(
		fc.property(
			fc.array(fc.tuple(fc.nat(2), fc.constantFrom('take', 'store', 'load')), { maxLength: 80 }),
			(steps) => {
				const processes = [new Deduplication(), new Deduplication(), new Deduplication()];
				let stored = '';
				for (const [id, [which, step]] of steps.entries()) {
					const process = processes[which];
					if (step === 'take') take(process, id);
					if (step !== 'take') process.absorb(stored, 0);
					if (step === 'store') stored = process.toStored();
				}
				// One more round: each reads and stores.
				for (const process of processes) {
					process.absorb(stored, 0);
					stored = process.toStored();
				}
				const last = restarted(processes[2]);
				for (const [id, [, step]] of steps.entries()) {
					if (step === 'take') expect(last.claim(keys(id))).toBe('duplicate');
				}
			},
		),
	);
});

test('what is stored holds the newest thousand deliveries', () => {
	const deduplication = new Deduplication();
	for (let id = 0; id < 3_000; id += 1) take(deduplication, id);
	expect(deduplication.toStored()).toHaveLength(18_000);
	const next = restarted(deduplication);
	expect(next.claim(keys(2_000))).toBe('duplicate');
	expect(next.claim(keys(1_999))).toBe('new');
	expect(deduplication.claim(keys(0))).toBe('duplicate');
});

test('a process keeps 200,000 keys at the most', () => {
	const deduplication = new Deduplication();
	for (let id = 0; id < 100_001; id += 1) deduplication.confirm([`a${id}`, `b${id}`], 0);
	expect(deduplication.claim(['a0', 'b0'])).toBe('new');
	expect(deduplication.claim(['a1'])).toBe('duplicate');
});

test.each(['', 'x', 'short', ' ', '!!!!!!!!!!!!', '{"a":1}'])(
	'stored text that is none of ours does no harm: %j',
	(text) => {
		const deduplication = new Deduplication();
		deduplication.absorb(text, 0);
		take(deduplication, 1);
		expect(restarted(deduplication).claim(keys(1))).toBe('duplicate');
	},
);

test('the same stored text is read once, and its keys stay where they are', () => {
	const deduplication = new Deduplication();
	take(deduplication, 1);
	const stored = deduplication.toStored();
	take(deduplication, 2);
	deduplication.absorb(stored, 0);
	expect(deduplication.toStored()).toBe([...keys(1), ...keys(2)].join(''));
	expect(deduplication.claim(keys(2))).toBe('duplicate');
});

test.each(['of another process', 'of its own'])(
	'stored text %s that was read already makes nothing known again',
	(whose) => {
		const deduplication = new Deduplication();
		const there = new Deduplication();
		take(there, 1);
		if (whose === 'of its own') take(deduplication, 1);
		else deduplication.absorb(there.toStored(), 0);
		take(deduplication, 2, 180 * MINUTE_MS);
		const stored = (whose === 'of its own' ? deduplication : there).toStored();
		deduplication.absorb(stored, 180 * MINUTE_MS);
		expect(deduplication.claim(keys(1))).toBe('new');
	},
);

test('a delivery that is in flight is a duplicate once another process has stored it', () => {
	const [here, there] = [new Deduplication(), new Deduplication()];
	here.claim(keys(1));
	take(there, 1);
	here.absorb(there.toStored(), 0);
	expect(here.claim(keys(1))).toBe('duplicate');
	expect(here.toStored()).toBe(keys(1).join(''));
});

test('what another process stored is known from when it was read', () => {
	const there = new Deduplication();
	take(there, 1);
	const here = restarted(there, 60 * MINUTE_MS);
	take(here, 2, 180 * MINUTE_MS);
	expect(here.claim(keys(1))).toBe('duplicate');
	take(here, 3, 180 * MINUTE_MS + 1);
	expect(here.claim(keys(1))).toBe('new');
});
