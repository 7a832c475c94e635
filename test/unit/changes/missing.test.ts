import { Baseline } from '../../../nodes/WorkspaceCrm/changes/baseline';
import { countMissing, forgetMisses } from '../../../nodes/WorkspaceCrm/changes/missing';

/** A baseline of so many contacts; the last of them are missing, and were so in `misses` readings before. */
function baselineOf(contacts: number, missing: number, misses = 0): Baseline {
	const baseline = new Baseline('key');
	for (let number = 1; number <= contacts; number += 1) {
		const isFound = number <= contacts - missing;
		baseline.entries.set(`c${number}`, { kept: '', misses: isFound ? 0 : misses, isFound });
	}
	return baseline;
}

const missesOf = ({ entries }: Baseline) => [...entries.values()].map(({ misses }) => misses);

test('a contact is gone once it was missing from two readings in a row', () => {
	const baseline = baselineOf(3, 1);
	expect(countMissing(baseline)).toEqual({ ids: [] });
	expect(missesOf(baseline)).toEqual([0, 0, 1]);
	expect(countMissing(baseline)).toEqual({ ids: ['c3'] });
	expect(missesOf(baseline)).toEqual([0, 0, 2]);
});

test('one that was found in between has to be missing twice again', () => {
	const baseline = baselineOf(3, 1);
	const entry = baseline.entries.get('c3')!;
	countMissing(baseline);
	entry.isFound = true;
	expect(countMissing(baseline)).toEqual({ ids: [] });
	entry.isFound = false;
	expect(countMissing(baseline)).toEqual({ ids: [] });
	expect(countMissing(baseline)).toEqual({ ids: ['c3'] });
});

test.each([
	// Up to ten of a short list, up to a tenth of a long one.
	{ contacts: 20, missing: 10, isMany: false },
	{ contacts: 20, missing: 11, isMany: true },
	{ contacts: 200, missing: 20, isMany: false },
	{ contacts: 200, missing: 21, isMany: true },
	{ contacts: 11, missing: 11, isMany: true },
])('$missing of $contacts missing at once are many: $isMany', ({ contacts, missing, isMany }) => {
	const { ids, waitsFor } = countMissing(baselineOf(contacts, missing, 1));
	expect(ids).toHaveLength(isMany ? 0 : missing);
	expect(waitsFor).toBe(isMany ? missing : undefined);
});

test('many are gone once they were missing from five readings in a row', () => {
	expect(countMissing(baselineOf(20, 20, 3))).toEqual({ ids: [], waitsFor: 20 });
	const { ids, waitsFor } = countMissing(baselineOf(20, 20, 4));
	expect([ids.length, waitsFor]).toEqual([20, undefined]);
});

test('of many, those that have been missing for long enough do not wait for the others', () => {
	const baseline = baselineOf(20, 12, 1);
	baseline.entries.get('c20')!.misses = 4;
	expect(countMissing(baseline)).toEqual({ ids: ['c20'], waitsFor: 12 });
});

test('a reading that was not complete clears those it found, and counts nobody', () => {
	const baseline = baselineOf(3, 2, 1);
	baseline.entries.get('c1')!.misses = 1;
	forgetMisses(baseline);
	expect(missesOf(baseline)).toEqual([0, 1, 1]);
});
