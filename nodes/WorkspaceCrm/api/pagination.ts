import { forEachAtOnce } from '../domain/concurrency';
import { isJsonObject } from '../domain/json';

/** "Page size: default 50, maximum 100" (API reference, limits). */
export const MAX_PAGE_SIZE = 100;

/** How many pages are fetched at the same time once the total is known. */
const PAGES_AT_ONCE = 10;

/** After how many pages it is asked whether they brought anything new. */
const PAGES_PER_ROUND = 20;

/** How often a list is read in all when it shrinks while it is read. */
const MAX_PASSES = 3;

/**
 * A service that adds records as fast as they are read would be read for ever. So a list may have at
 * most twice the records that the service counts at first, and some more.
 */
const MAX_GROWTH = 2;
const MAX_ADDED = 100_000;

/** Of a list that the service does not count. */
const MAX_UNCOUNTED = 1_000_000;

/** One page of a list; `total` is undefined when the service does not tell. */
export interface Page {
	rows: unknown[];
	total?: number;
	/** Whether the service says that there are more. */
	hasMore?: boolean;
}

export type FetchPage = (offset: number, limit: number) => Promise<Page>;

/**
 * Reads a list by limit and offset: each record once, in the service's order. Only the keys of the
 * records are kept; the caller keeps the records.
 *
 * Takes exactly ceil(total / 100) requests when nothing changes meanwhile. Offsets advance by the
 * rows that came, so a service that gives fewer than asked for is still read to its end. When the
 * list grew, the rows that moved past the end are read as well. When it shrank, or rows are missing,
 * others may have slipped into pages already read; then it is read again and what is new is added.
 *
 * @param maxRecords how many records at most; Infinity for all
 * @param visit gets each record
 * @param maxTotal how many records the list may have; by default, more than any list that has an end
 * @param isEnough whether to stop before the end; then pages are read one by one, so that none is in vain
 * @returns how many records were found, and how many the service counts (those found, when it does
 * not tell); or how many it may have, where it has more
 * @see API reference, GET /v1/contacts and the paginated list envelope
 */
export async function readList(
	fetchPage: FetchPage,
	maxRecords: number,
	visit: (row: unknown) => void,
	maxTotal?: number,
	isEnough?: () => boolean,
): Promise<{ count: number; total: number; exceeded?: number }> {
	const found = new Set<string>();
	const collect = (rows: unknown[]) => {
		for (const row of rows) {
			const key = keyOf(row);
			if (found.has(key) || found.size >= maxRecords) continue;
			found.add(key);
			visit(row);
		}
		return found.size;
	};
	let total = 0;
	for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
		const told = new Totals(maxTotal);
		await readPass(fetchPage, maxRecords, collect, told, isEnough);
		total = told.first ?? found.size;
		if (told.isExceededBy(found.size)) return { count: found.size, total, exceeded: told.most };
		// The largest count, because added records that were found can hide others that were missed.
		const isWhole = found.size >= Math.min(maxRecords, Math.max(total, told.largest));
		if ((isWhole && !told.hasShrunk) || isEnough?.()) break;
	}
	return { count: found.size, total };
}

/** What the service tells as the total while a list is read once. */
class Totals {
	first?: number;

	largest = -1;

	/**
	 * Whether it told fewer than it had told *before it was asked*. Answers to requests that were
	 * under way together come in any order, and tell nothing about what came first.
	 */
	hasShrunk = false;

	constructor(private readonly limit?: number) {}

	/** How many records the list may have. */
	get most(): number {
		return this.limit ?? MAX_GROWTH * (this.first ?? MAX_UNCOUNTED) + MAX_ADDED;
	}

	/** Whether the list has more than that, by the records that came or by what was told at first. */
	isExceededBy(count: number): boolean {
		return Math.max(count, this.first ?? 0) > this.most;
	}

	/** Passes a page on, once the service has given it. */
	async watch(fetching: () => Promise<Page>): Promise<Page> {
		const before = this.largest;
		const page = await fetching();
		const { total } = page;
		if (total === undefined) return page;
		this.first ??= total;
		this.largest = Math.max(this.largest, total);
		this.hasShrunk ||= total < before;
		return page;
	}
}

/** Reads the list once. */
async function readPass(
	fetchPage: FetchPage,
	maxRecords: number,
	/** Keeps what is new, and gives how many records that makes. */
	collect: (rows: unknown[]) => number,
	told: Totals,
	isEnough?: () => boolean,
): Promise<void> {
	const fetchRows = async (offset: number, limit: number) =>
		(await told.watch(async () => await fetchPage(offset, Math.min(limit, MAX_PAGE_SIZE)))).rows;

	const first = await fetchRows(0, maxRecords);
	let count = collect(first);
	const pageSize = first.length;
	if (pageSize === 0) return;

	let end = pageSize;
	const pagesPerRound = isEnough ? 1 : PAGES_PER_ROUND;
	for (;;) {
		if (isEnough?.()) return;
		// Without a total, or with one that is already disproved, only an empty page, or one that brings
		// nothing new, tells the end.
		const known = told.largest >= end ? told.largest : end + pageSize;
		// In rounds, so that a count that is far too high costs one round without anything new.
		const nextEnd = Math.min(maxRecords, known, end + pagesPerRound * pageSize);
		if (nextEnd <= end || told.isExceededBy(count)) return;
		const before = count;
		const pages = new Map<number, unknown[]>();
		const offsets: number[] = [];
		for (let offset = end; offset < nextEnd; offset += pageSize) offsets.push(offset);
		await forEachAtOnce(offsets, PAGES_AT_ONCE, async (offset) => {
			const rows = await readSlice(fetchRows, offset, Math.min(offset + pageSize, nextEnd));
			pages.set(offset, rows);
		});
		for (const offset of offsets) count = collect(pages.get(offset) ?? []);
		if (count === before) return;
		end = nextEnd;
	}
}

/** Rows from one offset up to another, in as many requests as the service needs for them. */
async function readSlice(
	fetchRows: (offset: number, limit: number) => Promise<unknown[]>,
	offset: number,
	end: number,
): Promise<unknown[]> {
	let rows: unknown[] = [];
	while (offset + rows.length < end) {
		const more = await fetchRows(offset + rows.length, end - offset - rows.length);
		if (more.length === 0) break;
		rows = rows.concat(more);
	}
	return rows;
}

function keyOf(row: unknown): string {
	const id = isJsonObject(row) ? row.id : undefined;
	return typeof id === 'string' || typeof id === 'number' ? `id ${id}` : JSON.stringify(row);
}
