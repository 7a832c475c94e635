import {
	Baseline,
	isStoredBaseline,
	type StoredBaseline,
} from '../../../nodes/WorkspaceCrm/changes/baseline';

const uuid = '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b';

function throughJson(baseline: Baseline): StoredBaseline {
	return JSON.parse(JSON.stringify(baseline.toStored(7))) as StoredBaseline;
}

test('what is stored says when, what is watched, and how far the reading is', () => {
	const baseline = new Baseline('key');
	Object.assign(baseline.reading, { offset: 100, found: 99, firstTotal: 200 });
	const stored = throughJson(baseline);
	expect(stored).toEqual({
		storedAtMs: 7,
		watched: 'key',
		isTakingStock: true,
		reading: { offset: 100, found: 99, firstTotal: 200, hasShrunk: false, foundNew: false },
		contacts: '',
	});
	const back = Baseline.fromStored(stored);
	expect(back).toEqual(baseline);
	// Each has a reading of its own.
	back.reading.offset = 1;
	expect([baseline.reading.offset, stored.reading.offset]).toEqual([100, 100]);
});

test('contacts are stored one behind the other; a UUID takes 22 characters', () => {
	const baseline = new Baseline('key');
	baseline.isTakingStock = false;
	baseline.entries.set(uuid, { kept: 'cabc', misses: 1, isFound: true });
	baseline.entries.set('Anna;B.', { kept: '', misses: 0, isFound: false });
	const stored = throughJson(baseline);
	expect(stored.contacts).toBe('PyqcHlt9To-aCxwtPk9aaw.3cabc;=QW5uYTtCLg.0');
	expect(Baseline.fromStored(stored)).toEqual(baseline);
});

test.each([
	uuid.toUpperCase(),
	`${uuid}0`,
	`0${uuid}`,
	uuid.replaceAll('-', ''),
	'',
	'Ünï 🎉',
	'=a',
])('the id %j comes back as it is', (id) => {
	const baseline = new Baseline('key');
	baseline.entries.set(id, { kept: 'x', misses: 9, isFound: false });
	expect([...Baseline.fromStored(throughJson(baseline)).entries.keys()]).toEqual([id]);
});

test('more than nine misses are kept as nine', () => {
	const baseline = new Baseline('key');
	baseline.entries.set('a', { kept: 'x', misses: 10, isFound: true });
	const [entry] = Baseline.fromStored(throughJson(baseline)).entries.values();
	expect(entry).toEqual({ kept: 'x', misses: 9, isFound: true });
});

test('the next reading begins at the first page, with nobody found', () => {
	const baseline = new Baseline('key');
	Object.assign(baseline.reading, { offset: 9, found: 9, hasShrunk: true, foundNew: true });
	baseline.entries.set('a', { kept: 'x', misses: 1, isFound: true });
	baseline.beginReading();
	expect(baseline.reading).toEqual({ offset: 0, found: 0, hasShrunk: false, foundNew: false });
	expect(baseline.entries.get('a')).toEqual({ kept: 'x', misses: 1, isFound: false });
});

describe('static data that is no baseline', () => {
	const stored = throughJson(new Baseline('key'));

	test('is told from one that is', () => {
		expect(isStoredBaseline(stored)).toBe(true);
		for (const value of [undefined, null, 'text', [], {}])
			expect(isStoredBaseline(value)).toBe(false);
	});

	test.each([
		{ reading: undefined },
		{ reading: 'page 2' },
		{ watched: 7 },
		{ contacts: undefined },
		{ storedAtMs: '7' },
		{ storedAtMs: 7.5 },
		{ isTakingStock: 'yes' },
	])('with %j, it is none', (change) => {
		expect(isStoredBaseline({ ...stored, ...change })).toBe(false);
	});
});
