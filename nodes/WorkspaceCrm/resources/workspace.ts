import type { IDataObject } from 'n8n-workflow';

import { readChoice, readPage, type Page } from '../crm/assumptions';
import type { Api } from '../crm/client';
import { CrmError } from '../crm/crmError';
import { endpoints, type Call } from '../crm/endpoints';
import { MAX_PAGE_SIZE } from '../crm/pagination';
import { readContact, type WireRecord } from '../crm/records';
import { isJsonObject } from '../domain/plainData';
import { defineBulkOperation, defineOperation } from '../operations/define';
import { isContactId } from './fields/contactReference';

export const getWorkspace = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get workspace',
	description: 'Retrieve the ID and the name of the workspace that the API key belongs to',
	effect: 'read',
	fields: [],

	order: 'parallel',

	async execute(api) {
		return await api.sendForRecord(endpoints.getWorkspace());
	},
});

type Endpoints = typeof endpoints;

/** An endpoint that can be read. */
type Readable = {
	[Name in keyof Endpoints]: Endpoints[Name]['label'] extends `GET ${string}` ? Name : never;
}[keyof Endpoints];

/** The first ID in the answer of each endpoint. */
type Ids = Map<Readable, string | undefined>;

/** A function that returns the fields that a record lacks, and the endpoint whose first record it reads. */
type Read = [missing: (record: WireRecord) => string[], of?: Readable];

/** How to check each endpoint, in this order. */
const READS: Readonly<Record<Readable, Read>> = {
	getWorkspace: [missingId],
	getContacts: [missingOfContact],
	getContact: [missingOfContact, 'getContacts'],
	getTags: [missingChoice],
	getTemplates: [missingChoice],
	getAutomations: [missingChoice],
	getSegments: [missingChoice],
	getSegmentContacts: [missingId, 'getSegments'],
	getEventTypes: [missingChoice],
	getSubscriptions: [missingChoice],
};

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
	takes: 'all',
	fields: [],

	async executeAll(api) {
		const ids: Ids = new Map();
		const results: CheckResult[] = [];
		const problems: unknown[] = [];
		for (const name of Object.keys(READS) as Readable[]) {
			const asking = check(api, name, ids).catch((error: unknown) => {
				problems.push(error);
				return toProblem(error);
			});
			results.push({ endpoint: endpoints[name].label, ...(await asking) });
		}
		// A wrong address or a refused key is one problem, not ten.
		if (problems.length > 0 && results.every(({ understood }) => !understood)) throw problems[0];
		return { outcomes: [], more: results, summary: toSummary(results) };
	},
});

/** What is known of one answer. Without `understood`, nothing could be checked. */
interface CheckResult extends IDataObject {
	understood?: boolean;
	whatToDo?: string;
}

async function check(api: Api, name: Readable, ids: Ids): Promise<CheckResult> {
	const [missing, of] = READS[name];
	const id = of && ids.get(of);
	if (of && !id) return { whatToDo: 'Not checked, because there is no record to read.' };
	const endpoint: (...values: string[]) => Call = endpoints[name];
	const call = id ? endpoint(id) : endpoint();
	const { form } = call;
	const query = form === 'pages' ? { limit: MAX_PAGE_SIZE, offset: 0 } : undefined;
	const { status, body } = await api.ask(call, { query });
	const isRecord = form === 'record';
	const page = isRecord ? readRecord(body) : readPage(body, form);
	const records = page?.records;
	const first = records?.[0];
	if (first) ids.set(name, readChoice(first)?.value);
	const notFound = new Set(records?.flatMap(missing));
	if (!records || (isRecord && !first)) notFound.add(`a ${isRecord ? 'record' : 'list'}`);
	if (records && form === 'pages' && page?.total === undefined) notFound.add('total');
	if (notFound.size === 0) return { understood: true, whatToDo: first ? NOTHING_TO_DO : EMPTY };
	const fields = Object.keys(first ?? (isJsonObject(body) ? body : {}));
	const whatToDo = NOT_UNDERSTOOD;
	return { understood: false, whatToDo, status, notFound: [...notFound], fields };
}

function readRecord(body: unknown): Page {
	return { records: isJsonObject(body) ? [body as WireRecord] : [] };
}

const NOTHING_TO_DO = 'Nothing to do.';
const NOT_UNDERSTOOD =
	"No setting fixes this. Report this row with its 'fields' to the maintainers of the node. It contains field names, but no data.";
const EMPTY =
	'The list is empty, so its records could not be checked. Add one in the CRM, and check again.';

/** @throws failures that affect every read, such as a refused key or an unreachable service */
function toProblem(error: unknown): CheckResult {
	if (!(error instanceof CrmError) || error.failure.endsRun || !error.failure.status) throw error;
	const { failure, message, description } = error;
	return { understood: false, whatToDo: description, status: failure.status, problem: message };
}

/** Summarizes the check in two or three sentences. */
function toSummary(results: CheckResult[]): string {
	const named = (which: (result: CheckResult) => boolean) =>
		results.filter(which).map(({ endpoint }) => endpoint);
	const odd = named(({ understood }) => understood === false).join(', ');
	const open = named(({ understood, whatToDo }) => understood === undefined || whatToDo === EMPTY);
	const understood = named((result) => result.understood === true).length;
	const asked = named((result) => result.understood !== undefined).length;
	const verdict = odd
		? `${understood} of ${asked} answers are understood. See 'whatToDo' of: ${odd}.`
		: `All ${asked} answers are understood.`;
	const untried = open.length > 0 ? ` Empty, so not checked: ${open.join(', ')}.` : '';
	return `${verdict}${untried} Sending and enrolling were not tested: send a message to yourself.`;
}
