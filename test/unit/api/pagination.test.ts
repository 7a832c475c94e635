import * as fc from 'fast-check';

import { readList, type FetchPage, type Page } from '../../../nodes/WorkspaceCrm/api/pagination';
import {
	growingList,
	SimulatedList,
	type Change,
	type ListOptions,
	type Row,
} from './simulatedList';

const size = fc.oneof(fc.nat(1_000), fc.constantFrom(0, 1, 99, 100, 101, 199, 200, 400, 500));
const wanted = fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 1_100 }));
const latencies = fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { minLength: 1, maxLength: 20 });
const kinds = ['insert', 'delete'] as const;

function changes(allowed: ReadonlyArray<Change['kind']>, maxLength: number, requests = 12) {
	const change: fc.Arbitrary<Change> = fc.record({
		request: fc.nat(requests),
		kind: fc.constantFrom(...allowed),
		position: fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true })),
		count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 150 })),
	});
	return fc.array(change, { maxLength });
}

/** Reads a list and keeps its rows. */
async function readRows(fetchPage: FetchPage, wanted: number, most?: number) {
	const rows: unknown[] = [];
	const read = await readList(fetchPage, wanted, (row) => rows.push(row), most);
	expect(read.count).toBe(rows.length);
	return { rows, total: read.total, exceeded: read.exceeded };
}

async function read(options: ListOptions, count = Infinity) {
	const list = new SimulatedList(options);
	const { rows, total } = await readRows(list.fetchPage, count);
	return { list, total, rows: rows as Row[], ids: (rows as Row[]).map(({ id }) => id) };
}

function ids(rows: Row[]): string[] {
	return rows.map(({ id }) => id);
}

function missing(rows: Row[], found: string[]): string[] {
	const present = new Set(found);
	return ids(rows).filter((id) => !present.has(id));
}

function expectEachOnce(found: string[]) {
	expect(new Set(found).size).toBe(found.length);
}

describe('a list that does not change', () => {
	it('is read whole and in order, in exactly as many requests as its pages are', async () => {
		await fc.assert(
			fc.asyncProperty(size, wanted, latencies, async (count, most, delays) => {
				const { list, total, ...found } = await read({ size: count, latencies: delays }, most);
				const expected = Math.min(count, most);
				expect(found.ids).toEqual(ids(list.rows).slice(0, expected));
				expect(total).toBe(count);
				expect(list.requests).toHaveLength(Math.max(1, Math.ceil(expected / 100)));
			}),
			{ numRuns: 300 },
		);
	});

	it('is asked for no more than is wanted, 100 at a time, in at most 10 requests at once', async () => {
		await fc.assert(
			fc.asyncProperty(size, wanted, latencies, async (count, most, delays) => {
				const { list } = await read({ size: count, latencies: delays }, most);
				const [first, ...others] = list.requests;
				expect(first).toEqual({ offset: 0, limit: Math.min(100, most) });
				const asked = others.reduce((sum, { limit }) => sum + limit, 0);
				expect(asked).toBe(Math.max(0, Math.min(count, most) - 100));
				for (const { limit } of others) expect(limit).toBeLessThanOrEqual(100);
				expect(list.mostAtOnce).toBeLessThanOrEqual(10);
			}),
			{ numRuns: 300 },
		);
	});

	it('is read page by page, and no further than is needed, where the caller says what is enough', async () => {
		await fc.assert(
			fc.asyncProperty(size, fc.integer({ min: 1, max: 1_100 }), async (count, needed) => {
				const list = new SimulatedList({ size: count });
				let found = 0;
				const onRow = () => (found += 1);
				await readList(list.fetchPage, Infinity, onRow, undefined, () => found >= needed);
				expect(found).toBe(Math.min(count, Math.ceil(needed / 100) * 100));
				expect(list.requests).toHaveLength(Math.max(1, Math.ceil(found / 100)));
				expect(list.mostAtOnce).toBe(1);
			}),
			{ numRuns: 300 },
		);
	});

	it('is read in 10 requests at once, since waiting for each would take ten times as long', async () => {
		expect((await read({ size: 2_000 })).list.mostAtOnce).toBe(10);
	});

	it('is read whole from a service that gives fewer rows than it is asked for', async () => {
		const cap = fc.integer({ min: 1, max: 99 });
		await fc.assert(
			fc.asyncProperty(size, cap, latencies, async (count, most, delays) => {
				const { list, ...found } = await read({ size: count, caps: [most], latencies: delays });
				expect(found.ids).toEqual(ids(list.rows));
				expect(list.requests).toHaveLength(Math.max(1, Math.ceil(count / most)));
			}),
			{ numRuns: 100 },
		);
	});

	it('is read whole from a service that gives now more rows and now fewer', async () => {
		const caps = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 });
		await fc.assert(
			fc.asyncProperty(size, caps, latencies, async (count, most, delays) => {
				const { list, ...found } = await read({ size: count, caps: most, latencies: delays });
				expect(found.ids).toEqual(ids(list.rows));
				for (const { limit } of list.requests) expect(limit).toBeLessThanOrEqual(100);
			}),
			{ numRuns: 100 },
		);
	});

	it('is asked for the rest of a page that came short, and for no more', async () => {
		const requests: number[][] = [];
		const fetchPage: FetchPage = async (offset, limit) => {
			requests.push([offset, limit]);
			const length = Math.min(limit, 250 - offset, offset === 100 ? 60 : 100);
			return { rows: Array.from({ length }, (_, at) => ({ id: offset + at })), total: 250 };
		};
		expect((await readRows(fetchPage, Infinity)).rows).toHaveLength(250);
		expect(requests.sort(([a], [b]) => a - b)).toEqual([
			[0, 100],
			[100, 100],
			[160, 40],
			[200, 50],
		]);
	});

	it('is read whole when the service tells no total, in at most two requests more', async () => {
		const told = [() => undefined, (count: number) => (count % 2 ? count : undefined)];
		await fc.assert(
			fc.asyncProperty(size, fc.constantFrom(...told), wanted, async (count, tell, most) => {
				const { list, ...found } = await read({ size: count, tell }, most);
				expect(found.ids).toEqual(ids(list.rows).slice(0, most));
				const pages = Math.ceil(Math.min(count, most) / 100);
				expect(list.requests.length).toBeLessThanOrEqual(pages + 2);
			}),
			{ numRuns: 200 },
		);
	});

	it('is read whole when the service counts too many, in at most three readings', async () => {
		const extra = fc.integer({ min: 1, max: 2_000 });
		await fc.assert(
			fc.asyncProperty(size, extra, latencies, async (count, more, delays) => {
				const tell = (length: number) => length + more;
				const { list, total, ...found } = await read({ size: count, tell, latencies: delays });
				expect(found.ids).toEqual(ids(list.rows));
				expect(total).toBe(count + more);
				const pageSize = Math.max(1, Math.min(100, count));
				const pages = Math.ceil((count + more) / pageSize) + 1;
				expect(list.requests.length).toBeLessThanOrEqual(3 * pages);
			}),
			{ numRuns: 100 },
		);
	});

	it('is read as far as the service counts, when it counts too few; whole, if one page has more', async () => {
		await fc.assert(
			fc.asyncProperty(size, fc.nat(1_000), async (count, fewer) => {
				const tell = (length: number) => Math.max(0, length - fewer);
				const { list, ...found } = await read({ size: count, tell });
				const told = Math.max(0, count - fewer);
				const most = told >= Math.min(100, count) ? told : count;
				expect(found.ids).toEqual(ids(list.rows).slice(0, most));
			}),
			{ numRuns: 100 },
		);
	});
});

describe('a list that changes while it is read', () => {
	it('gives each record once, and no record that was never there', async () => {
		await fc.assert(
			fc.asyncProperty(
				size,
				changes(kinds, 10),
				wanted,
				latencies,
				async (count, all, most, delays) => {
					const options = { size: count, changes: all, latencies: delays };
					const { list, rows, ...found } = await read(options, most);
					expectEachOnce(found.ids);
					expect(found.ids.length).toBeLessThanOrEqual(most);
					expect(rows.filter((row) => !list.known.has(row))).toEqual([]);
				},
			),
			{ numRuns: 200 },
		);
	});

	it('by additions at its end gives every record, also the added ones that came in time', async () => {
		const atEnd = changes(['insert'], 10).map((all) =>
			all.map((each) => ({ ...each, position: 1 })),
		);
		await fc.assert(
			fc.asyncProperty(size, atEnd, latencies, async (count, all, delays) => {
				const { list, ...found } = await read({ size: count, changes: all, latencies: delays });
				expect(missing(list.staying, found.ids)).toEqual([]);
				expect(found.ids).toEqual(ids(list.rows).slice(0, found.ids.length));
			}),
			{ numRuns: 300 },
		);
	});

	it('by one addition at its end is not read again, in whatever order the answers come', async () => {
		const request = fc.integer({ min: 1, max: 19 });
		await fc.assert(
			fc.asyncProperty(request, latencies, async (before, delays) => {
				const added: Change = { request: before, kind: 'insert', position: 1, count: 1 };
				const options = { size: 2_000, changes: [added], latencies: delays };
				const { list, ...found } = await read(options);
				expect(found.ids).toEqual(ids(list.rows));
				expect(list.requests).toHaveLength(21);
			}),
			{ numRuns: 200 },
		);
	});

	it('by additions only, anywhere, gives every record that was there, unless it took three readings', async () => {
		await fc.assert(
			fc.asyncProperty(size, changes(['insert'], 10), latencies, async (count, all, delays) => {
				const { list, ...found } = await read({ size: count, changes: all, latencies: delays });
				const readings = list.requests.filter(({ offset }) => offset === 0).length;
				if (readings < 3) expect(missing(list.staying, found.ids)).toEqual([]);
			}),
			{ numRuns: 200 },
		);
	});

	it('by additions only, at up to two times, gives every record that was there', async () => {
		const twice = changes(['insert'], 2, 30);
		await fc.assert(
			fc.asyncProperty(size, twice, latencies, async (count, all, delays) => {
				const { list, ...found } = await read({ size: count, changes: all, latencies: delays });
				expect(missing(list.staying, found.ids)).toEqual([]);
			}),
			{ numRuns: 200 },
		);
	});

	it('by deletions only, at up to two times, gives every record that stays', async () => {
		const twice = changes(['delete'], 2, 30);
		await fc.assert(
			fc.asyncProperty(size, twice, latencies, async (count, all, delays) => {
				const { list, ...found } = await read({ size: count, changes: all, latencies: delays });
				expect(missing(list.staying, found.ids)).toEqual([]);
			}),
			{ numRuns: 200 },
		);
	});

	it('by deletions that hide the same record from two readings gives it in the third', async () => {
		const { list, ...found } = await read({
			size: 300,
			changes: [
				{ request: 2, kind: 'delete', position: 0, count: 1 },
				{ request: 5, kind: 'delete', position: 0, count: 100 },
			],
		});
		expect(missing(list.staying, found.ids)).toEqual([]);
		expect(list.requests.filter(({ offset }) => offset === 0)).toHaveLength(3);
	});

	it('by a deletion that an addition makes up for is read again, when the count falls between', async () => {
		const { list, ...found } = await read({
			size: 250,
			changes: [
				{ request: 1, kind: 'delete', position: 0, count: 1 },
				{ request: 2, kind: 'insert', position: 1, count: 1 },
			],
		});
		expect(missing(list.staying, found.ids)).toEqual([]);
	});

	it('is not read again when records were only added at its end', async () => {
		const { list, ...found } = await read({
			size: 250,
			changes: [{ request: 1, kind: 'insert', position: 1, count: 60 }],
		});
		expect(found.ids).toEqual(ids(list.rows));
		expect(list.requests).toHaveLength(4);
	});

	it('is read again when it has shrunk, because rows may have slipped into pages already read', async () => {
		const { list, ...found } = await read({
			size: 250,
			changes: [{ request: 1, kind: 'delete', position: 0, count: 1 }],
		});
		expect(found.ids).toContain('row 100');
		expect(list.requests.filter(({ offset }) => offset === 0)).toHaveLength(2);
	});
});

describe('a service that makes no sense', () => {
	it('cannot keep a reading from its end, nor bring a record in twice', async () => {
		const row = fc.nat(60).map((id): unknown => ({ id }));
		const page: fc.Arbitrary<Page> = fc.record({
			rows: fc.array(row, { maxLength: 150 }),
			total: fc.option(fc.nat(400), { nil: undefined }),
		});
		const pages = fc.array(page, { minLength: 1, maxLength: 12 });
		await fc.assert(
			fc.asyncProperty(pages, wanted, async (answers, most) => {
				let requests = 0;
				const { rows } = await readRows(async () => answers[requests++ % answers.length], most);
				expectEachOnce((rows as Row[]).map(({ id }) => id));
				expect(rows.length).toBeLessThanOrEqual(most);
			}),
			{ numRuns: 300 },
		);
	});

	it('may ignore offset and limit: then what it gives is the list', async () => {
		const all = Array.from({ length: 250 }, (_, id) => ({ id }));
		for (const total of [undefined, 250]) {
			let requests = 0;
			const fetchPage = async () => {
				requests += 1;
				return { rows: all, total };
			};
			expect((await readRows(fetchPage, Infinity)).rows).toEqual(all);
			expect(requests).toBe(total === undefined ? 2 : 1);
			expect((await readRows(fetchPage, 30)).rows).toEqual(all.slice(0, 30));
		}
	});

	it('may repeat rows: each counts once, and the first one stays', async () => {
		const rows = [
			{ id: 1, n: 1 },
			{ id: 2 },
			{ id: 1, n: 2 },
			{ id: '2' },
			'a',
			'a',
			{ a: 1 },
			{ a: 1 },
		];
		const { rows: found } = await readRows(async () => ({ rows, total: 5 }), Infinity);
		expect(found).toEqual([{ id: 1, n: 1 }, { id: 2 }, 'a', { a: 1 }]);
	});
});

describe('a list without an end', () => {
	it.each([
		[1_000, 102_000],
		[2_500, 105_000],
	])('that has %i records at first is read up to %i', async (first, most) => {
		const { fetchPage, requests } = growingList(first);
		const { rows, exceeded } = await readRows(fetchPage, Infinity);
		expect(exceeded).toBe(most);
		expect(rows.length).toBeGreaterThan(most);
		// It ends with the round of pages that goes beyond it.
		expect(requests()).toBeLessThanOrEqual(most / 500 + 20);
	});

	it('is read as far as is wanted, where that is less', async () => {
		const { rows, exceeded } = await readRows(growingList(2_000).fetchPage, 50_000);
		expect([rows.length, exceeded]).toEqual([50_000, undefined]);
	});

	it('is not one that doubles while it is read, and gets 100,000 more', async () => {
		let count = 1_000;
		const fetchPage = async (offset: number) => {
			const total = count;
			count = 102_000;
			const rows = Array.from({ length: Math.min(500, count - offset) }, (_, at) => offset + at);
			return await Promise.resolve({ rows, total });
		};
		const { rows, exceeded } = await readRows(fetchPage, Infinity);
		expect([rows.length, exceeded]).toEqual([102_000, undefined]);
	});

	it('may have no more records than who asks for it says', async () => {
		for (const total of [undefined, 500, 501]) {
			const list = new SimulatedList({ size: 501, tell: () => total });
			const { exceeded } = await readRows(list.fetchPage, Infinity, 500);
			expect(exceeded).toBe(total === 500 ? undefined : 500);
			// What the service counts is enough to know.
			if (total === 501) expect(list.requests).toHaveLength(1);
		}
		const { rows, exceeded } = await readRows(
			new SimulatedList({ size: 500 }).fetchPage,
			Infinity,
			500,
		);
		expect([rows.length, exceeded]).toEqual([500, undefined]);
	});
});

describe('a page that fails', () => {
	it('fails the reading with its reason, and nothing is asked for after it', async () => {
		const list = new SimulatedList({ size: 2_000 });
		const reason = new Error('503');
		const fetchPage = async (offset: number, limit: number) => {
			const answer = await list.fetchPage(offset, limit);
			if (offset === 300) throw reason;
			return answer;
		};
		await expect(readRows(fetchPage, Infinity)).rejects.toBe(reason);
		// Long enough for all others to have been asked for, if anything still did.
		for (let time = 0; time < 30; time += 1) await list.fetchPage(0, 1);
		const asked = list.requests.filter(({ offset }) => offset > 0);
		expect(asked.length).toBeLessThanOrEqual(3 + 10);
	});
});
