import { NodeHelpers, type IDataObject, type INode, type INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { operations } from '../support/operations';
import type { Call } from './agent';
import { asTool, crmNode, runWorkflow } from './engine';
import { addContact, sentLines, useSandbox } from './support';

/** What a language model is told of the node, and what becomes of its calls. */
const sandbox = useSandbox();
const twin = asTool(new WorkspaceCrm()).description;

/** The node as the editor adds it to an agent, named after what it does. */
function tool(parameters: INodeParameters, settings: Partial<INode> = {}): INode {
	const name = NodeHelpers.makeNodeName(parameters, twin);
	const type = 'n8n-nodes-workspace-crm.workspaceCrmTool';
	return crmNode({ descriptionType: 'auto', ...parameters }, { id: name, name, type, ...settings });
}

async function runAgent(tools: INode[], call?: Call): Promise<IDataObject[]> {
	const plain = (name: string, type: string) =>
		crmNode({}, { id: name, name, type, credentials: undefined });
	const toAgent = (type: 'main' | 'ai_tool') => ({
		[type]: [[{ node: 'Agent', type, index: 0 }]],
	});
	const { data } = await runWorkflow(
		{
			nodes: [plain('Start', 'test.passThrough'), plain('Agent', 'test.agent'), ...tools],
			connections: {
				Start: toAgent('main'),
				...Object.fromEntries(tools.map(({ name }) => [name, toAgent('ai_tool')])),
			},
			pinData: { Start: [{ json: { ...call } }] },
		},
		{ credential: { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' } },
	);
	if (data.resultData.error) throw data.resultData.error;
	return data.resultData.runData.Agent[0].data?.main[0]?.map(({ json }) => json) ?? [];
}

test('n8n makes a tool of the action node', () => {
	expect(new WorkspaceCrm().description.usableAsTool).toBe(true);
});

test.each(operations)('a model reads "$action in Workspace CRM"', async (each) => {
	const { resource, operation, action } = each;
	const [told] = await runAgent([tool({ resource, operation })]);
	expect(told.description).toBe(`${action} in Workspace CRM`);
	expect(told.name).toBe(`${action} in Workspace CRM`.replaceAll(' ', '_'));
	// What the services of models take as a name.
	expect(told.name).toMatch(/^[\w-]{1,64}$/);
	// Neither a value that only workflows know, nor one that is missing.
	expect(told.description).toMatch(/^[A-Z]/);
	expect(told.description).not.toMatch(/[a-z][A-Z]|_|undefined|\[object/);
});

test('no two operations look the same to a model', async () => {
	const tools = operations.map(({ resource, operation }) => tool({ resource, operation }));
	const told = await runAgent(tools);
	expect(told).toHaveLength(operations.length);
	expect(new Set(told.map(({ name }) => name)).size).toBe(operations.length);
	expect(new Set(told.map(({ description }) => description)).size).toBe(operations.length);
});

describe('a contact by a phone that the model gives', () => {
	const getByPhone = tool({
		resource: 'contact',
		operation: 'get',
		contactId: {
			__rl: true,
			mode: 'phone',
			value: "={{ $fromAI('Phone', 'With country code', 'string') }}",
		},
	});

	test('is asked for', async () => {
		const [{ values }] = await runAgent([getByPhone]);
		expect(values).toEqual({ Phone: 'With country code' });
	});

	test.each(['engine', 'function'] as const)('is given, called by the %s', async (by) => {
		const contact = addContact(sandbox);
		const call = { by, values: { Phone: '+49 1512 3456789' } };
		expect(await runAgent([getByPhone], call)).toEqual([{ ...contact }]);
		expect(sentLines(sandbox)).toEqual(['GET /v1/contacts', `GET /v1/contacts/${contact.id}`]);
	});

	test('that nobody has is told to the model, so that it can ask for another', async () => {
		const call: Call = { by: 'engine', values: { Phone: '+49 1512 3456789' } };
		expect(await runAgent([getByPhone], call)).toEqual([
			{ error: 'No contact has the phone number +4915123456789 [item 0]' },
		]);
	});
});

describe('a message that an agent sends', () => {
	const parameters: INodeParameters = {
		resource: 'message',
		operation: 'sendTemplate',
		contactId: { __rl: true, mode: 'id', value: "={{ $fromAI('Contact', '', 'string') }}" },
		template: { __rl: true, mode: 'name', value: 'welcome' },
	};

	test('is sent as often as the agent calls for it', async () => {
		const { id } = addContact(sandbox);
		const call: Call = { by: 'function', values: { Contact: id }, times: 2 };
		await runAgent([tool(parameters)], call);
		expect(sandbox.store.sentMessages).toHaveLength(2);
	});

	test('by a call that the engine runs is sent once, also with Retry On Fail', async () => {
		const { id } = addContact(sandbox);
		sandbox.fail({ kind: { drop: 'afterEffect' } });
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 };
		const call: Call = { by: 'engine', values: { Contact: id } };
		const [{ error }] = await runAgent([tool(parameters, settings)], call);
		expect(error).toMatch(/^The connection to the service broke/);
		expect(sandbox.store.sentMessages).toHaveLength(1);
		expect(sandbox.requests).toHaveLength(1);
	});
});

const fromModel = (name: string, type = 'string') => `={{ $fromAI('${name}', '', '${type}') }}`;

describe('filters that the model fills in', () => {
	const find = tool({
		resource: 'contact',
		operation: 'getAll',
		filters: {
			search: fromModel('Search'),
			tag: { __rl: true, mode: 'name', value: fromModel('Tag') },
			optInStatus: fromModel('Status'),
		},
	});
	beforeEach(() => {
		addContact(sandbox, { name: 'Anna', tags: ['vip'] });
		addContact(sandbox, { name: 'Ben', phone: '+4915123456780' });
	});

	test.each([
		['all', { Search: '', Tag: '', Status: '' }, 2],
		['some', { Search: '', Tag: 'vip', Status: '' }, 1],
		['some, which it does not even mention', { Tag: 'vip' }, 1],
		['some as null', { Search: 'Ben', Tag: null, Status: null }, 1],
		['none', { Search: 'Anna', Tag: 'vip', Status: 'none' }, 1],
	])('%s left empty are not set', async (_case, values, count) => {
		expect(await runAgent([find], { by: 'engine', values })).toHaveLength(count);
	});

	test('called as a function, too', async () => {
		const call: Call = { by: 'function', values: { Search: 'Ben', Tag: '', Status: '' } };
		expect(await runAgent([find], call)).toMatchObject([{ name: 'Ben' }]);
		expect(sandbox.requests.map(({ query }) => query)).toEqual([
			{ search: 'Ben', limit: '50', offset: '0' },
		]);
	});

	test.each([
		['by itself', '={{ $json.customer }}'],
		['beside what the model gives', "={{ $json.customer }} {{ $fromAI('Search') }}"],
	])('that the workflow sets %s cannot be left out', async (_case, search) => {
		const own = tool({ resource: 'contact', operation: 'getAll', filters: { search } });
		const [{ error }] = await runAgent([own], { by: 'engine', values: { Search: 'a' } });
		expect(error).toMatch(/^'Search' is set by an expression/);
		expect(sandbox.requests).toEqual([]);
	});
});

describe('what the model must not leave empty', () => {
	const contact = { __rl: true, mode: 'id', value: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b' };
	const byModel = (mode: string) => ({ __rl: true, mode, value: fromModel('Value') });

	test.each<[label: string, parameters: INodeParameters]>([
		['Limit', { resource: 'contact', operation: 'getAll', limit: fromModel('Value', 'number') }],
		[
			'Return All',
			{ resource: 'contact', operation: 'getAll', returnAll: fromModel('Value', 'boolean') },
		],
		['Contact', { resource: 'contact', operation: 'delete', contactId: byModel('id') }],
		['Contact', { resource: 'contact', operation: 'get', contactId: byModel('phone') }],
		[
			'Template',
			{
				resource: 'message',
				operation: 'sendTemplate',
				contactId: contact,
				template: byModel('name'),
			},
		],
		[
			'New or Other Tags',
			{ resource: 'tag', operation: 'remove', contactId: contact, tags: fromModel('Value') },
		],
	])('%s', async (label, parameters) => {
		for (const Value of [undefined, null, '', 'null']) {
			const call: Call = { by: 'engine', values: { Value, phone: '+4915123456789' } };
			const text = JSON.stringify(await runAgent([tool(parameters)], call));
			expect(text).toMatch(`'${label}' is set by an expression that gives nothing`);
			expect(sandbox.requests).toEqual([]);
		}
	});

	test('Dry Run', async () => {
		const sync = tool({
			resource: 'contact',
			operation: 'sync',
			columns: { mappingMode: 'autoMapInputData', value: null, schema: [] },
			options: { dryRun: fromModel('Value', 'boolean') },
		});
		for (const Value of [undefined, null, '', 'null']) {
			const call: Call = { by: 'engine', values: { Value, phone: '+4915123456789' } };
			expect(await runAgent([sync], call)).toEqual([{ error: '1 of 1 items failed' }]);
			expect(sandbox.requests).toEqual([]);
		}
	});
});
