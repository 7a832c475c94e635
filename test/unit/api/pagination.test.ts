import * as fc from 'fast-check';

import { SimulatedList, type Change, type Row } from './simulatedList';

const size = fc.oneof(fc.nat(1_000), fc.constantFrom(0, 1, 99, 100, 101, 199, 200, 400, 500));
const wanted = fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 1_100 }));
const latencies = fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { minLength: 1, maxLength: 20 });

/** Some changes, before any of the first 30 requests. */
function changes(kinds: ReadonlyArray<Change['kind']>, maxLength: number, position?: number) {
	const anywhere = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));
	const change: fc.Arbitrary<Change> = fc.record({
		request: fc.nat(30),
		kind: fc.constantFrom(...kinds),
		position: position === undefined ? anywhere : fc.constant(position),
		count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 150 })),
	});
	return fc.array(change, { maxLength });
}

const idsOf = (rows: Row[]) => rows.map(({ id }) => id);

/** Who was there all the time and was not found. Nobody, or the reading is to fail. */
function missed({ staying }: SimulatedList, found: string[]): string[] {
	const present = new Set(found);
	return idsOf(staying).filter((id) => !present.has(id));
}

const readings = ({ requests }: SimulatedList) =>
	requests.filter(({ offset }) => offset === 0).length;

describe('a list that does not change', () => {
	it('is read whole and in order, in as many requests as its pages are', async () => {
		await fc.assert(
			fc.asyncProperty(size, wanted, latencies, async (count, most, delays) => {
				const list = new SimulatedList({ size: count, latencies: delays });
				const { ids } = await list.read(most);
				const expected = Math.min(count, most);
				expect(ids).toEqual(idsOf(list.rows).slice(0, expected));
				expect(list.requests).toHaveLength(Math.max(1, Math.ceil(expected / 100)));
				// It is asked for no more than is wanted, 100 at a time.
				const [first, ...others] = list.requests;
				expect(first).toEqual({ offset: 0, limit: Math.min(100, most) });
				const asked = others.reduce((sum, { limit }) => sum + limit, 0);
				expect(asked).toBe(Math.max(0, expected - 100));
				for (const { limit } of others) expect(limit).toBeLessThanOrEqual(100);
			}),
			{ numRuns: 100 },
		);
	});

	it('is read in 10 requests at once, since waiting for each would take ten times as long', async () => {
		const list = new SimulatedList({ size: 2_000 });
		await list.read();
		// The rate limiter may let one go alone.
		expect([9, 10]).toContain(list.mostAtOnce);
	});

	it('is read whole when the service tells no total, in at most two requests more', async () => {
		const told = [() => undefined, (count: number) => (count % 2 ? count : undefined)];
		await fc.assert(
			fc.asyncProperty(size, fc.constantFrom(...told), wanted, async (count, tell, most) => {
				const list = new SimulatedList({ size: count, tell });
				expect((await list.read(most)).ids).toEqual(idsOf(list.rows).slice(0, most));
				const pages = Math.ceil(Math.min(count, most) / 100);
				expect(list.requests.length).toBeLessThanOrEqual(pages + 2);
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
				changes(['insert', 'delete'], 10),
				wanted,
				latencies,
				async (count, all, most, delays) => {
					const list = new SimulatedList({ size: count, changes: all, latencies: delays });
					const { ids } = await list.read(most);
					expect(new Set(ids).size).toBe(ids.length);
					expect(ids.length).toBeLessThanOrEqual(most);
					expect(ids.filter((id) => !list.known.has(id))).toEqual([]);
				},
			),
			{ numRuns: 100 },
		);
	});

	it.each<[string, fc.Arbitrary<Change[]>]>([
		['additions at its end', changes(['insert'], 10, 1)],
		['additions at two times', changes(['insert'], 2)],
		['deletions at two times', changes(['delete'], 2)],
	])('by %s gives every record that stays, or an error', async (_, someChanges) => {
		await fc.assert(
			fc.asyncProperty(size, someChanges, latencies, async (count, all, delays) => {
				const list = new SimulatedList({ size: count, changes: all, latencies: delays });
				const { ids, error } = await list.read();
				if (!error) expect(missed(list, ids)).toEqual([]);
				if (all.every(({ kind }) => kind === 'insert')) expect(error).toBeUndefined();
			}),
			{ numRuns: 100 },
		);
	});

	it('by additions at its end is not read again, and gives those that came in time', async () => {
		const request = fc.integer({ min: 1, max: 19 });
		await fc.assert(
			fc.asyncProperty(
				request,
				fc.constantFrom(1, 60),
				latencies,
				async (before, count, delays) => {
					const added: Change = { request: before, kind: 'insert', position: 1, count };
					const list = new SimulatedList({ size: 2_000, changes: [added], latencies: delays });
					expect((await list.read()).ids).toEqual(idsOf(list.rows));
					expect(list.requests).toHaveLength(21);
				},
			),
			{ numRuns: 50 },
		);
	});

	it('by a deletion is read again, because rows may have slipped into pages already read', async () => {
		const deleted: Change = { request: 1, kind: 'delete', position: 0, count: 1 };
		const list = new SimulatedList({ size: 250, changes: [deleted] });
		expect((await list.read()).ids).toContain('row 100');
		expect(readings(list)).toBe(2);
	});

	it('by deletions that hide the same record from two readings gives it in the third', async () => {
		const list = new SimulatedList({
			size: 300,
			changes: [
				{ request: 2, kind: 'delete', position: 0, count: 1 },
				{ request: 5, kind: 'delete', position: 0, count: 100 },
			],
		});
		const { ids } = await list.read();
		expect(missed(list, ids)).toEqual([]);
		expect(readings(list)).toBe(3);
	});
});

describe('a service that makes no sense', () => {
	it('cannot keep a reading from its end, nor bring a record in twice', async () => {
		const page = fc.record({
			data: fc.array(
				fc.nat(60).map((id): unknown => ({ id })),
				{ maxLength: 150 },
			),
			total: fc.option(fc.nat(400), { nil: undefined }),
		});
		const pages = fc.array(page, { minLength: 1, maxLength: 12 });
		await fc.assert(
			fc.asyncProperty(pages, wanted, async (answers, most) => {
				let requests = 0;
				const answer = () => answers[requests++ % answers.length];
				const { ids } = await new SimulatedList({ size: 0, answer }).read(most);
				expect(new Set(ids).size).toBe(ids.length);
				expect(ids.length).toBeLessThanOrEqual(most);
			}),
			{ numRuns: 100 },
		);
	});

	it('may give more than a hundred thousand rows at once, whatever was asked for', async () => {
		const rows = Array.from({ length: 150_100 }, (_, index) => ({ id: `row ${index}` }));
		const answer = (offset: number) => ({
			data: offset === 0 ? rows.slice(0, 100) : offset === 100 ? rows.slice(100) : [],
			total: rows.length,
		});
		const { ids } = await new SimulatedList({ size: 0, answer }).read();
		expect(ids).toHaveLength(rows.length);
	});
});
