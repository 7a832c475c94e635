import { forEachAtOnce } from '../domain/concurrency';
import type { Page } from './assumptions';
import { readId, type WireRecord } from './types';

/** "Page size: default 50, maximum 100" (API reference, limits). */
export const MAX_PAGE_SIZE = 100;

/** How many pages are fetched at the same time once the total is known. */
const PAGES_AT_ONCE = 10;

/** How often to read a list in total if it changes while it is read. */
const MAX_READINGS = 3;

/**
 * Guards against a list that grows faster than it is read: one reading stops at twice the first total
 * plus this number.
 */
const MAX_ADDED = 100_000;

type FetchPage = (offset: number, limit: number) => Promise<Page>;

/**
 * Reads a list by limit and offset: each record once, in the service's order.
 *
 * The first reading takes ceil(total / 100) requests, ten at once. If the total falls during the
 * reading, records may have moved into pages already read. If fewer records arrive than the service
 * counts, a record may have moved between two pages in flight. In both cases the list is read again,
 * page by page, up to three times in total. Known limit: one record deleted and one added between two
 * pages leave the total unchanged, and can hide a third.
 *
 * @param visit called for each record once
 * @param maxRecords the most records to read; Infinity for all
 * @param isEnough returns true to stop early; then pages are read one by one, so that no request is
 * wasted
 * @param visitCopy called for a record that an earlier page has shown: it may have changed since
 * @returns what is wrong with a list of which records may be missing
 * @see API reference, GET /v1/contacts and the paginated list envelope
 */
export async function readList(
	fetchPage: FetchPage,
	visit: (record: WireRecord) => void,
	maxRecords: number,
	isEnough?: () => boolean,
	visitCopy?: (record: WireRecord) => void,
): Promise<string | undefined> {
	const found = new Set<string>();
	const hasAll = () => found.size >= maxRecords || Boolean(isEnough?.());
	const keep = (key: string, record: WireRecord) => {
		if (found.has(key)) return visitCopy?.(record);
		if (hasAll()) return;
		found.add(key);
		visit(record);
	};
	for (let count = 1; ; count += 1) {
		const reading = new Reading(fetchPage, keep, maxRecords, hasAll);
		const hasAllThatStayed = await reading.run(count === 1 && !isEnough);
		if (hasAllThatStayed || hasAll()) return undefined;
		if (reading.isEndless || count === MAX_READINGS) return whyIncomplete(found.size, reading);
	}
}

function whyIncomplete(count: number, { firstTotal: total = 0 }: Reading): string {
	return count < total
		? `the service reports ${total} records, but returned only ${count}`
		: 'it changed during each of three readings, so records may be missing';
}

/** A list, read once from start to end. */
class Reading {
	firstTotal?: number;
	/** Whether the list grew faster than it was read. */
	isEndless = false;
	private largestTotal = 0;
	private hasShrunk = false;
	private readonly keys = new Set<string>();

	constructor(
		private readonly fetchPage: FetchPage,
		private readonly keep: (key: string, record: WireRecord) => void,
		private readonly maxRecords: number,
		private readonly hasAll: () => boolean,
	) {}

	/** Returns whether it found all records that existed throughout. */
	async run(isAtOnce: boolean): Promise<boolean> {
		const pageSize = await this.readPages(0, 1, 1);
		const { firstTotal } = this;
		const most = 2 * (firstTotal ?? 0) + MAX_ADDED;
		let count = pageSize;
		for (let offset = count; count > 0 && !this.hasAll() && offset < this.end; offset += count) {
			this.isEndless = offset >= most;
			if (this.isEndless) return false;
			// Pages added during the reading, or all if the service reports no total, are read one by one.
			const isKnown = isAtOnce && firstTotal !== undefined && offset === pageSize;
			const end = isKnown ? Math.min(firstTotal, this.maxRecords) : offset + 1;
			count = await this.readPages(offset, end, pageSize);
		}
		// If pages are read one by one, only records added during the reading can be missing.
		const needed = isAtOnce ? this.largestTotal : (firstTotal ?? 0);
		return !this.hasShrunk && this.keys.size >= needed;
	}

	private get end(): number {
		return this.firstTotal === undefined ? Infinity : this.largestTotal;
	}

	/**
	 * Reads pages of the same size, ten at once, and takes them in order. Returns the number of records; 0
	 * at the end of the list.
	 */
	private async readPages(from: number, end: number, pageSize: number): Promise<number> {
		const pages = new Map<number, WireRecord[]>();
		const { size } = this.keys;
		let count = 0;
		let next = from;
		let isOver = false;
		// A generator, because the reported total may be millions too high.
		function* offsets() {
			for (let offset = from; offset < end && !isOver; offset += pageSize) yield offset;
		}
		await forEachAtOnce(offsets(), PAGES_AT_ONCE, async (offset) => {
			const records = await this.fetch(offset);
			isOver ||= records.length === 0;
			pages.set(offset, records);
			for (let page = pages.get(next); page; page = pages.get(next)) {
				this.take(page);
				pages.delete(next);
				next += pageSize;
				count += page.length;
			}
		});
		// A service without totals may ignore the offset.
		return this.firstTotal === undefined && this.keys.size === size ? 0 : count;
	}

	private async fetch(offset: number): Promise<WireRecord[]> {
		// Answers to parallel requests arrive in any order, so compare only with totals known before this one.
		const before = this.largestTotal;
		const left = this.maxRecords - offset;
		const limit = left > 0 ? Math.min(left, MAX_PAGE_SIZE) : MAX_PAGE_SIZE;
		const { records, total } = await this.fetchPage(offset, limit);
		if (total === undefined) return records;
		this.firstTotal ??= total;
		this.hasShrunk ||= total < before;
		this.largestTotal = Math.max(before, this.largestTotal, total);
		return records;
	}

	private take(records: WireRecord[]): void {
		for (const record of records) {
			const key = keyOf(record);
			this.keys.add(key);
			this.keep(key, record);
		}
	}
}

function keyOf(record: WireRecord): string {
	const id = readId(record.id);
	return id ? `id ${id}` : JSON.stringify(record);
}
