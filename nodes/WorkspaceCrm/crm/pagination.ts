import type { Page } from './assumptions';
import { textOrEmpty, type WireRecord } from './records';

/** "Page size: default 50, maximum 100" (API reference, limits). */
export const MAX_PAGE_SIZE = 100;

/** How many pages are fetched at the same time once the total is known. */
const PAGES_AT_ONCE = 16;

/** How often to read a list in total if it changes while it is read. */
const MAX_READINGS = 3;

/**
 * Guards against a list that grows faster than it is read: one reading stops at twice the first total
 * plus this number.
 */
const MAX_ADDED = 100_000;

type FetchPage = (offset: number, limit: number) => Promise<Page>;

export interface ReadingOptions {
	/** The most records to read; all by default. */
	limit?: number;
	/** Whether to read page by page, so that a caller who stops early has caused no needless request. */
	isStepwise?: boolean;
	/** Whether to give a record again when a second page shows it: it may have changed in between. */
	withCopies?: boolean;
}

/**
 * Reads a list by limit and offset: each record once, in the service's order.
 *
 * The first reading takes ceil(total / 100) requests, several at once. If the total falls during the
 * reading, records may have moved into pages already read. If fewer records arrive than the service
 * counts, a record may have moved between two pages in flight. In both cases the list is read again,
 * page by page, up to three times in total. Known limit: one record deleted and one added between two
 * pages leave the total unchanged, and can hide a third.
 *
 * @param onIncomplete called with what is wrong with a list of which records may be missing, after the last
 * @see API reference, GET /v1/contacts and the paginated list envelope
 */
export async function* readRecords(
	fetchPage: FetchPage,
	{ limit = Infinity, isStepwise = false, withCopies = false }: ReadingOptions,
	onIncomplete: (why: string) => void,
): AsyncGenerator<WireRecord, void, void> {
	const found = new Set<string>();
	for (let count = 1; ; count += 1) {
		const reading = new ListReading(fetchPage, limit);
		for await (const page of reading.pages(count === 1 && !isStepwise)) {
			for (const [key, record] of page) {
				const isCopy = found.has(key);
				found.add(key);
				if (!isCopy || withCopies) yield record;
				if (found.size >= limit) return;
			}
		}
		if (reading.isComplete) return;
		if (reading.isEndless || count === MAX_READINGS) {
			return onIncomplete(whyIncomplete(found.size, reading));
		}
	}
}

function whyIncomplete(count: number, { firstTotal: total = 0 }: ListReading): string {
	return count < total
		? `the service reports ${total} records, but returned only ${count}`
		: 'it changed during each of three readings, so records may be missing';
}

/** Records with their keys. */
type KeyedPage = Array<readonly [key: string, record: WireRecord]>;

/** A list, read once from start to end. */
class ListReading {
	firstTotal?: number;
	/** Whether it found all records that existed throughout. */
	isComplete = false;
	/** Whether the list grew faster than it was read. */
	isEndless = false;
	private largestTotal = 0;
	private hasShrunk = false;
	private readonly keys = new Set<string>();

	constructor(
		private readonly fetchPage: FetchPage,
		private readonly limit: number,
	) {}

	async *pages(isAtOnce: boolean): AsyncGenerator<KeyedPage, void, void> {
		const pageSize = yield* this.pagesFrom(0, 1, 1);
		const { firstTotal } = this;
		const most = 2 * (firstTotal ?? 0) + MAX_ADDED;
		let count = pageSize;
		for (let offset = count; count > 0 && offset < this.end; offset += count) {
			this.isEndless = offset >= most;
			if (this.isEndless) return;
			// Pages added during the reading, or all if the service reports no total, are read one by one.
			const isKnown = isAtOnce && firstTotal !== undefined && offset === pageSize;
			const end = isKnown ? Math.min(firstTotal, this.limit) : offset + 1;
			count = yield* this.pagesFrom(offset, end, pageSize);
		}
		// If pages are read one by one, only records added during the reading can be missing.
		const needed = isAtOnce ? this.largestTotal : (firstTotal ?? 0);
		this.isComplete = !this.hasShrunk && this.keys.size >= needed;
	}

	private get end(): number {
		return this.firstTotal === undefined ? Infinity : this.largestTotal;
	}

	/**
	 * Reads pages of the same size, several at once, and gives them in order. Returns the number of records; 0
	 * at the end of the list.
	 */
	private async *pagesFrom(
		from: number,
		end: number,
		pageSize: number,
	): AsyncGenerator<KeyedPage, number, void> {
		const underWay: Array<Promise<WireRecord[]>> = [];
		const { size } = this.keys;
		let count = 0;
		let isOver = false;
		try {
			for (let next = from; ; ) {
				while (!isOver && next < end && underWay.length < PAGES_AT_ONCE) {
					const page = this.fetch(next);
					// It may fail before its turn.
					page.catch(() => undefined);
					underWay.push(page);
					next += pageSize;
				}
				const records = await underWay.shift();
				if (!records) break;
				isOver ||= records.length === 0;
				count += records.length;
				yield records.map((record) => this.withKey(record));
			}
		} finally {
			await Promise.allSettled(underWay);
		}
		// A service without totals may ignore the offset.
		return this.firstTotal === undefined && this.keys.size === size ? 0 : count;
	}

	private async fetch(offset: number): Promise<WireRecord[]> {
		// Answers to parallel requests arrive in any order, so compare only with totals known before this one.
		const before = this.largestTotal;
		const left = this.limit - offset;
		const limit = left > 0 ? Math.min(left, MAX_PAGE_SIZE) : MAX_PAGE_SIZE;
		const { records, total } = await this.fetchPage(offset, limit);
		if (total === undefined) return records;
		this.firstTotal ??= total;
		this.hasShrunk ||= total < before;
		this.largestTotal = Math.max(before, this.largestTotal, total);
		return records;
	}

	private withKey(record: WireRecord): readonly [string, WireRecord] {
		const id = textOrEmpty(record.id);
		const key = id ? `id ${id}` : JSON.stringify(record);
		this.keys.add(key);
		return [key, record];
	}
}
