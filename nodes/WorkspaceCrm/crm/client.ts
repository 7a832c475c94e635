import { isJsonObject } from '../domain/plainData';
import { InputProblem, rethrow } from '../domain/inputProblem';
import { GRACE_MS, RUN_MAX_WAIT_MS } from '../domain/timeLimits';
import { keyHider, readApiKey, type CredentialFields } from './apiKey';
import { readBodyFields, readPage, type BodyFields, type Page } from './assumptions';
import type { Answer } from './answer';
import { later, type Clock } from './clock';
import {
	accountOf,
	type Account,
	type Connection,
	type ConnectionOptions,
	type CrmRequest,
	type SendOptions,
} from './connection';
import { CrmError, mayBeDone, toCrmError } from './crmError';
import { endpoints, type Call } from './endpoints';
import { otherFailure } from './failure';
import { MAX_PAGE_SIZE, readRecords, type ReadingOptions } from './pagination';
import { readContact, textOrEmpty, type WireRecord } from './records';
import { sendRequest } from './send';
import type { Transport } from './transport';
import { readBaseUrl } from './urls';

type ListCall = Call<'list' | 'pages'>;

export interface ListOptions extends ReadingOptions {
	query?: Record<string, string>;
	/** The first page, if the caller has read it already. */
	firstPage?: Page;
	/** A longer list is an error. */
	maxTotal?: number;
	/** Called each time that a request for a page goes out. */
	onSend?: () => void;
	/** The remedy in the error for an incomplete list; by default, to run it again. */
	ifIncomplete?: string;
}

/** The client that operations, triggers and drop-downs use. */
export class Api implements Connection {
	readonly baseUrl: string;
	readonly account: Account;
	readonly clock: Clock;
	readonly maxWaitMs: number;
	readonly stop?: AbortSignal;
	readonly hideKey: (text: string) => string;
	requestCount = 0;
	/** Shows the user a warning about a run that succeeds. */
	readonly warn: (message: string) => void;
	/** This client, or the one that it shares its connection with. */
	readonly origin: Api = this;
	private readonly done?: RequestMemory;
	private end?: AbortSignal;

	/** @throws InputProblem if the credential's base URL or key cannot be used */
	constructor(
		readonly transport: Transport,
		private readonly fields: CredentialFields,
		private readonly options: ConnectionOptions,
	) {
		const { runtime, maxWaitMs = RUN_MAX_WAIT_MS, signal, warn = () => {} } = options;
		const apiKey = readApiKey(fields.apiKey);
		this.baseUrl = readBaseUrl(fields.baseUrl);
		this.account = accountOf(runtime, this.baseUrl, apiKey);
		this.clock = runtime.clock;
		this.maxWaitMs = maxWaitMs;
		this.stop = signal;
		this.hideKey = keyHider(apiKey);
		this.warn = warn;
	}

	/**
	 * Made at its first use: Node.js keeps it until the execution ends, in which a loop may run the node 10,000
	 * times.
	 */
	get pastStop(): AbortSignal | undefined {
		const { graceMs = GRACE_MS } = this.options;
		return (this.end ??= this.stop && later(this.stop, graceMs, this.clock));
	}

	/** The field names in bodies that the API reference does not show. */
	bodyFields(): BodyFields {
		return readBodyFields(this.fields);
	}

	/** A client of the same account for cleaning up: it sends for so long, even after Stop. */
	within(limitMs: number): Api {
		const signal = this.clock.signalAfter(limitMs);
		return new Api(this.transport, this.fields, { ...this.options, signal, maxWaitMs: limitMs });
	}

	/** The same client for one item, which sends no change again that the memory shows as done. */
	remembering(done: RequestMemory): Api {
		return Object.create(this, { done: { value: done } }) as Api;
	}

	/** Sends one request, with retries. Returns the parsed answer; undefined if it is empty. */
	async send(call: Call, options?: SendOptions): Promise<unknown> {
		return (await this.ask(call, options)).body;
	}

	/** Like `send`, but also returns the status. */
	async ask(call: Call, options?: SendOptions): Promise<Answer> {
		const request = { ...call, ...options };
		const { origin, done } = this;
		if (!done || call.method === 'GET') return await sendRequest(origin, request);
		return await sendUnlessDone(done, request, async (asked) => sendRequest(origin, asked));
	}

	/** Sends one request; throws a CrmError if the answer is not an object. */
	async sendForRecord(call: Call<'record'>, options?: SendOptions): Promise<WireRecord> {
		const request = { ...call, ...options };
		const { body } = await this.ask(call, options);
		if (isJsonObject(body)) return body as WireRecord;
		const failure = otherFailure('noRecord', { reason: `${call.method} ${call.path}` });
		throw toCrmError(request, failure, call.method !== 'GET', this);
	}

	/**
	 * The ID of the workspace that the key belongs to. It is asked for once: "a key can reach only that workspace"
	 * (API reference, authentication).
	 *
	 * @throws CrmError if the service shows none: then nothing can be told to be of the same workspace
	 */
	async workspaceId(): Promise<string> {
		const { account } = this;
		if (account.workspaceId) return account.workspaceId;
		const { id } = await this.sendForRecord(endpoints.getWorkspace());
		const workspaceId = textOrEmpty(id).trim();
		if (workspaceId === '') throw new CrmError(...NO_WORKSPACE);
		return (account.workspaceId = workspaceId);
	}

	/** Reads a whole list, or as many records as the limit allows. */
	async list(call: ListCall, options?: ListOptions): Promise<WireRecord[]> {
		const records: WireRecord[] = [];
		for await (const record of this.records(call, options)) records.push(record);
		return records;
	}

	/**
	 * The records of a list, in order and without keeping them. Strings in it become `{ name }` or `{ id }`.
	 *
	 * @throws CrmError if the list is incomplete; with a limit or step by step, it is only a hint. InputProblem
	 * if it is too long
	 */
	records(call: ListCall, options: ListOptions = {}): AsyncIterable<WireRecord> {
		const { limit = Infinity, maxTotal = Infinity, isStepwise } = options;
		const { ifIncomplete = 'Run it again.' } = options;
		const isPaged = call.form === 'pages';
		let first = options.firstPage;
		let countsPages = false;
		const fetch = async (offset: number, pageSize: number): Promise<Page> => {
			// Lists without documented paging get limit and offset only from the second page on.
			const paging = isPaged || offset > 0 ? { limit: pageSize, offset } : {};
			const page = first ?? (await this.page(call, options, paging));
			first = undefined;
			const { records } = page;
			// A total that is the length of the first page, if that is full, may count no more than a page.
			countsPages ||= offset === 0 && page.total === records.length && records.length >= pageSize;
			const counted = countsPages ? undefined : page.total;
			const total = isPaged ? counted : (page.total ?? offset + records.length);
			if (Math.max(total ?? 0, offset + records.length) <= maxTotal) return { records, total };
			const most = maxTotal.toLocaleString('en');
			throw new InputProblem(
				`The list is too long: it has more than ${most} records`,
				ifIncomplete,
			);
		};
		return readRecords(fetch, options, (why) => {
			const message = `The list is incomplete: ${why}`;
			if (limit === Infinity && !isStepwise) throw new CrmError(message, ifIncomplete);
			this.warn(`${message}.`);
		});
	}

	/** Reads one page of 100 contacts: of all contacts, or of those that match the query. */
	async contactsPage(offset: number, query?: Record<string, string>) {
		const { records, total } = await this.page(
			endpoints.getContacts(),
			{ query },
			{ limit: MAX_PAGE_SIZE, offset },
		);
		return { contacts: records.map(readContact), total };
	}

	/** Reads one page of any list; by default, the first 100 records. */
	async page(
		call: ListCall,
		{ query, onSend }: Pick<ListOptions, 'query' | 'onSend'> = {},
		paging: { limit?: number; offset?: number } = { limit: MAX_PAGE_SIZE, offset: 0 },
	): Promise<Page> {
		const answer = await this.send(call, { query: { ...query, ...paging }, onSend });
		const page = readPage(answer, call.form);
		if (page) return page;
		throw new CrmError(
			'The service answered without a list',
			`GET ${call.path} should return a list of at most ${MAX_PAGE_SIZE} records at a time. Check the base URL in the credential.`,
		);
	}
}

const NO_WORKSPACE = [
	'The service does not say which workspace the API key belongs to',
	"Its answer about the workspace has no 'id', so what belongs to another workspace cannot be told apart. Check the base URL in the credential, or report this to the provider of the service.",
] as const;

/** The changes that earlier tries of an item have asked for, by what was asked. */
export type RequestMemory = Map<string, { answer?: Answer; mayHaveHappened?: boolean }>;

/** Returns the answer of an earlier try, or sends the request. A DELETE that may be done may get 404. */
async function sendUnlessDone(
	done: RequestMemory,
	request: CrmRequest,
	send: (request: CrmRequest) => Promise<Answer>,
): Promise<Answer> {
	const { method, path, body } = request;
	const key = `${method} ${path} ${JSON.stringify(body)}`;
	const earlier = done.get(key);
	if (earlier?.answer) return earlier.answer;
	const mayHaveHappened = earlier?.mayHaveHappened ?? request.mayHaveHappened ?? false;
	const answer = await send({ ...request, mayHaveHappened }).catch((error: unknown) => {
		done.set(key, { mayHaveHappened: mayHaveHappened || mayBeDone(error) });
		return rethrow(error);
	});
	done.set(key, { answer });
	return answer;
}
