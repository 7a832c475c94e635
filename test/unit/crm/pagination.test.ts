import fc from 'fast-check';

import type { Page } from '../../../nodes/WorkspaceCrm/crm/assumptions';
import { readRecords } from '../../../nodes/WorkspaceCrm/crm/pagination';
import { nextTurn } from '../../../tools/support/platform';

/** Something that happens to the list before the service handles a request. */
interface Change {
	/** How many requests were handled before it. */
	after: number;
	/** Where a record is deleted or added: from 0 (the beginning) to 1 (the end). */
	place: number;
	isDeletion: boolean;
}

/** A list of a service that handles the requests under way in random order, and changes in between. */
function changingList(size: number, changes: Change[], random: () => number) {
	let rows = Array.from({ length: size }, (_, index) => ({ id: `row ${index}` }));
	const deleted = new Set<string>();
	const waiting: Array<() => void> = [];
	let handled = 0;
	let addedCount = 0;
	const apply = ({ place, isDeletion }: Change) => {
		const index = Math.floor(place * rows.length);
		if (isDeletion) deleted.add(rows[index]?.id ?? '');
		const added = isDeletion ? [] : [{ id: `added ${(addedCount += 1)}` }];
		rows = [...rows.slice(0, index), ...added, ...rows.slice(index + (isDeletion ? 1 : 0))];
	};
	const handleOne = () => {
		changes.filter(({ after }) => after === handled).forEach(apply);
		handled += 1;
		const [answer] = waiting.splice(Math.floor(random() * waiting.length), 1);
		answer?.();
	};
	const fetchPage = async (offset: number, limit: number) =>
		await new Promise<Page>((resolve) => {
			waiting.push(() =>
				resolve({ records: rows.slice(offset, offset + limit), total: rows.length }),
			);
			void nextTurn().then(handleOne);
		});
	const staying = () =>
		Array.from({ length: size }, (_, index) => `row ${index}`).filter((id) => !deleted.has(id));
	return { fetchPage, staying, requests: () => handled };
}

const sizes = fc.oneof(
	{ weight: 8, arbitrary: fc.integer({ min: 50, max: 1_500 }) },
	{ weight: 1, arbitrary: fc.constantFrom(5_000, 10_000) },
);

/** Changes at any moment of the first two readings. */
const changesOf = (size: number, isDeletion: fc.Arbitrary<boolean>) =>
	fc.array(
		fc.record({
			after: fc.integer({ min: 1, max: 2 + Math.ceil(size / 50) }),
			place: fc.double({ min: 0, max: 0.999, noNaN: true }),
			isDeletion,
		}),
		{ maxLength: 6 },
	);

async function read(size: number, changes: Change[], seed: number) {
	let state = seed;
	const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
	const list = changingList(size, changes, random);
	const found: string[] = [];
	let why: string | undefined;
	const records = readRecords(list.fetchPage, {}, (what) => (why = what));
	for await (const row of records) found.push((row as Row).id);
	return { isComplete: why === undefined, found, list };
}

type Row = { id: string };
const seeds = fc.integer({ min: 1, max: 1_000_000 });

/** Runs a property over lists with changes; `spread` keeps deletions and additions apart. */
async function checkLists(
	isDeletion: fc.Arbitrary<boolean>,
	check: (result: Awaited<ReturnType<typeof read>>, size: number) => void,
	spread: (changes: Change[]) => Change[] = (changes) => changes,
	numRuns = 60,
) {
	const cases = sizes.chain((size) =>
		fc.tuple(fc.constant(size), changesOf(size, isDeletion), seeds),
	);
	await fc.assert(
		fc.asyncProperty(cases, async ([size, changes, seed]) =>
			check(await read(size, spread(changes), seed), size),
		),
		{ numRuns },
	);
}

/** Sixteen pages are under way at once: a record deleted and one added within them can hide a third. */
const apart = (changes: Change[]) =>
	[...changes]
		.sort((a, b) => a.after - b.after)
		.map((change, index) => ({ ...change, after: change.after + 18 * index }));

const missing = ({ found, list }: Awaited<ReturnType<typeof read>>) => {
	const known = new Set(found);
	return list.staying().filter((id) => !known.has(id));
};

describe('every record that stays is found, or the list is reported as incomplete', () => {
	test.each<[string, fc.Arbitrary<boolean>, typeof apart]>([
		['records are deleted', fc.constant(true), (changes) => changes],
		['records are added', fc.constant(false), (changes) => changes],
		['records are deleted and added', fc.boolean(), apart],
	])('while %s', async (_name, isDeletion, spread) => {
		await checkLists(
			isDeletion,
			(result) => {
				if (result.isComplete) expect(missing(result)).toEqual([]);
				expect(new Set(result.found).size).toBe(result.found.length);
			},
			spread,
		);
	});
});

test('a list that only grows is always read completely', async () => {
	await checkLists(fc.constant(false), (result) => {
		expect(result.isComplete).toBe(true);
		expect(missing(result)).toEqual([]);
	});
});

test('one deletion at any moment hides no other record', async () => {
	await checkLists(
		fc.constant(true),
		(result) => {
			expect(result.isComplete).toBe(true);
			expect(missing(result)).toEqual([]);
		},
		(changes) => changes.slice(0, 1),
	);
});

test('an unchanged list is read once', async () => {
	await checkLists(
		fc.boolean(),
		({ isComplete, found, list }, size) => {
			expect(isComplete).toBe(true);
			expect(found).toEqual(list.staying());
			expect(list.requests()).toBe(Math.ceil(size / 100));
		},
		() => [],
		30,
	);
});

test('if one of 5,000 contacts is deleted at any of 50 moments, no other is missing', async () => {
	for (let after = 1; after <= 50; after += 1) {
		const result = await read(5_000, [{ after, place: 0.001, isDeletion: true }], after);
		expect([after, result.isComplete, missing(result)]).toEqual([after, true, []]);
	}
});
