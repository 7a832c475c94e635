import type { RecordPage } from '../../../nodes/WorkspaceCrm/api/client';
import type { WireRecord } from '../../../nodes/WorkspaceCrm/api/types';
import { Baseline } from '../../../nodes/WorkspaceCrm/changes/baseline';
import { readOn, type ReadingEnd } from '../../../nodes/WorkspaceCrm/changes/reading';

const rows = (...ids: string[]): WireRecord[] => ids.map((id) => ({ id }));

/** A service that gives these pages, one after the other. */
class Reader {
	readonly offsets: number[] = [];

	readonly seen: string[] = [];

	constructor(readonly baseline = new Baseline('key')) {}

	async read(pages: RecordPage[], polls = Infinity): Promise<ReadingEnd> {
		const left = [...pages];
		const fetch = (offset: number) => {
			this.offsets.push(offset);
			const page = left.shift();
			return page ? Promise.resolve(page) : Promise.reject(new Error('No page is left'));
		};
		const onRecord = (id: string) => {
			this.seen.push(id);
			this.baseline.entries.set(id, { kept: '', misses: 0, isFound: true });
		};
		return await readOn(this.baseline, fetch, onRecord, () => pages.length - left.length < polls);
	}
}

describe('with a total', () => {
	test('reads until as many rows have come, and each contact once', async () => {
		const reader = new Reader();
		const end = await reader.read([
			{ records: rows('a', 'b'), total: 4 },
			{ records: rows('b', 'c'), total: 4 },
		]);
		expect(reader.offsets).toEqual([0, 2]);
		expect(reader.seen).toEqual(['a', 'b', 'c']);
		// One of the four was not found: a list that shifted, or a row that came twice.
		expect(end).toBe('incomplete');
	});

	test.each<[string, ReadingEnd, RecordPage[]]>([
		['all came', 'complete', [{ records: rows('a', 'b'), total: 2 }]],
		[
			'more came than there were at first',
			'complete',
			[
				{ records: rows('a'), total: 2 },
				{ records: rows('b', 'c'), total: 3 },
			],
		],
		[
			'the list lost a contact while it was read, also if it has as many again at the end',
			'incomplete',
			[
				{ records: rows('a', 'b'), total: 5 },
				{ records: rows('c'), total: 4 },
				{ records: rows('d', 'e'), total: 5 },
			],
		],
		[
			'a page is empty before its time',
			'incomplete',
			[
				{ records: rows('a'), total: 2 },
				{ records: [], total: 2 },
			],
		],
		[
			'it lost a contact, and a page between says no total',
			'incomplete',
			[
				{ records: rows('a', 'b'), total: 5 },
				{ records: rows('c') },
				{ records: rows('d', 'e'), total: 4 },
			],
		],
		['the list is empty', 'complete', [{ records: [], total: 0 }]],
	])('where %s, it is %s', async (_, expected, pages) => {
		expect(await new Reader().read(pages)).toBe(expected);
	});

	test('goes on with the next poll where the time was over', async () => {
		const reader = new Reader();
		const pages = [
			{ records: rows('a', 'b'), total: 3 },
			{ records: rows('c'), total: 3 },
		];
		expect(await reader.read(pages, 1)).toBe('paused');
		expect(await reader.read(pages.slice(1))).toBe('complete');
		expect(reader.offsets).toEqual([0, 2]);
		expect(reader.seen).toEqual(['a', 'b', 'c']);
		expect(reader.baseline.reading).toMatchObject({ found: 3, firstTotal: 3, foundNew: true });
	});

	test('of a list that is known, nothing is new', async () => {
		const reader = new Reader();
		const pages = [{ records: rows('a', 'b'), total: 2 }];
		await reader.read(pages);
		reader.baseline.beginReading();
		expect(await reader.read(pages)).toBe('complete');
		expect(reader.baseline.reading).toMatchObject({ found: 2, foundNew: false });
	});
});

describe('without a total', () => {
	test('reads until a page brings nobody new; whether that is all, the service says', async () => {
		const pages = (hasMore?: boolean): RecordPage[] => [
			{ records: rows('a', 'b') },
			{ records: rows('b', 'a'), hasMore },
		];
		expect(await new Reader().read(pages())).toBe('complete');
		expect(await new Reader().read(pages(false))).toBe('complete');
		expect(await new Reader().read(pages(true))).toBe('incomplete');
	});

	test('or until a page is empty', async () => {
		const reader = new Reader();
		expect(await reader.read([{ records: rows('a') }, { records: [] }])).toBe('complete');
		expect(reader.baseline.reading.firstTotal).toBeUndefined();
	});
});

test('rows without a contact count as rows, but are nobody', async () => {
	const reader = new Reader();
	const records = [{ name: 'Nobody' }, ...rows('a')];
	expect(await reader.read([{ records, total: 2 }])).toBe('incomplete');
	expect(reader.seen).toEqual(['a']);
	expect(reader.baseline.reading.offset).toBe(2);
});

describe('more contacts than can be watched', () => {
	const tooLong = 'More than 50,000 contacts would have to be watched';

	test('are refused by the first page that counts them', async () => {
		const reader = new Reader();
		await expect(reader.read([{ records: rows('a'), total: 50_001 }])).rejects.toThrow(tooLong);
		expect(reader.seen).toEqual([]);
		const page = { records: rows('a'), total: 50_000 };
		expect(await new Reader().read([page], 1)).toBe('paused');
	});

	test('are refused where nobody counts them, once one more would be added', async () => {
		const reader = new Reader();
		const full = Array.from({ length: 50_000 }, (_, number) => `c${number}`);
		for (const id of full) reader.baseline.entries.set(id, { kept: '', misses: 0, isFound: false });
		expect(await reader.read([{ records: rows('c1') }, { records: [] }])).toBe('complete');
		const error = await reader.read([{ records: rows('new') }]).catch((caught: unknown) => caught);
		expect(error).toMatchObject({
			message: tooLong,
			description: expect.stringContaining('Watch a segment, or filter by a tag'),
		});
		expect(reader.baseline.entries.size).toBe(50_000);
	});
});
