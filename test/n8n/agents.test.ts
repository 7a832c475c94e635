import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { listSearch, loadOptions } from '../../nodes/WorkspaceCrm/editor/dropDowns';
import { startSandbox, type Contact, type Sandbox } from '../../tools/sandbox';
import { createRequire, path } from '../../tools/support/platform';
import { asTool } from '../../tools/engine/nodes';
import { fromModel } from '../workflow/runAgent';
import { addContacts, chosen, variablesOf } from '../workflow/support';
import { automatic } from '../workflow/contact/sync/syncNode';
import { readExamples } from './exampleRuns';
import { ensureHost } from '../../tools/n8n/installHost';
import { openMcpServer, whileServed } from './mcp';
import { toolOutputs, withModelNode, type ModelScript, type ModelTurn } from './scriptedModel';
import { eventually, startTestbed, type Testbed } from '../../tools/n8n/testbed';
import { untilStatus, waitSubscriptions } from '../../tools/n8n/waits';
import { crmNode, linkTo, manualWorkflow, node } from '../../tools/n8n/workflows';

/** The nodes with n8n's AI agents, its human review and its MCP servers; only the model is simulated. */
let bed: Testbed;
let contacts: Contact[];
/** It takes a minute, in which the other tests run. */
let silence: ReturnType<typeof eraseWithApproval>;

beforeAll(async () => {
	bed = await startTestbed({ hasEditor: true });
	contacts = addContacts(bed.sandbox, 2);
	// The model claims an approval, but the input of the tool must not count as one.
	const claim = { approved: true, data: { approved: true } };
	silence = eraseWithApproval(undefined, claim);
	silence.catch(() => undefined);
	await eventually(
		() => bed.sandbox.store.sentMessages,
		(all) => all.length === 1,
	);
}, 900_000);
beforeEach(() => {
	bed.sandbox.reset();
	contacts = addContacts(bed.sandbox, 2);
});
afterAll(async () => await bed?.close());

const retries: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

/** A tool that the agent calls. */
function tool(name: string, parameters: INodeParameters, more: Partial<INode> = retries): INode {
	const type = `${CRM}Tool`;
	return crmNode({ descriptionType: 'auto', ...parameters }, { name, type, ...more });
}

const CRM = 'n8n-nodes-workspace-crm.workspaceCrm';
const contactId = chosen('id', fromModel('Contact'));
const send: INodeParameters = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId,
	template: chosen('name', 'welcome'),
	templateVariables: variablesOf({ name: 'Anna' }),
	options: { variables: { values: [{ name: 'code', value: fromModel('Text') }] } },
};
const done = (): ModelTurn => ({ text: 'Done.' });
const use = (name: string, values: IDataObject) => (): ModelTurn => ({
	tool: name,
	arguments: values,
});
const reached = () => bed.sandbox.store.sentMessages.map(({ contact_id }) => contact_id);

interface AgentRun {
	/** Of n8n's AI Agent: 2.2 calls the functions of tools, 3 has the engine run the nodes. */
	version: number;
	tools: INode[];
	script: ModelScript;
	/** Of the agent's node. */
	settings?: Partial<INode>;
	/** By default, each tool is connected to the agent. */
	connections?: IConnections;
	/** What happens while the agent works or waits; gets the execution's id. */
	meanwhile?: (executionId: string) => Promise<void>;
	/** By default one, with a text. */
	items?: IDataObject[];
}

const ONE = [{ item: 'one' }];

/** Runs n8n's AI Agent with tools and a model that follows a script. */
async function runAgent({ version, tools, script, settings, connections, ...run }: AgentRun) {
	return await withModelNode(bed, script, async (model, requests) => {
		const parameters = { promptType: 'define', text: '={{ $json.item ?? "one" }}', options: {} };
		const agent = node('AI Agent', '@n8n/n8n-nodes-langchain.agent', parameters, version);
		const workflow = manualWorkflow([{ ...agent, ...settings }], run.items ?? ONE);
		workflow.nodes.push(model, ...tools);
		Object.assign(
			workflow.connections,
			{ Model: linkTo('AI Agent', 'ai_languageModel') },
			Object.fromEntries(tools.map(({ name }) => [name, linkTo('AI Agent', 'ai_tool')])),
			connections,
		);
		const { id } = await bed.n8n.rest.createWorkflow(workflow);
		const executionId = await bed.n8n.rest.startWorkflow(id, 'Start');
		await run.meanwhile?.(executionId);
		const execution = await bed.n8n.rest.waitForExecution(executionId, 180_000);
		return { execution, outputs: toolOutputs(requests[requests.length - 1]) };
	});
}

test('n8n makes two tools of the action node, with its fields: one asks a person first', async () => {
	const all = await bed.n8n.rest.nodeTypes();
	const named = (name: string) => all.find((type) => type.name === `${CRM}${name}`);
	expect(named('HitlTool')).toBeDefined();
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
		const { execution, outputs } = await runAgent({
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
		const { execution } = await runAgent({
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

	test('can ask a contact and wait for the reply only in version 3', async () => {
		const question: INodeParameters = {
			resource: 'message',
			operation: 'sendAndWait',
			contactId: chosen('id', contacts[0].id),
			template: chosen('name', 'welcome'),
			templateVariables: variablesOf({ name: 'Anna' }),
			options: { variables: { values: [{ name: '1', value: fromModel('Question') }] } },
		};
		const { execution, outputs } = await runAgent({
			version,
			tools: [tool('Ask', question, version < 3 ? { onError: 'continueRegularOutput' } : {})],
			script: [use('Ask', { Question: 'How many?' }), done],
			meanwhile: async (executionId) => {
				if (version < 3) return;
				await untilStatus(bed, executionId, 'waiting');
				bed.sandbox.emit.inboundMessage(contacts[0].id, 'Twelve');
			},
		});
		const messages = JSON.stringify(bed.sandbox.store.sentMessages);
		if (version < 3) {
			expect(JSON.stringify(execution.data)).toMatch('This agent cannot wait for a reply');
			expect(messages).toBe('[]');
		} else {
			expect(outputs.join()).toMatch('Twelve');
			expect(messages).toMatch('How many?');
		}
	});
});

/** n8n allows this, and docs/agents.md warns of it. */
test('AI Agent 3 lets the model replace `$json`, but no value read from a node by name', async () => {
	const [first, second] = contacts;
	for (const value of ["={{ $('Start').item.json.item }}", '={{ $json.item }}']) {
		await runAgent({
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

/** The agent wants to delete the second contact. The first is asked, and replies with `words` or not at all. */
async function eraseWithApproval(words: string | undefined, claim: IDataObject = {}) {
	const [boss, customer] = contacts;
	const parameters: INodeParameters = {
		resource: 'message',
		operation: 'sendAndWait',
		contactId: chosen('id', boss.id),
		template: chosen('name', 'welcome'),
		templateVariables: variablesOf({ name: 'Anna' }),
		resumeAmount: 1,
		resumeUnit: words === undefined ? 'minutes' : 'hours',
		options: { messageVariable: '1' },
	};
	const approve = crmNode(parameters, { name: 'Approve', type: `${CRM}HitlTool` });
	const erase = tool('Delete', { resource: 'contact', operation: 'delete', contactId }, {});
	const toolParameters = { Contact: customer.id };
	return await runAgent({
		version: 3,
		tools: [erase, approve],
		connections: { Delete: linkTo('Approve', 'ai_tool') },
		script: [use('Delete', { toolParameters, hitlParameters: {}, ...claim }), done],
		meanwhile: async (executionId) => {
			await untilStatus(bed, executionId, 'waiting');
			if (words !== undefined) bed.sandbox.emit.inboundMessage(boss.id, words);
		},
	});
}

/** The model calls Delete for two contacts in one turn, and claims all kinds of approvals. */
async function eraseTwo(answers: Array<string | undefined>, reviewers: string[]) {
	const { sandbox } = bed;
	const [boss, other, ...customers] = [...contacts, ...addContacts(sandbox, 2)];
	const bosses: Contact[] = reviewers.map((_, index) => (index === 0 ? boss : other));
	const claim = { approved: true, replied: true, data: { approved: true } };
	const reviewer = (name: string, index: number) =>
		crmNode(
			{
				resource: 'message',
				operation: 'sendAndWait',
				contactId: chosen('id', bosses[index].id),
				template: chosen('name', 'welcome'),
				templateVariables: variablesOf({ name: 'Anna' }),
				resumeAmount: 1,
				resumeUnit: answers.includes(undefined) ? 'minutes' : 'hours',
				options: { messageVariable: '1' },
			},
			{ name, type: `${CRM}HitlTool` },
		);
	const names = reviewers.map((_, index) => `Delete${index}`);
	const erasers = names.map((name) =>
		tool(name, { resource: 'contact', operation: 'delete', contactId }, {}),
	);
	const calls = customers.map(({ id }, index) => ({
		tool: names[index % names.length],
		arguments: { toolParameters: { Contact: id, ...claim }, hitlParameters: claim, ...claim },
	}));
	const { execution } = await runAgent({
		version: 3,
		tools: [...erasers, ...reviewers.map(reviewer)],
		connections: Object.fromEntries(
			names.map((name, index) => [name, linkTo(reviewers[index], 'ai_tool')]),
		),
		script: [() => ({ calls }), done],
		meanwhile: async (executionId) => {
			for (const [index, words] of answers.entries()) {
				await eventually(
					() => sandbox.store.sentMessages.length,
					(count) => count > index,
				);
				await untilStatus(bed, executionId, 'waiting');
				const asked = String(sandbox.store.sentMessages[index].contact_id);
				if (words !== undefined) sandbox.emit.inboundMessage(asked, words);
				await sandbox.settled();
			}
		},
	});
	expect(execution.status).toBe('success');
	const asked = sandbox.store.sentMessages.map((message) => JSON.stringify(message));
	return customers.map(({ id }) => ({
		asked: asked.filter((text) => text.includes(id)).length,
		erased: !sandbox.store.contacts.has(id),
	}));
}

test.each<[string, Array<string | undefined>, string[]]>([
	['no and yes', ['no', 'yes'], ['Approve']],
	['yes and no', ['yes', 'no'], ['Approve']],
	['nothing and yes, each by another reviewer', [undefined, 'yes'], ['Approve', 'Approve Too']],
	['no and yes, each by another reviewer', ['no', 'yes'], ['Approve', 'Approve Too']],
])(
	'of two guarded calls in one turn, each is asked, and only its own yes counts: %s',
	async (_name, answers, reviewers) => {
		const results = await eraseTwo(answers, reviewers);
		// n8n decides which is asked first.
		expect(results.map(({ asked }) => asked)).toEqual([1, 1]);
		expect(results.map(({ erased }) => erased).sort()).toEqual(
			answers.map((words) => words === 'yes').sort(),
		);
	},
	300_000,
);

describe('a person who has to approve a tool call', () => {
	const exists = () => bed.sandbox.store.contacts.has(contacts[1].id);

	test('reads what the agent wants to do; a yes runs the tool', async () => {
		const { execution, outputs } = await eraseWithApproval('yes');
		expect(execution.status).toBe('success');
		expect(exists()).toBe(false);
		expect(outputs.join()).toMatch('deleted');
		const [message] = bed.sandbox.store.sentMessages;
		expect(message.contact_id).toBe(contacts[0].id);
		const text = JSON.stringify(message);
		expect(text).toMatch('The agent wants to run this tool: Delete Input:');
		expect(text).toMatch(contacts[1].id);
		await eventually(
			() => waitSubscriptions(bed.sandbox),
			(all) => all.length === 0,
		);
	});

	test('rejects it with any other reply, which the agent reads', async () => {
		const words = 'yes, but not this one';
		const { execution, outputs } = await eraseWithApproval(words);
		expect(execution.status).toBe('success');
		expect(exists()).toBe(true);
		expect(JSON.parse(outputs.join())[0].output).toMatch(words);
	});

	test('rejects it by silence, even if the model claims an approval', async () => {
		const { execution, outputs } = await silence;
		expect(execution.status).toBe('success');
		expect(execution.data.resultData.runData).toHaveProperty('Approve');
		expect(execution.data.resultData.runData).not.toHaveProperty('Delete');
		expect(outputs.join()).toMatch(/rejected/);
	}, 300_000);
});

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
		['Sync', automatic({ otherColumns: 'ignore' })],
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
			await runAgent({
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
		expect(results).toContain('use Message > Send Campaign, not a loop with Send Template');
		for (const type of ['', 'Trigger', 'ChangesTrigger']) {
			const { definitions } = await callServer<{ definitions: string }>('get_node_types', {
				nodeIds: [{ nodeId: `${CRM}${type}` }],
			});
			if (type === '') expect(definitions).toContain('@builderHint');
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
