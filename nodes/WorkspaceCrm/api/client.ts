import { isJsonObject } from '../domain/json';
import { InputProblem } from '../domain/problem';
import { readPage, type Page, type TextsAre } from './assumptions';
import type { Answer } from './attempt';
import { readBodyFields, type BodyFields } from './bodyFields';
import { CrmError } from './crmError';
import { MAX_PAGE_SIZE, readList, type ListEnd } from './pagination';
import { isRepeatable, sendWithRetry, type Effect } from './retry';
import { processRuntime, type Runtime } from './runtime';
import {
	openService,
	type CrmRequest,
	type RequestContext,
	type Service,
	type Usage,
} from './service';
import { readContact, readId, type Contact, type WireRecord } from './types';
import { path } from './urls';

/**
 * A run waits its turn for as long as it takes, and five minutes for a service that refuses it:
 * longer than any window of the service's, shorter than people wait.
 */
const RUN_REFUSAL_WAIT_MS = 5 * 60_000;

export type ApiRequest = Omit<CrmRequest, 'repeatable'>;

export interface ListRequest {
	path: string;
	query?: Record<string, string>;
	/** Whether the reference says that the list takes limit and offset. */
	isPaged: boolean;
	/** How many records at most; Infinity for all. */
	maxRecords: number;
	/** The first page, if it has been read already. */
	firstPage?: Page;
	/** Whether no further page is needed, where only some of the records count. */
	isEnough?: () => boolean;
	/** How many records it may have at most. */
	maxTotal?: number;
	/** Whether a record that two pages show is handed over twice: it may have changed in between. */
	withCopies?: boolean;
	/** Called each time that a request for a page goes out. */
	onSend?: () => void;
	/** By default the name. */
	textsAre?: TextsAre;
	/** What to do if not all of it can be read; by default, to run it again. */
	ifIncomplete?: string;
}

type PageRequest = Pick<ListRequest, 'path' | 'query' | 'onSend' | 'textsAre'>;

export interface ContactPage {
	contacts: Contact[];
	/** How many contacts the service counts; undefined if it does not say. */
	total?: number;
}

interface ApiOptions {
	effect: Effect;
	runtime?: Runtime;
	/** How long a request may wait for the rate limit, for whatever reason; by default, as a run may. */
	maxWaitMs?: number;
	/** After it, nothing more is sent; by default, it aborts when the execution is stopped. */
	signal?: AbortSignal;
}

/** @throws InputProblem if the credential's base URL or key cannot be used */
export async function createApi(
	context: RequestContext,
	{ effect, runtime = processRuntime, maxWaitMs, signal }: ApiOptions,
): Promise<Api> {
	const waitLimits = {
		maxQueueWaitMs: maxWaitMs ?? Infinity,
		maxRefusalWaitMs: maxWaitMs ?? RUN_REFUSAL_WAIT_MS,
	};
	const service = await openService(context, runtime, waitLimits, signal);
	const hint = (message: string) => {
		if ('addExecutionHints' in context) context.addExecutionHints({ message, type: 'warning' });
	};
	return new Api(service, effect, hint);
}

/** What operations, triggers and drop-downs can ask of the service. */
export class Api {
	constructor(
		private readonly service: Service,
		private readonly effect: Effect,
		/** Tells the user something about a run that succeeded. */
		readonly hint: (message: string) => void,
	) {}

	/** What this run has cost so far. */
	get usage(): Readonly<Usage> {
		return this.service.usage;
	}

	get baseUrl(): string {
		return this.service.baseUrl;
	}

	/** Stands for the base URL and the API key, and is the same for all nodes that use both. */
	get accountId(): string {
		return this.service.accountId;
	}

	/** What the service calls the fields of bodies that the API reference does not show. */
	bodyFields(): BodyFields {
		return readBodyFields(this.service.fields);
	}

	/** Sends one request; returns the parsed answer, undefined if it is empty. */
	async send(request: ApiRequest): Promise<unknown> {
		return (await this.ask(request)).body;
	}

	/** The same, with the status. */
	async ask(request: ApiRequest): Promise<Answer> {
		const repeatable = isRepeatable(request.method, this.effect);
		return await sendWithRetry(this.service, { ...request, repeatable });
	}

	/** Sends one request whose answer is a record. */
	async sendForRecord(request: ApiRequest): Promise<WireRecord> {
		const { body } = await this.ask(request);
		if (isJsonObject(body)) return body as WireRecord;
		const isDone = !isRepeatable(request.method, this.effect);
		throw new CrmError(
			'The service answered without a record',
			`${request.method} ${request.path} should give an object. ${isDone ? 'The request may have taken effect: check in the app before you run the node again.' : 'Run it again.'}`,
			{ mayHaveHappened: isDone },
		);
	}

	/** The ID of the workspace that the key belongs to. */
	async workspaceId(): Promise<string> {
		const { id } = await this.sendForRecord({ method: 'GET', path: path`/v1/workspace` });
		return readId(id);
	}

	/** Reads a list, over as many pages as it takes. Texts in it become `{ name }` or `{ id }`. */
	async list(request: ListRequest): Promise<WireRecord[]> {
		const records: WireRecord[] = [];
		await this.visit(request, (record) => records.push(record));
		return records;
	}

	/** The same, for lists too long to be kept: each record is handed over, in order, once unless asked. */
	async visit(request: ListRequest, visit: (record: WireRecord) => void): Promise<void> {
		const { isPaged, maxRecords, maxTotal = Infinity, isEnough } = request;
		let first = request.firstPage;
		const fetch = async (offset: number, limit: number): Promise<Page> => {
			// Lists that are not said to take limit and offset get them only once they turn out to.
			const paging = isPaged || offset > 0 ? { limit, offset } : {};
			const page = first ?? (await this.page(request, paging));
			first = undefined;
			const { records, total = isPaged ? undefined : offset + records.length } = page;
			if (Math.max(total ?? 0, offset + records.length) > maxTotal) throw tooLong(request);
			return { records, total };
		};
		const onCopy = request.withCopies ? visit : undefined;
		const end = await readList(fetch, visit, maxRecords, isEnough, onCopy);
		if (end.isComplete) return;
		const problem = incomplete(request, end);
		if (maxRecords === Infinity && !isEnough) throw problem;
		this.hint(`${problem.message}.`);
	}

	/** One page, of the largest size, of all contacts or those that the query finds. */
	async contactsPage(offset: number, query?: Record<string, string>): Promise<ContactPage> {
		const { records, total } = await this.page(
			{ path: path`/v1/contacts`, query },
			{ limit: MAX_PAGE_SIZE, offset },
		);
		return { contacts: records.map(readContact), total };
	}

	/** One page of any list; by default the first, of the largest size. */
	async page(
		{ path, query, onSend, textsAre }: PageRequest,
		paging: { limit?: number; offset?: number } = { limit: MAX_PAGE_SIZE, offset: 0 },
	): Promise<Page> {
		const answer = await this.send({ method: 'GET', path, query: { ...query, ...paging }, onSend });
		const page = readPage(answer, textsAre);
		if (page) return page;
		throw new CrmError(
			'The service answered without a list',
			`GET ${path} should give a list of at most ${MAX_PAGE_SIZE} records at a time. Check the base URL in the credential.`,
		);
	}
}

const RUN_AGAIN = 'Run it again.';

function tooLong({ maxTotal, ifIncomplete = RUN_AGAIN }: ListRequest): InputProblem {
	const most = maxTotal?.toLocaleString('en');
	return new InputProblem(`The list is too long: it has more than ${most} records`, ifIncomplete);
}

function incomplete(
	{ ifIncomplete = RUN_AGAIN }: ListRequest,
	{ count, total = 0 }: ListEnd,
): CrmError {
	const why =
		count < total
			? `the service counts ${total} records, but gave only ${count}`
			: 'it changed each time that it was read, so records may be missing';
	return new CrmError(`The list is incomplete: ${why}`, ifIncomplete);
}
