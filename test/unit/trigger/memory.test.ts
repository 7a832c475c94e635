import * as fc from 'fast-check';

import { keyOf } from '../../../nodes/WorkspaceCrm/domain/seenKeys';
import { DeliveryMemory } from '../../../nodes/WorkspaceCrm/trigger/memory';

const MINUTE_MS = 60_000;
const started = Promise.resolve(true);
const failed = Promise.resolve(false);
const keys = (id: number) => [keyOf(`delivery ${id}`), keyOf(`body ${id}`)];
const size = (memory: DeliveryMemory) => JSON.stringify(memory.stored).length;
const copy = (memory: DeliveryMemory) =>
	JSON.parse(JSON.stringify(memory.stored)) as DeliveryMemory['stored'];

test('what was taken is known for longer than the service repeats it', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 60 }),
			async (gapsInMinutes) => {
				const memory = new DeliveryMemory();
				let nowMs = 1_800_000_000_000;
				const takenAtMs: number[] = [];
				for (const [id, gap] of gapsInMinutes.entries()) {
					nowMs += gap * MINUTE_MS;
					memory.take(keys(id), nowMs, started);
					takenAtMs.push(nowMs);
				}
				await started;
				const restarted = new DeliveryMemory();
				restarted.absorb(copy(memory));
				for (const [id, atMs] of takenAtMs.entries()) {
					if (nowMs - atMs > 119 * MINUTE_MS) continue;
					expect(memory.hasTaken(keys(id))).toBe(true);
					expect(restarted.hasTaken([keys(id)[0]])).toBe(true);
					expect(restarted.hasTaken([keys(id)[1]])).toBe(true);
				}
				expect(memory.hasTaken(keys(-1))).toBe(false);
			},
		),
	);
});

test('it is bounded in number and in time', () => {
	const memory = new DeliveryMemory();
	const startMs = 1_800_000_000_000;
	for (let id = 0; id < 20_000; id += 1) {
		memory.take(keys(id), startMs + id * 10, started);
		expect(size(memory)).toBeLessThan(20_000);
	}
	memory.take(keys(20_002), startMs + 200 * MINUTE_MS, started);
	expect(size(memory)).toBeLessThan(100);
	expect(memory.hasTaken(keys(5))).toBe(false);
});

test('what could not be started is forgotten, even when an earlier save says otherwise', async () => {
	const memory = new DeliveryMemory();
	memory.take(keys(1), 0, failed);
	const saved = copy(memory);
	expect(memory.isUnderWay(keys(1))).toBe(true);
	await failed;
	await failed;
	expect(memory.isUnderWay(keys(1))).toBe(false);
	memory.absorb(saved);
	expect(memory.hasTaken(keys(1))).toBe(false);

	memory.take(keys(1), 0, started);
	await started;
	await started;
	memory.absorb(saved);
	expect(memory.hasTaken(keys(1))).toBe(true);
});

test('what could not be started here is known once another process has started it', async () => {
	const [here, there] = [new DeliveryMemory(), new DeliveryMemory()];
	here.take(keys(1), 0, failed);
	const saved = copy(here);
	await failed;
	await failed;
	there.take(keys(1), 2 * MINUTE_MS, started);
	here.absorb(saved);
	expect(here.hasTaken(keys(1))).toBe(false);
	here.absorb(copy(there));
	expect(here.hasTaken(keys(1))).toBe(true);
});

test('keys that another process has stored are taken over', () => {
	const [one, other] = [new DeliveryMemory(), new DeliveryMemory()];
	one.take(keys(1), 0, started);
	other.take(keys(2), 0, started);
	other.absorb(copy(one));
	expect(other.hasTaken(keys(1))).toBe(true);
	expect(other.hasTaken(keys(2))).toBe(true);
	expect(Object.values(other.stored).join('')).toContain(keys(1)[0]);
});

test('stored text that is not ours does no harm', () => {
	const memory = new DeliveryMemory();
	memory.absorb({ '': 'x', __proto__: 'y', NaN: ' a ', '5': 7 } as never);
	memory.take(keys(1), 10 * MINUTE_MS, started);
	expect(memory.hasTaken(keys(1))).toBe(true);
});

describe('of deliveries at once', () => {
	it('each is in a save that began by the time it is asked for', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(100)), { maxLength: 60 }), (steps) => {
				const memory = new DeliveryMemory();
				const waiting: Array<{ id: number; needsSave: () => boolean }> = [];
				let saved = new DeliveryMemory();
				for (const [id, [isDelivery, which]] of steps.entries()) {
					if (isDelivery) {
						memory.take(keys(id), 0, started);
						waiting.push({ id, needsSave: memory.createSaveCheck() });
						continue;
					}
					const [asked] = waiting.splice(which % waiting.length, 1);
					if (!asked) continue;
					if (asked.needsSave()) {
						saved = new DeliveryMemory();
						saved.absorb(copy(memory));
						// However often n8n looks before it saves.
						expect(asked.needsSave()).toBe(true);
					}
					expect(saved.hasTaken(keys(asked.id))).toBe(true);
				}
			}),
		);
	});

	it('only the first to be asked for is saved', () => {
		const memory = new DeliveryMemory();
		const checks = Array.from({ length: 100 }, (_, id) => {
			memory.take(keys(id), 0, started);
			return memory.createSaveCheck();
		});
		expect(checks.map((needsSave) => needsSave()).filter(Boolean)).toHaveLength(1);
	});
});
