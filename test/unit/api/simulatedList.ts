import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import type { RequestContext } from '../../../nodes/WorkspaceCrm/api/attempt';
import { createApi } from '../../../nodes/WorkspaceCrm/api/client';
import { createRuntime } from '../../../nodes/WorkspaceCrm/api/runtime';
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

interface ListOptions {
	size: number;
	changes?: Change[];
	/** What it tells as the total; undefined when it tells none. */
	tell?: (count: number) => number | undefined;
	/** Milliseconds on the way there and back, for each request in turn. */
	latencies?: Array<[number, number]>;
	/** Answers in its place. */
	answer?: (offset: number, limit: number) => unknown;
}

/** The service's side of a list that is read by offset and limit while it changes. */
export class SimulatedList {
	readonly requests: Array<{ offset: number; limit: number }> = [];

	/** The most requests that were under way at the same time. */
	mostAtOnce = 0;

	rows: Row[];

	/** The rows that have been there all the time. */
	staying: Row[];

	/** The ids of all rows that have ever been there. */
	readonly known: Set<string>;

	private underWay = 0;

	private reads = 0;

	private inserted = 0;

	private readonly clock = new VirtualClock();

	constructor(private readonly options: ListOptions) {
		this.rows = Array.from({ length: options.size }, (_, index) => ({ id: `row ${index}` }));
		this.staying = this.rows;
		this.known = new Set(this.rows.map(({ id }) => id));
	}

	/** Reads the list as an operation does. */
	async read(maxRecords = Infinity): Promise<{ ids: string[]; error?: Error }> {
		// The rate limiter has tests of its own.
		const runtime = createRuntime(this.clock, { limit: 100_000, windowMs: 60_000 });
		const api = await createApi(this.context(), { effect: 'read', runtime });
		const reading = api.list({ path: '/v1/contacts', isPaged: true, maxRecords });
		return await reading.then(
			(records) => ({ ids: records.map(({ id }) => String(id)) }),
			(error: Error) => ({ ids: [], error }),
		);
	}

	/** As much of n8n as a request needs. */
	private context(): RequestContext {
		const request = async (_credentialType: string, { url, encoding }: IHttpRequestOptions) => {
			const { searchParams } = new URL(url);
			const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name)));
			const bytes = Buffer.from(JSON.stringify(await this.answer(offset, limit)));
			return { statusCode: 200, headers: {}, body: encoding === 'stream' ? [bytes] : bytes };
		};
		const context: Partial<IExecuteFunctions> = {
			getCredentials: async <T extends object>() =>
				await Promise.resolve({ baseUrl: 'https://crm.example.com', apiKey: 'key-4f1c' } as T),
			getExecutionCancelSignal: () => undefined,
			addExecutionHints: () => {},
			helpers: { httpRequestWithAuthentication: request } as never,
		};
		return context as RequestContext;
	}

	private async answer(offset: number, limit: number): Promise<unknown> {
		const { tell = (count: number) => count, latencies = [[1, 1]], answer } = this.options;
		const [thereMs, backMs] = latencies[this.requests.length % latencies.length];
		this.requests.push({ offset, limit });
		this.underWay += 1;
		this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay);

		await this.clock.sleep(thereMs);
		this.change();
		const data = this.rows.slice(offset, offset + limit);
		const page = answer?.(offset, limit) ?? { data, total: tell(this.rows.length), limit, offset };
		await this.clock.sleep(backMs);

		this.underWay -= 1;
		return page;
	}

	private change() {
		const due = this.options.changes?.filter(({ request }) => request === this.reads) ?? [];
		this.reads += 1;
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
		for (const { id } of added) this.known.add(id);
	}
}
