import type { Page } from '../../../nodes/WorkspaceCrm/api/pagination';
import { VirtualClock } from '../../support/virtualClock';

export interface Row {
	id: string;
}

/** Something that happens to the list just before the service reads it for a request. */
export interface Change {
	/** Which request it comes before, from 0. */
	request: number;
	kind: 'insert' | 'delete';
	/** Where in the list, from 0 (its beginning) to 1 (its end). */
	position: number;
	count: number;
}

export interface ListOptions {
	size: number;
	/** The most rows that the service gives at a time, for each request in turn. */
	caps?: number[];
	/** What it tells as the total; undefined when it tells none. */
	tell?: (count: number) => number | undefined;
	changes?: Change[];
	/** Milliseconds on the way there and back, for each request in turn. */
	latencies?: Array<[number, number]>;
}

export interface Request {
	offset: number;
	limit: number;
}

/** A service's list that is read by offset and limit while it changes. */
export class SimulatedList {
	readonly requests: Request[] = [];

	/** The most requests that were under way at the same time. */
	mostAtOnce = 0;

	rows: Row[];

	/** The rows that have been there all the time. */
	staying: Row[];

	/** All rows that have ever been there. */
	readonly known: Set<Row>;

	private underWay = 0;

	private read = 0;

	private inserted = 0;

	private readonly clock = new VirtualClock();

	constructor(private readonly options: ListOptions) {
		this.rows = Array.from({ length: options.size }, (_, index) => ({ id: `row ${index}` }));
		this.staying = this.rows;
		this.known = new Set(this.rows);
	}

	fetchPage = async (offset: number, limit: number): Promise<Page> => {
		const { caps = [100], tell = (count: number) => count, latencies = [[1, 1]] } = this.options;
		const [thereMs, backMs] = latencies[this.requests.length % latencies.length];
		const cap = caps[this.requests.length % caps.length];
		this.requests.push({ offset, limit });
		this.underWay += 1;
		this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay);

		await this.clock.sleep(thereMs);
		this.change();
		const rows = this.rows.slice(offset, offset + Math.min(limit, cap));
		const total = tell(this.rows.length);
		await this.clock.sleep(backMs);

		this.underWay -= 1;
		return { rows, total };
	};

	private change() {
		const due = this.options.changes?.filter(({ request }) => request === this.read) ?? [];
		this.read += 1;
		for (const { kind, position, count } of due) {
			const at = Math.round(position * this.rows.length);
			if (kind === 'insert') this.insert(at, count);
			else this.rows = [...this.rows.slice(0, at), ...this.rows.slice(at + count)];
		}
		const present = new Set(this.rows);
		this.staying = this.staying.filter((row) => present.has(row));
	}

	private insert(at: number, count: number) {
		const added = Array.from({ length: count }, () => ({ id: `added ${(this.inserted += 1)}` }));
		this.rows = [...this.rows.slice(0, at), ...added, ...this.rows.slice(at)];
		for (const row of added) this.known.add(row);
	}
}

/** Far more than any reading needs. */
const MOST_REQUESTS = 500;

/** New records in each page, and more of them to come than there are so far. */
export function growingList(firstTotal: number | undefined, rowsInPage = 500) {
	let count = 0;
	let requests = 0;
	const fetchPage = async (): Promise<Page> => {
		requests += 1;
		if (requests > MOST_REQUESTS) throw new Error('The list is read for ever');
		const rows = Array.from({ length: rowsInPage }, () => ({ id: (count += 1) }));
		const total = requests === 1 ? firstTotal : firstTotal && count + firstTotal;
		return await Promise.resolve({ rows, total });
	};
	return { fetchPage, requests: () => requests };
}
