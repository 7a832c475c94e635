import type {
	IConnections,
	IDataObject,
	INode,
	INodeParameters,
	INodeTypeDescription,
} from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { listSearch } from '../../nodes/WorkspaceCrm/editor/listSearch';
import { loadOptions } from '../../nodes/WorkspaceCrm/editor/loadOptions';
import type { Contact } from '../sandbox';
import { createRequire, path } from '../support/platform';
import { asTool } from '../workflow/engine';
import { fromModel } from '../workflow/runAgent';
import { addContacts, chosen } from '../workflow/support';
import { runAgent } from './agentRun';
import { readExamples } from './exampleRuns';
import { ensureHost } from './installHost';
import { openMcpServer, whileServed } from './mcp';
import type { ModelTurn } from './scriptedModel';
import { eventually, startTestbed, type Testbed } from './testbed';
import { node, untilStatus, waitSubscriptions } from './waits';

/** The nodes with n8n's AI agents, its human review and its MCP servers; only the model is simulated. */
let bed: Testbed;
let contacts: Contact[];
/** It takes a minute, in which the other tests run. */
let silence: ReturnType<typeof eraseWithApproval>;

beforeAll(async () => {
	bed = await startTestbed();
	contacts = addContacts(bed.sandbox, 2);
	// Whatever the model says: the input of the tool is no approval either.
	silence = eraseWithApproval(
		undefined,
		{ resumeAmount: 1, resumeUnit: 'minutes' },
		{ approved: true, data: { approved: true } },
	);
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

const CRM = 'n8n-nodes-workspace-crm.workspaceCrm';
const retries: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

function crm(name: string, type: string, parameters: INodeParameters, more: Partial<INode> = {}) {
	const credentials = { workspaceCrmApi: { id: 'crm', name: 'CRM' } };
	return { ...node(name, `${CRM}${type}`, parameters), credentials, ...more };
}

/** A tool that the agent calls. */
const tool = (name: string, parameters: INodeParameters, more: Partial<INode> = retries) =>
	crm(name, 'Tool', { descriptionType: 'auto', ...parameters }, more);

const contactId = chosen('id', fromModel('Contact'));
const send: INodeParameters = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId,
	template: chosen('name', 'welcome'),
	options: { variables: { values: [{ name: 'code', value: fromModel('Text') }] } },
};
const done = (): ModelTurn => ({ text: 'Done.' });
const use = (name: string, values: IDataObject) => (): ModelTurn => ({
	tool: name,
	arguments: values,
});
const reached = () => bed.sandbox.store.sentMessages.map(({ contact_id }) => contact_id);

describe('the tool that n8n makes of the action node', () => {
	let ours: INodeTypeDescription[];
	beforeAll(async () => {
		const { rest, url } = bed.n8n;
		const response = await fetch(`${url}/types/nodes.json`, { headers: { cookie: rest.cookie } });
		const all = (await response.json()) as INodeTypeDescription[];
		ours = all.filter(({ name }) => name.startsWith('n8n-nodes-workspace-crm.'));
	});
	const typeOf = (name: string) => ours.find((type) => type.name.endsWith(`.${name}`));

	test('is there, and one that asks a person first', () => {
		expect(ours.map(({ name }) => name.split('.')[1]).sort()).toEqual([
			'workspaceCrm',
			'workspaceCrmChangesTrigger',
			'workspaceCrmHitlTool',
			'workspaceCrmTool',
			'workspaceCrmTrigger',
		]);
	});

	test('is as the tests in test/workflow assume, and can do all that the node can', () => {
		const { displayName, inputs, outputs, credentials } = asTool(new WorkspaceCrm()).description;
		expect(typeOf('workspaceCrmTool')).toMatchObject({ displayName, inputs, outputs, credentials });
		const properties = typeOf('workspaceCrmTool')?.properties ?? [];
		const added = ['descriptionType', 'toolDescription'];
		expect(properties.filter(({ name }) => !added.includes(name))).toEqual(
			typeOf('workspaceCrm')?.properties,
		);
		expect(properties.find(({ name }) => name === 'descriptionType')?.default).toBe('auto');
	});
});

/** The AI Agent of version 2 calls the functions of its tools; for version 3, the engine runs the nodes. */
describe.each([2.2, 3])('called by AI Agent %s', (version) => {
	test('one call sends one message, though the answer of each try would be lost', async () => {
		bed.sandbox.fail({ times: 3, kind: { drop: 'afterEffect' } });
		const { execution, told } = await runAgent(bed, {
			version,
			tools: [tool('Send', send)],
			script: [use('Send', { Contact: contacts[0].id, Text: 'x' }), done],
		});
		expect(reached()).toEqual([contacts[0].id]);
		expect(bed.sandbox.requests).toHaveLength(1);
		// The model of version 2 is told nothing of a tool that fails, so only the user can read it.
		const [{ error }] = execution.data.resultData.runData.Send.slice(-1);
		const text = version < 3 ? error?.message : told.join();
		expect(text).toMatch('The request may have taken effect');
	});

	test('two calls with the same arguments send two messages, also if the agent itself is retried', async () => {
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
		// Version 3 repeats the turn of the model that failed; version 2 begins anew, with new calls.
		expect(reached()).toHaveLength(version < 3 ? 4 : 2);
	});

	test('the model can replace what a tool takes from `$json` in version 3, never what it takes by name', async () => {
		const [first, second] = contacts;
		for (const [value, expected] of [
			["={{ $('Start').item.json.item }}", first],
			// This is n8n's doing, as docs/agents.md says.
			['={{ $json.item }}', version < 3 ? first : second],
		] as const) {
			bed.sandbox.store.sentMessages.length = 0;
			await runAgent(bed, {
				version,
				tools: [tool('Send', { ...send, contactId: chosen('id', value) })],
				script: [use('Send', { Text: 'x', item: second.id }), done],
				items: [first.id],
			});
			expect(reached()).toEqual([expected.id]);
		}
	});
});

test("each call of the MCP Server Trigger's clients is one message, to whom it says", async () => {
	const [first, second] = contacts;
	bed.sandbox.fail({ kind: { drop: 'afterEffect' } });
	bed.sandbox.fail({ kind: { status: 422 } });
	const slow = { ...retries, waitBetweenTries: 100 };
	await whileServed(bed, [tool('Send', send, slow)], async (call) => {
		const lost = await call('Send', { Contact: first.id, Text: 'x' });
		expect(lost.text).toMatch('The request may have taken effect');
		// The first of these takes two tries, and the other one comes between them.
		const both = [first, second].map(
			async ({ id }) => await call('Send', { Contact: id, Text: 'x' }),
		);
		expect((await Promise.all(both)).map(({ isError }) => isError)).toEqual([false, false]);
	});
	expect(reached().sort()).toEqual([first.id, first.id, second.id].sort());
	expect(bed.sandbox.requests).toHaveLength(4);
});

test('with Retry On Fail, each item of a loop in a sub-workflow is one message', async () => {
	bed.sandbox.fail({ skip: 1, kind: { status: 402 } });
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	const sub = await bed.n8n.rest.createWorkflow({
		name: 'Sub-workflow',
		nodes: [
			{
				...node('Called', 'n8n-nodes-base.executeWorkflowTrigger', { inputSource: 'passthrough' }),
				typeVersion: 1.1,
			},
			{ ...node('Loop', 'n8n-nodes-base.splitInBatches'), typeVersion: 3 },
			crm('CRM', '', { ...send, contactId: chosen('id', '={{ $json.id }}'), options: {} }, retries),
		],
		connections: {
			Called: { main: [to('Loop')] },
			Loop: { main: [[], to('CRM')] },
			CRM: { main: [to('Loop')] },
		},
		settings: { executionOrder: 'v1' },
	});
	await bed.n8n.rest.publish(sub.id);
	const call = node('Call', 'n8n-nodes-base.executeWorkflow', {
		workflowId: { __rl: true, mode: 'id', value: sub.id },
		options: {},
	});
	const { id } = await bed.n8n.rest.createWorkflow({
		name: 'Calls a sub-workflow',
		nodes: [node('Start', 'n8n-nodes-base.manualTrigger'), { ...call, typeVersion: 1.2 }],
		connections: { Start: { main: [to('Call')] } },
		settings: { executionOrder: 'v1' },
		pinData: { Start: contacts.map((contact) => ({ json: { id: contact.id } })) },
	});
	expect((await bed.n8n.rest.runWorkflow(id, 'Start')).status).toBe('success');
	expect(reached()).toEqual(contacts.map((contact) => contact.id));
	expect(bed.sandbox.requests).toHaveLength(3);
});

/** The agent wants to delete the second contact; the first is asked, and writes this, or nothing. */
async function eraseWithApproval(
	words: string | undefined,
	more: INodeParameters = {},
	called: IDataObject = {},
) {
	const [boss, customer] = contacts;
	const approve = crm('Approve', 'HitlTool', {
		resource: 'message',
		operation: 'sendAndWait',
		contactId: chosen('id', boss.id),
		template: chosen('name', 'welcome'),
		...more,
		options: { messageVariable: '1', ...(more.options as object) },
	});
	const erase = tool('Delete', { resource: 'contact', operation: 'delete', contactId }, {});
	const toolParameters = { Contact: customer.id };
	return await runAgent(bed, {
		version: 3,
		tools: [erase, approve],
		connections: {
			Delete: { ai_tool: [[{ node: 'Approve', type: 'ai_tool', index: 0 }]] },
		} satisfies IConnections,
		script: [use('Delete', { toolParameters, hitlParameters: {}, ...called }), done],
		meanwhile: async (executionId) => {
			if (more.options) return;
			await untilStatus(bed, executionId, 'waiting');
			if (words !== undefined) bed.sandbox.emit.inboundMessage(boss.id, words);
		},
	});
}

describe('a person who is asked to approve', () => {
	const exists = () => bed.sandbox.store.contacts.has(contacts[1].id);

	test('is asked what the agent wants to do, and yes has it done', async () => {
		const { execution, told } = await eraseWithApproval('yes');
		expect(execution.status).toBe('success');
		expect(exists()).toBe(false);
		expect(told.join()).toMatch('deleted');
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

	test.each(['yes, but not this one', '{"approved": true}'])(
		'says no by anything else, and the agent reads it: %s',
		async (words) => {
			const { execution, told } = await eraseWithApproval(words);
			expect(execution.status).toBe('success');
			expect(exists()).toBe(true);
			expect(JSON.parse(told.join())[0].output).toMatch(words);
		},
	);

	test('cannot approve by a form, and is not asked', async () => {
		const { execution } = await eraseWithApproval(undefined, {
			options: { waitFor: 'form.submitted' },
		});
		expect(exists()).toBe(true);
		expect(bed.sandbox.requests).toEqual([]);
		expect(JSON.stringify(execution.data)).toMatch('A form cannot approve a tool call');
	});

	test('says no by silence, whatever the input says', async () => {
		const { execution, told } = await silence;
		expect(execution.status).toBe('success');
		expect(execution.data.resultData.runData).toHaveProperty('Approve');
		expect(execution.data.resultData.runData).not.toHaveProperty('Delete');
		expect(told.join()).toMatch(/rejected/);
	}, 300_000);
});

test.each([2.2, 3])(
	'an agent %s asks a person by an ordinary tool, if it can wait',
	async (version) => {
		const question: INodeParameters = {
			resource: 'message',
			operation: 'sendAndWait',
			contactId: chosen('id', contacts[0].id),
			template: chosen('name', 'welcome'),
			options: { variables: { values: [{ name: '1', value: fromModel('Question') }] } },
		};
		const { execution, told } = await runAgent(bed, {
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
			expect(told.join()).toMatch('Twelve');
			expect(messages).toMatch('How many?');
		}
	},
);

describe("n8n's own MCP server, by which models build workflows,", () => {
	let callServer: Awaited<ReturnType<typeof openMcpServer>>;
	beforeAll(async () => (callServer = await openMcpServer(bed)));

	test('finds the nodes, with a hint how to use them', async () => {
		const queries = ['whatsapp', 'newsletter'];
		const { results } = await callServer<{ results: string }>('search_nodes', { queries });
		expect(results.split(`- ${CRM}\n`)).toHaveLength(queries.length + 1);
		expect(results).toContain('use Message > Send Campaign, not a loop with Send Template');
	});

	test('gives the definitions of all three, short enough to be read, with the hint of the action node', async () => {
		for (const type of ['', 'Trigger', 'ChangesTrigger']) {
			const { definitions } = await callServer<{ definitions: string }>('get_node_types', {
				nodeIds: [{ nodeId: `${CRM}${type}` }],
			});
			if (type === '') expect(definitions).toContain('@builderHint');
			expect(definitions.length).toBeLessThan(40_000);
		}
	});

	test('gives the records of the workspace for each list', async () => {
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

	test('takes the examples for valid', async () => {
		const fromHost = createRequire(path.join((await ensureHost()).folder, 'package.json'));
		// n8n's own generator writes a workflow as the code that models write
		const { generateWorkflowCode } = fromHost('@n8n/workflow-sdk') as {
			generateWorkflowCode(input: { workflow: object }): string;
		};
		for (const { file, ...workflow } of readExamples()) {
			const { valid, warnings = [] } = await callServer<{
				valid: boolean;
				warnings?: Array<{ nodeName?: string }>;
			}>('validate_workflow', { code: generateWorkflowCode({ workflow }) });
			// each person adds a model of their own to the agent
			const others = warnings.filter(({ nodeName }) => nodeName !== 'AI Agent');
			expect([file, valid, others]).toEqual([file, true, []]);
		}
	});
});
