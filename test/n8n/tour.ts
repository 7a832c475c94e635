import type {
	ICredentialType,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRunExecutionData,
} from 'n8n-workflow';

import { messageText, type Sandbox } from '../sandbox';
import { createRequire, fs, path, performance } from '../support/platform';
import { outputItems } from './executionData';
import { repositoryFolder } from './paths';

/** One operation of the tour, and what came of it. */
export interface TourStep {
	operation: string;
	items: number;
	result: string;
	/** Requests that reached the CRM. */
	requests: number;
	elapsedMs: number;
	rejected: RejectedRow[];
}

export interface RejectedRow {
	operation: string;
	row: string;
	reason: string;
	remedy: string;
}

/** What each step must come to. Two rows of the first list and one of the second cannot be read. */
export const expectedResults = [
	'3 created, 1 updated, 2 rejected',
	'3 updated, 11 created, 1 invalid',
	'14 unchanged, 1 invalid',
	'214 contacts',
	'sent to Mia Richter: "Hi Mia, your order 1042 is on its way."',
];

const visitors: IDataObject[] = [
	{ name: 'Mia Richter', phone: '01512 3450101', country: 'DE' },
	{ name: 'Tom Baker', phone: '07911 123001', country: 'GB' },
	{ name: 'Too short', phone: '12345', country: 'GB' },
	{ name: 'Julie Petit', phone: '06.12.34.50.04', country: 'FR' },
	{ name: 'No phone', phone: '', country: 'FR' },
	{ name: 'Mia Richter', phone: '+49 1512 3450101', country: 'DE' },
];

const customers: IDataObject[] = [
	{ name: 'Mia Richter', phone: '+4915123450101', tags: 'spring sale' },
	{ name: 'Tom Baker', phone: '+447911123001', tags: 'spring sale' },
	{ name: 'Julie Petit', phone: '+33612345004', tags: 'spring sale' },
	{ name: 'Paula Fischer', phone: '0171 3920178', tags: 'spring sale, vip' },
	{ name: 'Not a number', phone: 'ask Tom', tags: '' },
	{ name: 'Liam Carter', phone: '(212) 555-0144', tags: 'spring sale' },
	{ name: 'Sara Lima', phone: '+55 11 96123-4001', tags: 'spring sale' },
	{ name: 'Yuki Mori', phone: '+81 90 1234 5001', tags: 'spring sale' },
	{ name: 'Oskar Brandt', phone: '0171 3920181', tags: 'spring sale' },
	{ name: 'Nina Wolf', phone: '0171 3920182', tags: 'spring sale' },
	{ name: 'Emma Clark', phone: '+44 7911 123002', tags: 'spring sale, vip' },
	{ name: 'Paul Martin', phone: '+33 6 12 34 50 05', tags: 'spring sale' },
	{ name: 'Ava Reed', phone: '(212) 555-0145', tags: 'spring sale' },
	{ name: 'Rui Costa', phone: '+55 11 96123-4002', tags: 'spring sale' },
	{ name: 'Lena Keller', phone: '+41 78 123 45 69', tags: 'spring sale' },
];

/**
 * Runs the main operations one after the other, each as a node of the built package in n8n's own
 * engine, against a sandbox with 200 contacts.
 */
export async function runTour(sandbox: Sandbox): Promise<TourStep[]> {
	const run = await loadNode(sandbox);
	const steps: TourStep[] = [];
	const step = async (
		operation: string,
		parameters: INodeParameters,
		rows: IDataObject[],
		describe: (output: IDataObject[], failed: IDataObject[]) => string,
	) => {
		const requestsBefore = sandbox.requests.length;
		const startMs = performance.now();
		const { output, failed } = await run(parameters, rows);
		steps.push({
			operation,
			items: rows.length,
			result: describe(output, failed),
			requests: sandbox.requests.length - requestsBefore,
			elapsedMs: performance.now() - startMs,
			rejected: failed.map((row) => toRejected(operation, row)),
		});
	};

	await step('Contact > Create or Update', upsertParameters, visitors, describeUpsert);
	await step('Contact > Sync', syncParameters, customers, describeSync);
	await step('Contact > Sync, once more', syncParameters, customers, describeSync);
	await step('Contact > Get Many', getAllParameters, [{}], ({ length }) => `${length} contacts`);
	await step('Message > Send Template', sendParameters, [{}], () => describeSent(sandbox));
	return steps;
}

/** What differs from what the tour should do; empty when all is well. */
export function findTourDeviations(steps: readonly TourStep[]): string[] {
	return expectedResults.flatMap((expected, index) => {
		const { operation = `step ${index}`, result } = steps[index] ?? {};
		return result === expected ? [] : [`${operation}: '${result}' instead of '${expected}'`];
	});
}

const upsertParameters: INodeParameters = {
	resource: 'contact',
	operation: 'upsert',
	phone: '={{ $json.phone }}',
	additionalFields: { name: '={{ $json.name }}', defaultCountry: '={{ $json.country }}' },
};

const syncParameters = {
	resource: 'contact',
	operation: 'sync',
	columns: { mappingMode: 'autoMapInputData', value: null, schema: [] },
	options: { defaultCountry: 'DE' },
} as unknown as INodeParameters;

const getAllParameters: INodeParameters = {
	resource: 'contact',
	operation: 'getAll',
	returnAll: true,
};

const sendParameters = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId: { __rl: true, mode: 'phone', value: '+49 1512 3450101' },
	template: { __rl: true, mode: 'name', value: 'order_shipped' },
	templateVariables: {
		mappingMode: 'defineBelow',
		value: { '1': 'Mia', '2': '1042' },
		schema: [],
	},
} as unknown as INodeParameters;

type Run = (
	parameters: INodeParameters,
	rows: IDataObject[],
) => Promise<{ output: IDataObject[]; failed: IDataObject[] }>;

/** The node of `dist`, as n8n would load it, between an input and its two outputs. */
async function loadNode({ url, apiKey }: Sandbox): Promise<Run> {
	// The engine takes seconds to load; whoever only asks for what is expected does without.
	const { crmNode, nodeTypesOf, passThrough, passThroughNode, runInEngine } = await import(
		'../support/engine'
	);
	const { n8n } = JSON.parse(
		await fs.promises.readFile(path.join(repositoryFolder, 'package.json'), 'utf8'),
	) as { n8n: { nodes: string[]; credentials: string[] } };
	const [nodeFile = ''] = n8n.nodes.filter((file) => file.endsWith('WorkspaceCrm.node.js'));
	const [credentialFile = ''] = n8n.credentials;
	const { WorkspaceCrm } = load(nodeFile) as { WorkspaceCrm: new () => INodeType };
	const { WorkspaceCrmApi } = load(credentialFile) as {
		WorkspaceCrmApi: new () => ICredentialType;
	};
	const host = {
		nodeTypes: nodeTypesOf({
			'test.passThrough': passThrough,
			'n8n-nodes-workspace-crm.workspaceCrm': new WorkspaceCrm(),
		}),
		credentialType: new WorkspaceCrmApi(),
		credential: { baseUrl: url, apiKey, authHeader: 'bearer' },
	};
	return async (parameters, rows) => {
		const node: INode = crmNode(parameters, { onError: 'continueErrorOutput' });
		const pinned = rows.map((json) => ({ json })) as INodeExecutionData[];
		const { data } = await runInEngine(
			{
				nodes: [passThroughNode(), node],
				connections: { Start: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
				pinData: { Start: pinned },
			},
			host,
		);
		throwFailure(data);
		return { output: outputItems(data, node.name), failed: outputItems(data, node.name, 1) };
	};
}

function load(file: string): unknown {
	return createRequire(path.join(repositoryFolder, 'package.json'))(
		path.join(repositoryFolder, file),
	) as unknown;
}

function throwFailure({ resultData: { error } }: IRunExecutionData): void {
	if (error) throw error;
}

function toRejected(operation: string, { name, error, description }: IDataObject): RejectedRow {
	const reason = typeof error === 'string' ? error : '';
	return { operation, row: String(name), reason, remedy: String(description ?? '') };
}

function describeUpsert(output: IDataObject[], failed: IDataObject[]): string {
	const created = output.filter((contact) => contact.created === true).length;
	return listCounts({
		created,
		updated: output.length - created,
		rejected: failed.length,
	});
}

function describeSync(output: IDataObject[], failed: IDataObject[]): string {
	const counts: Record<string, number> = {};
	for (const { sync } of output) {
		const { action } = sync as { action: string };
		counts[action] = (counts[action] ?? 0) + 1;
	}
	return listCounts({ ...counts, invalid: failed.length });
}

function listCounts(counts: Record<string, number>): string {
	return Object.entries(counts)
		.filter(([, count]) => count > 0)
		.map(([name, count]) => `${count} ${name}`)
		.join(', ');
}

/** The message as the CRM has it, in the words that its template gives. */
function describeSent({ store }: Sandbox): string {
	const message = store.sentMessages.at(-1);
	if (!message) return 'not sent';
	const name = store.contacts.get(message.contact_id)?.name ?? message.contact_id;
	return `sent to ${name}: "${messageText(store, message)}"`;
}
