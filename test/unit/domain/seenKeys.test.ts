import * as fc from 'fast-check';

import {
	addKeys,
	keyOf,
	readMinutes,
	removeKeys,
	splitKeys,
	type StoredKeys,
} from '../../../nodes/WorkspaceCrm/domain/seenKeys';

const MINUTE_MS = 60_000;
const storedKeys = (stored: StoredKeys) =>
	readMinutes(stored).flatMap(({ text }) => splitKeys(text));

/** How many deliveries come, and how much later than those before. */
const batches = fc.array(
	fc.record({ count: fc.integer({ min: 1, max: 30 }), laterMs: fc.nat(2 * MINUTE_MS) }),
	{ minLength: 1, maxLength: 40 },
);

describe('stored keys', () => {
	it('are the newest ones: no more than allowed, and no fewer than three quarters of that', () => {
		fc.assert(
			fc.property(batches, fc.integer({ min: 8, max: 100 }), (all, maxKeys) => {
				const stored: StoredKeys = {};
				const added: string[] = [];
				let nowMs = 1_800_000_000_000;
				for (const { count, laterMs } of all) {
					nowMs += laterMs;
					for (let each = 0; each < count; each += 1) {
						const keys = [keyOf(`id ${added.length}`), keyOf(`body ${added.length}`)];
						added.push(...keys);
						addKeys(stored, keys, nowMs, maxKeys);
						const kept = storedKeys(stored);
						expect(kept.length).toBeLessThanOrEqual(maxKeys);
						expect(kept).toEqual(added.slice(added.length - kept.length));
						const atLeast = Math.floor(maxKeys * 0.75) - 1;
						expect(kept.length).toBeGreaterThanOrEqual(Math.min(added.length, atLeast));
					}
				}
			}),
		);
	});

	it('can be taken out, and the others stay', () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.nat(500), { minLength: 2 }), fc.nat(), (ids, which) => {
				const stored: StoredKeys = {};
				for (const id of ids) addKeys(stored, [keyOf(`${id}`)], id * MINUTE_MS, 1_000);
				const before = storedKeys(stored);
				const gone = before[which % before.length];
				removeKeys(stored, [gone]);
				expect(storedKeys(stored)).toEqual(before.filter((key) => key !== gone));
			}),
		);
	});
});
