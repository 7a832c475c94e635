import type { INode, INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { listSearch, loadOptions } from '../../nodes/WorkspaceCrm/editor/dropDowns';
import { resources } from '../../nodes/WorkspaceCrm/resources';
import { startSandbox, type Contact, type Sandbox } from '../../tools/sandbox';
import { createRequire, path } from '../../tools/support/platform';
import { asTool } from '../../tools/engine/nodes';
import { ofFeatures } from '../support/features';
import { nodes } from '../support/nodes';
import { fromModel } from '../workflow/runAgent';
import { addContacts, chosen, variablesOf } from '../workflow/support';
import { contactId, CRM, done, retries, runAgent, tool, use, type AgentTests } from './agentRuns';
import { readExamples } from './exampleRuns';
import { ensureHost } from '../../tools/n8n/installHost';
import { openMcpServer, whileServed } from './mcp';
import { startTestbed, type Testbed } from '../../tools/n8n/testbed';
import { crmNode, manualWorkflow } from '../../tools/n8n/workflows';

interface Feature {
	agentTests?: (tests: AgentTests) => void;
	inWorkspaces?: Array<[string, INodeParameters]>;
}

const features = ofFeatures<Feature>('agents', 'test/n8n');

/** The nodes with n8n's AI agents and its MCP servers; only the model is simulated. */
let bed: Testbed;
let contacts: Contact[];

beforeAll(async () => {
	bed = await startTestbed({ hasEditor: true });
}, 900_000);
beforeEach(() => {
	bed.sandbox.reset();
	contacts = addContacts(bed.sandbox, 2);
});
afterAll(async () => await bed?.close());

const send: INodeParameters = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId,
	template: chosen('name', 'welcome'),
	templateVariables: variablesOf({ name: 'Anna' }),
	options: {
		// With a single request: the list of templates is not read.
		sendBlankVariables: true,
		variables: { values: [{ name: 'code', value: fromModel('Text') }] },
	},
};
const reached = () => bed.sandbox.store.sentMessages.map(({ contact_id }) => contact_id);

test('n8n makes a tool of the action node, with its fields', async () => {
	const all = await bed.n8n.rest.nodeTypes();
	const named = (name: string) => all.find((type) => type.name === `${CRM}${name}`);
	// As the engine's tests assume.
	const { displayName, inputs, outputs, credentials } = asTool(new WorkspaceCrm()).description;
	expect(named('Tool')).toMatchObject({ displayName, inputs, outputs, credentials });
	const properties = named('Tool')?.properties ?? [];
	const added = ['descriptionType', 'toolDescription'];
	expect(properties.filter(({ name }) => !added.includes(name))).toEqual(named('')?.properties);
	expect(properties.find(({ name }) => name === 'descriptionType')?.default).toBe('auto');
});

/** The AI Agent of version 2 calls the functions of its tools; for version 3, the engine runs the nodes. */
describe.each([2.2, 3])('AI Agent %s', (version) => {
	test('sends one message per tool call, even if every answer is lost', async () => {
		bed.sandbox.fail({ times: 3, kind: { drop: 'afterEffect' } });
		const { execution, outputs } = await runAgent(bed, {
			version,
			tools: [tool('Send', send)],
			script: [use('Send', { Contact: contacts[0].id, Text: 'x' }), done],
		});
		expect(reached()).toEqual([contacts[0].id]);
		expect(bed.sandbox.requests).toHaveLength(1);
		// Version 2 keeps a tool's error from its model, so only the user can read it.
		const [{ error }] = execution.data.resultData.runData.Send.slice(-1);
		const text = version < 3 ? error?.message : outputs.join();
		expect(text).toMatch('The request may have taken effect');
	});

	test('sends two messages for two calls with the same arguments, even if it is retried', async () => {
		bed.sandbox.fail({ kind: { status: 422 } });
		const call = { tool: 'Send', arguments: { Contact: contacts[0].id, Text: 'x' } };
		const { execution } = await runAgent(bed, {
			version,
			tools: [tool('Send', send)],
			script: [
				() => ({ calls: [call, call] }),
				() => ({ status: 400 }),
				(last) => (last ? done() : { calls: [call, call] }),
				done,
			],
			settings: retries,
		});
		expect(execution.status).toBe('success');
		// Version 3 repeats the turn of the model that failed; version 2 starts over, with new calls.
		expect(reached()).toHaveLength(version < 3 ? 4 : 2);
	});
});

/** n8n allows this, and docs/agents.md warns of it. */
test('AI Agent 3 lets the model replace `$json`, but no value read from a node by name', async () => {
	const [first, second] = contacts;
	for (const value of ["={{ $('Start').item.json.item }}", '={{ $json.item }}']) {
		await runAgent(bed, {
			version: 3,
			tools: [tool('Send', { ...send, contactId: chosen('id', value) })],
			script: [use('Send', { Text: 'x', item: second.id }), done],
			items: [{ item: first.id }],
		});
	}
	expect(reached()).toEqual([first.id, second.id]);
});

test('each call by an MCP client sends one message, to the contact of that call', async () => {
	const [first, second] = contacts;
	bed.sandbox.fail({ kind: { drop: 'afterEffect' } });
	bed.sandbox.fail({ kind: { status: 422 } });
	const slow = { ...retries, waitBetweenTries: 100 };
	await whileServed(bed, [tool('Send', send, slow)], async (call) => {
		const lost = await call('Send', { Contact: first.id, Text: 'x' });
		expect(lost.text).toMatch('The request may have taken effect');
		// The first of these calls takes two tries, and the other call arrives between them.
		const both = [first, second].map(
			async ({ id }) => await call('Send', { Contact: id, Text: 'x' }),
		);
		expect((await Promise.all(both)).map(({ isError }) => isError)).toEqual([false, false]);
	});
	expect(reached().sort()).toEqual([first.id, first.id, second.id].sort());
	expect(bed.sandbox.requests).toHaveLength(4);
});

for (const { agentTests } of features) agentTests?.({ bed: () => bed, contacts: () => contacts });

describe('a credential by expression', () => {
	const apiKey = 'wcrm_other_workspace';
	let other: Sandbox;
	let byItem: Partial<INode>;
	beforeAll(async () => {
		other = await startSandbox({ apiKey, limiter: { kind: 'off' } });
		const data = { baseUrl: ofItem('crmUrl'), apiKey: ofItem('crmKey'), authHeader: 'bearer' };
		const id = await bed.n8n.rest.createCredential('By item', 'workspaceCrmApi', data);
		byItem = { credentials: { workspaceCrmApi: { id, name: 'By item' } } };
	});
	beforeEach(() => other.reset());
	afterAll(async () => await other.close());

	const ofItem = (name: string) => `={{ $('Start').item.json.${name} }}`;
	const contactOfItem = { contactId: chosen('id', ofItem('id')) };

	/** An item for each workspace, with a contact of it. */
	const itemsOfBoth = () =>
		[other, bed.sandbox].map((sandbox) => {
			const phone = '+4915123456701';
			const [{ id }] = addContacts(sandbox, 1, { phone });
			return { id, phone, tags: id, crmUrl: sandbox.url, crmKey: sandbox.apiKey };
		});

	function expectOnlyOwn(items: Array<{ id: string }>): void {
		for (const [index, sandbox] of [other, bed.sandbox].entries()) {
			const texts = sandbox.requests.map(({ path: at, body }) => JSON.stringify([at, body])).join();
			expect(items.map(({ id }) => texts.includes(id))).toEqual(items.map((_, at) => at === index));
		}
	}

	test.each<[string, INodeParameters]>([
		['Get', { resource: 'contact', operation: 'get', ...contactOfItem }],
		['Delete', { resource: 'contact', operation: 'delete', ...contactOfItem }],
		['Send Template', { ...send, ...contactOfItem, options: {} }],
		...features.flatMap(({ inWorkspaces = [] }) => inWorkspaces),
	])('reaches the workspace of each item: %s', async (_name, parameters) => {
		const items = itemsOfBoth();
		const workflow = manualWorkflow([crmNode(parameters, byItem)], items);
		const { id } = await bed.n8n.rest.createWorkflow(workflow);
		const { status, data } = await bed.n8n.rest.runWorkflow(id, 'Start');
		expect([status, data.resultData.error?.message]).toEqual(['success', undefined]);
		expectOnlyOwn(items);
	});

	test.each([2.2, 3])('reaches it in a tool of AI Agent %s, too', async (version) => {
		const items = itemsOfBoth();
		for (const [index, { id, ...item }] of items.entries()) {
			await runAgent(bed, {
				version,
				tools: [tool('Send', send, byItem)],
				script: [use('Send', { Contact: id, Text: 'x', ...items[1 - index] }), done],
				items: [item],
			});
		}
		expectOnlyOwn(items);
	});
});

describe("n8n's MCP server, with which models build workflows,", () => {
	let callServer: Awaited<ReturnType<typeof openMcpServer>>;
	beforeAll(async () => (callServer = await openMcpServer(bed)));

	test('finds the nodes, and describes them with our hints in less than 40,000 characters', async () => {
		const queries = ['whatsapp', 'newsletter'];
		const { results } = await callServer<{ results: string }>('search_nodes', { queries });
		expect(results.split(`- ${CRM}\n`)).toHaveLength(queries.length + 1);
		const hints = resources.flatMap(({ operations }) =>
			operations.flatMap(({ searchHint = [] }) => searchHint),
		);
		for (const hint of hints) expect(results).toContain(hint);
		for (const { description } of nodes) {
			const { definitions } = await callServer<{ definitions: string }>('get_node_types', {
				nodeIds: [{ nodeId: `n8n-nodes-workspace-crm.${description.name}` }],
			});
			if (description.usableAsTool) expect(definitions).toContain('@builderHint');
			expect(definitions.length).toBeLessThan(40_000);
		}
	});

	test('lists the records of the workspace for every drop-down', async () => {
		const created_at = bed.sandbox.store.nowIso();
		const subscription = { id: 's', url: 'https://example.com', events: [], secret: 'x' };
		bed.sandbox.store.subscriptions.set('s', { ...subscription, active: true, created_at });
		addContacts(bed.sandbox, 1, { tags: ['vip'], attributes: { plan: 'pro' }, phone: '+4915' });
		for (const [methodType, methods] of Object.entries({ listSearch, loadOptions })) {
			for (const methodName of Object.keys(methods)) {
				const { results } = await callServer<{ results: unknown[] }>('explore_node_resources', {
					nodeType: CRM,
					version: 1,
					methodName,
					methodType,
					credentialType: 'workspaceCrmApi',
					credentialId: 'crm',
				});
				expect([methodName, results.length > 0]).toEqual([methodName, true]);
			}
		}
	});

	test('accepts all examples', async () => {
		const fromHost = createRequire(path.join((await ensureHost()).folder, 'package.json'));
		// n8n's own generator turns a workflow into the code that models write
		const { generateWorkflowCode } = fromHost('@n8n/workflow-sdk') as {
			generateWorkflowCode(input: { workflow: object }): string;
		};
		for (const { file, ...workflow } of readExamples()) {
			const { valid, warnings = [] } = await callServer<{
				valid: boolean;
				warnings?: Array<{ nodeName?: string }>;
			}>('validate_workflow', { code: generateWorkflowCode({ workflow }) });
			// users connect a model of their own to the agent
			const others = warnings.filter(({ nodeName }) => nodeName !== 'AI Agent');
			expect([file, valid, others]).toEqual([file, true, []]);
		}
	});
});
