import { isJsonObject } from '../domain/json';
import { path } from './path';
import { readListRecord, readPage } from './assumptions';
import type { Answer, RequestContext } from './attempt';
import { readBodyFields, type BodyFields } from './bodyFields';
import { CrmError } from './crmError';
import { MAX_PAGE_SIZE, readList, type Page } from './pagination';
import { isRepeatable, type Effect } from './retry';
import { processRuntime, type Runtime } from './runtime';
import { readContact, type Contact, type WireRecord } from './types';
import {
	createTransport,
	type CrmRequest,
	type ItemRequests,
	type Send,
	type Usage,
} from './transport';

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
	/** Whether no further page is needed, where only some of the records count. */
	isEnough?: () => boolean;
	/** How many records it may have; by default, as many as it has, unless it has no end. */
	maxTotal?: number;
	/** What a record is that comes as a bare text or number; by default its name. */
	textsAre?: 'id' | 'name';
	/** What to do when not all of it can be had; by default, to run it again. */
	ifIncomplete?: string;
}

interface PageRequest extends Pick<ListRequest, 'path' | 'query' | 'textsAre'> {
	offset: number;
}

export interface RecordPage {
	records: WireRecord[];
	/** How many records the service counts; undefined when it does not tell. */
	total?: number;
	/** Whether the service says that there are more. */
	hasMore?: boolean;
}

interface ContactPage {
	contacts: Contact[];
	/** How many contacts the service counts; undefined when it does not tell. */
	total?: number;
}

/** What operations, triggers and drop-downs can ask of the service. */
export interface Api {
	/** Sends one request; gives the parsed answer, undefined when it is empty. */
	send(request: ApiRequest): Promise<unknown>;
	/** The same, with the status. */
	ask(request: ApiRequest): Promise<Answer>;
	/** Sends one request whose answer is a record. */
	sendForRecord(request: ApiRequest): Promise<WireRecord>;
	/** Reads a list, over as many pages as it takes. Texts in it become `{ name }` or `{ id }`. */
	list(request: ListRequest): Promise<WireRecord[]>;
	/** The same, for lists too long to be kept: each record is handed over, in order. */
	visit(request: ListRequest, visit: (record: WireRecord) => void): Promise<void>;
	/** One page, of the largest size, of any list, from an offset on. */
	page(request: PageRequest): Promise<RecordPage>;
	/** One page, of the largest size, of all contacts or those that the query finds. */
	contactsPage(offset: number, query?: Record<string, string>): Promise<ContactPage>;
	/**
	 * What the service calls the fields of bodies that the API reference does not show.
	 *
	 * @throws InputProblem when the credential names them in a way that cannot be used
	 */
	bodyFields(): BodyFields;
	/** Tells the user something about a run that succeeded. */
	hint(message: string): void;
	/** What this run has cost so far. */
	readonly usage: Readonly<Usage>;
	/** Stands for the base URL and the API key, and is the same for all nodes that use both. */
	readonly accountId: string;
	/** The same service, for one input item of the run. */
	forItem(item: ItemRequests): Api;
}

interface ApiOptions {
	effect: Effect;
	runtime?: Runtime;
	/** How long a request may wait for the rate limit, for whatever reason; by default, as a run may. */
	maxWaitMs?: number;
	/** After it, nothing more is sent; by default, that the execution was stopped. */
	signal?: AbortSignal;
}

/** @throws InputProblem when the credential's base URL cannot be used */
export async function createApi(
	context: RequestContext,
	{ effect, runtime = processRuntime, maxWaitMs, signal }: ApiOptions,
): Promise<Api> {
	const waitLimits = {
		maxQueueWaitMs: maxWaitMs ?? Infinity,
		maxRefusalWaitMs: maxWaitMs ?? RUN_REFUSAL_WAIT_MS,
	};
	const { credential, ...rest } = await createTransport(context, runtime, waitLimits, signal);
	const hint = (message: string) => {
		if ('addExecutionHints' in context) context.addExecutionHints({ message, type: 'warning' });
	};
	return apiOver({ ...rest, effect, hint, bodyFields: () => readBodyFields(credential) });
}

/** What an `Api` is made of. */
interface Connection extends Pick<Api, 'bodyFields' | 'hint' | 'usage' | 'accountId'> {
	send: Send;
	effect: Effect;
}

function apiOver(connection: Connection): Api {
	const { send, effect, usage, hint, bodyFields, accountId } = connection;
	const toCrmRequest = (request: ApiRequest): CrmRequest => ({
		...request,
		repeatable: isRepeatable(request.method, effect),
	});
	const api: Api = {
		send: async (request) => (await api.ask(request)).body,
		ask: async (request) => await send(toCrmRequest(request)),
		bodyFields,
		hint,
		usage,
		accountId,
		forItem: (item) => {
			const sendForItem: Send = async (request) => await send(request, item).catch(item.fail);
			return apiOver({ ...connection, send: sendForItem });
		},
		sendForRecord: async (request) => {
			const whole = toCrmRequest(request);
			return readRecord(whole, (await send(whole)).body);
		},
		visit: async (request, visit) => await visitList(send, hint, request, visit),
		async list(request) {
			const records: WireRecord[] = [];
			await api.visit(request, (record) => records.push(record));
			return records;
		},
		async page({ path, query, offset, textsAre }) {
			const paging = { limit: MAX_PAGE_SIZE, offset };
			const { rows, ...page } = await fetchPage(send, path, { ...query, ...paging });
			return { ...page, records: rows.map((row) => readListRecord(row, textsAre)) };
		},
		async contactsPage(offset, query) {
			const { records, total } = await api.page({ path: path`/v1/contacts`, query, offset });
			return { contacts: records.map(readContact), total };
		},
	};
	return api;
}

function readRecord(request: CrmRequest, answer: unknown): WireRecord {
	if (isJsonObject(answer)) return answer as WireRecord;
	throw new CrmError(
		'The service answered without a record',
		`${request.method} ${request.path} should give an object. ${request.repeatable ? 'Run it again.' : 'The request may have taken effect: check in the app before you run the node again.'}`,
		{ mayHaveHappened: !request.repeatable },
	);
}

async function fetchPage(send: Send, path: string, query: CrmRequest['query']): Promise<Page> {
	const answer = await send({ method: 'GET', path, query, repeatable: true });
	// Some services answer so for a list without records.
	const page = answer.status === 204 ? { rows: [] } : readPage(answer.body);
	if (page) return page;
	throw new CrmError(
		'The service answered without a list',
		`GET ${path} should give a list of at most ${MAX_PAGE_SIZE} records at a time. Check the base URL in the credential.`,
	);
}

async function visitList(
	send: Send,
	hint: (message: string) => void,
	request: ListRequest,
	visit: (record: WireRecord) => void,
): Promise<void> {
	const { path: listPath, query, isPaged, maxRecords, maxTotal, textsAre } = request;
	const { ifIncomplete = 'Run it again.', isEnough } = request;
	let saysMore = false;
	const fetch = async (offset: number, limit: number): Promise<Page> => {
		// Lists that are not said to take limit and offset get them only once they turn out to.
		const paging: CrmRequest['query'] = isPaged || offset > 0 ? { limit, offset } : {};
		const page = await fetchPage(send, listPath, { ...query, ...paging });
		if (isPaged || page.total !== undefined) return page;
		saysMore = page.hasMore ?? false;
		// One more, so that it is asked for.
		return { ...page, total: offset + page.rows.length + (saysMore ? 1 : 0) };
	};

	const onRow = (row: unknown) => visit(readListRecord(row, textsAre));
	const read = await readList(fetch, maxRecords, onRow, maxTotal, isEnough);
	const { count, total, exceeded } = read;
	if (isEnough?.()) return;
	if (exceeded !== undefined) {
		throw new CrmError(`The list is too long: it has more than ${exceeded} records`, ifIncomplete);
	}
	if (count >= Math.min(maxRecords, total)) return;
	const gap = saysMore
		? `service says that there are more records than the ${count} it gave`
		: `service counts ${total} records, but gave only ${count}`;
	if (maxRecords === Infinity && !isEnough)
		throw new CrmError(`The list is incomplete: the ${gap}`, ifIncomplete);
	hint(`The ${gap}.`);
}
