import type { IDataObject } from 'n8n-workflow';

import { readChoice, readPage, type Page } from '../api/assumptions';
import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { MAX_PAGE_SIZE } from '../api/pagination';
import { readContact, type WireRecord } from '../api/types';
import { path } from '../api/urls';
import { isJsonObject } from '../domain/json';
import { defineBulkOperation, defineOperation } from '../operations/define';
import { isContactId } from './contactId';

export const getWorkspace = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get workspace',
	description: 'Retrieve the ID and the name of the workspace that the API key belongs to',
	effect: 'read',
	fields: [],

	order: 'parallel',

	async execute(api) {
		return await api.sendForRecord({ method: 'GET', path: path`/v1/workspace` });
	},
});

/** The form of an answer: a record, a list, or a page of a list with `limit`, `offset` and `total`. */
type Form = 'record' | 'list' | 'pages';

/** The first ID in each list, by the endpoint of the list. */
type Ids = Partial<Record<string, string>>;

/**
 * One read of the check: the endpoint as in the API reference, its path (undefined if there is no record
 * to read), its form, and a function that returns the fields that a record lacks.
 */
type Read = [
	endpoint: string,
	pathFor: (ids: Ids) => string | undefined,
	form: Form,
	missing: (record: WireRecord) => string[],
];

const CONTACTS = 'GET /v1/contacts';
const SEGMENTS = 'GET /v1/segments';

/** Every endpoint that can be read. */
const READS: readonly Read[] = [
	['GET /v1/workspace', () => path`/v1/workspace`, 'record', missingId],
	[CONTACTS, () => path`/v1/contacts`, 'pages', missingOfContact],
	[`${CONTACTS}/{id}`, contactPath, 'record', missingOfContact],
	['GET /v1/tags', () => path`/v1/tags`, 'list', missingChoice],
	['GET /v1/templates', () => path`/v1/templates`, 'list', missingChoice],
	['GET /v1/automations', () => path`/v1/automations`, 'list', missingChoice],
	[SEGMENTS, () => path`/v1/segments`, 'list', missingChoice],
	[`${SEGMENTS}/{id}/contacts`, segmentPath, 'pages', missingId],
	['GET /v1/events', () => path`/v1/events`, 'list', missingChoice],
	['GET /v1/subscriptions', () => path`/v1/subscriptions`, 'list', missingChoice],
];

function contactPath({ [CONTACTS]: id }: Ids) {
	return id && path`/v1/contacts/${id}`;
}

function segmentPath({ [SEGMENTS]: id }: Ids) {
	return id && path`/v1/segments/${id}/contacts`;
}

function missingId({ id }: WireRecord): string[] {
	return id === undefined ? ['id'] : [];
}

function missingChoice(record: WireRecord): string[] {
	return readChoice(record) ? [] : ['an ID or a name'];
}

function missingOfContact(record: WireRecord): string[] {
	const { id, phone, optInStatus } = readContact(record);
	const isThere = {
		'id (a UUID)': isContactId(id),
		phone: phone !== '',
		'opt_in_status (none, pending, confirmed or opted_out)': optInStatus !== undefined,
		'attributes (an object)': isJsonObject(record.attributes),
		'tags (a list of names)': Array.isArray(record.tags),
	};
	return Object.entries(isThere).flatMap(([name, is]) => (is ? [] : [name]));
}

export const checkApi = defineBulkOperation({
	value: 'checkApi',
	name: 'Check API',
	action: 'Check API',
	description:
		'Check whether n8n understands the answers of the service. Reads the first page of each list, and changes nothing.',
	effect: 'read',
	fields: [],

	async executeAll(api) {
		const ids: Ids = {};
		const results: IDataObject[] = [];
		const problems: unknown[] = [];
		for (const read of READS) {
			const asking = check(api, read, ids).catch((error: unknown) => {
				problems.push(error);
				return toProblem(error);
			});
			results.push({ endpoint: read[0], notFound: [], ...(await asking) });
		}
		// A wrong address or a refused key is one problem, not ten.
		if (problems.length > 0 && results.every(({ understood }) => !understood)) throw problems[0];
		return { outcomes: [], more: results, summary: toSummary(results) };
	},
});

async function check(api: Api, read: Read, ids: Ids): Promise<IDataObject> {
	const [endpoint, pathFor, form, missing] = read;
	const listPath = pathFor(ids);
	if (!listPath) return { whatToDo: 'Not checked, because there is no record to read.' };
	const query = form === 'pages' ? { limit: MAX_PAGE_SIZE, offset: 0 } : undefined;
	const { status, body } = await api.ask({ method: 'GET', path: listPath, query });
	const isRecord = form === 'record';
	const page = isRecord ? readRecord(body) : readPage(body, form === 'pages' ? 'id' : 'name');
	const records = page?.records;
	const first = records?.[0];
	if (first) ids[endpoint] = readChoice(first)?.value;
	const notFound = new Set(records?.flatMap(missing));
	if (!records || (isRecord && !first)) notFound.add(`a ${isRecord ? 'record' : 'list'}`);
	if (records && form === 'pages' && page?.total === undefined) notFound.add('total');
	return {
		status,
		understood: notFound.size === 0,
		...(!isRecord && records && { records: records.length }),
		...(page?.total !== undefined && { total: page.total }),
		notFound: [...notFound],
		...(notFound.size > 0 && { fields: Object.keys(first ?? (isJsonObject(body) ? body : {})) }),
		whatToDo: notFound.size > 0 ? NOT_UNDERSTOOD : first ? 'Nothing to do.' : EMPTY,
	};
}

function readRecord(body: unknown): Page {
	return { records: isJsonObject(body) ? [body as WireRecord] : [] };
}

const NOT_UNDERSTOOD =
	"No setting fixes this. Report this row with its 'fields' to the maintainers of the node. It contains field names, but no data.";
const EMPTY =
	'The list is empty, so its records could not be checked. Add one in the app, and check again.';

/** @throws failures that affect every read, such as a refused key or an unreachable service */
function toProblem(error: unknown): IDataObject {
	if (!(error instanceof CrmError) || error.concernsAll || !error.status) throw error;
	const { status, message, description } = error;
	return { status, understood: false, problem: message, whatToDo: description };
}

/** Summarizes the check in two or three sentences. */
function toSummary(results: IDataObject[]): string {
	const named = (which: (result: IDataObject) => boolean) =>
		results.filter(which).map(({ endpoint }) => endpoint);
	const odd = named(({ understood }) => understood === false).join(', ');
	const open = named(({ understood, records }) => understood === undefined || records === 0);
	const understood = named((result) => result.understood === true).length;
	const asked = named((result) => result.understood !== undefined).length;
	const verdict = odd
		? `${understood} of ${asked} answers are understood. See 'whatToDo' of: ${odd}.`
		: `All ${asked} answers are understood.`;
	const untried = open.length > 0 ? ` Without records to check: ${open.join(', ')}.` : '';
	return `${verdict}${untried} Sending and enrolling were not tested: send a message to yourself.`;
}
