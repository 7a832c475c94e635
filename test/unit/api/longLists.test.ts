/** Lists of millions, each of which takes seconds. */
import { readList } from '../../../nodes/WorkspaceCrm/api/pagination';
import { growingList } from './simulatedList';

it.each([true, false])(
	'a list of a million records is read whole: counted %j',
	async (isCounted) => {
		const rows = Array.from({ length: 1_000_000 }, (_, id) => ({ id }));
		const fetchPage = async (offset: number) => {
			const total = isCounted ? rows.length : undefined;
			return await Promise.resolve({ rows: rows.slice(offset, offset + 20_000), total });
		};
		const read = await readList(fetchPage, Infinity, () => {});
		expect(read).toEqual({ count: 1_000_000, total: 1_000_000 });
	},
);

it.each([
	[200_000, 500_000],
	[undefined, 2_100_000],
])('a list without an end, counted %j at first, is read up to %i', async (first, most) => {
	const { fetchPage, requests } = growingList(first, 50_000);
	const { count, exceeded } = await readList(fetchPage, Infinity, () => {});
	expect(exceeded).toBe(most);
	expect(count).toBeGreaterThan(most);
	// It ends with the round of pages that goes beyond it.
	expect(requests()).toBeLessThanOrEqual(most / 50_000 + 20);
});

it('a list may come in pages of hundreds of thousands, whatever was asked for', async () => {
	const rows = Array.from({ length: 200_100 }, (_, index) => ({ id: index }));
	const fetchPage = async (offset: number) => {
		const page = offset === 0 ? rows.slice(0, 100) : offset === 100 ? rows.slice(100) : [];
		return await Promise.resolve({ rows: page, total: rows.length });
	};
	const { count } = await readList(fetchPage, Infinity, () => {});
	expect(count).toBe(rows.length);
});
