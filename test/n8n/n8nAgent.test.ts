import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ofFeatures } from '../support/features';
import { fromModel } from '../workflow/runAgent';
import { addContacts, chosen, variablesOf } from '../workflow/support';
import type { JsonServer } from '../../tools/n8n/jsonServer';
import { startScriptedModel, type ModelScript } from './scriptedModel';
import { startTestbed, type Testbed } from '../../tools/n8n/testbed';

/** n8n's own Agents, which run a node by itself, outside of any workflow and execution. */
let bed: Testbed;
const models: JsonServer[] = [];

beforeAll(async () => {
	bed = await startTestbed();
}, 900_000);
afterAll(async () => {
	for (const model of models) await model.close();
	await bed?.close();
});

const template = chosen('name', 'welcome');

const tools: AgentTool[] = [
	{
		name: 'find_contacts',
		parameters: { resource: 'contact', operation: 'getAll', returnAll: false, limit: 5 },
	},
	{
		name: 'send_welcome',
		requireApproval: true,
		parameters: {
			resource: 'message',
			operation: 'sendTemplate',
			contactId: chosen('id', fromModel('Contact_ID')),
			template,
			templateVariables: variablesOf({ name: 'Anna' }),
		},
	},
];

test("n8n's own agent finds contacts, sends after an approval, and reads how to fix a failure", async () => {
	const { store } = bed.sandbox;
	const [contact, second] = addContacts(bed.sandbox, 2);
	contact.opt_in_status = 'confirmed';
	const outputs: string[] = [];
	const call = (tool: string, id?: string): ModelScript[number] => {
		return (output) => {
			outputs.push(output);
			return { tool, arguments: id ? { Contact_ID: id } : {} };
		};
	};
	const end: ModelScript[number] = (output) => {
		outputs.push(output);
		return { text: 'Done.' };
	};
	const agent = await createN8nAgent(tools, [
		call('find_contacts'),
		call('send_welcome', contact.id),
		end,
		call('send_welcome', second.id),
		end,
		call('send_welcome', 'nobody'),
		end,
	]);
	const asked = await agent.say('Welcome the first contact');
	expect(outputs[1]).toContain(contact.id);
	expect(store.sentMessages).toEqual([]);
	await agent.answer(asked, true);
	expect(store.sentMessages).toMatchObject([{ contact_id: contact.id, template: 'welcome' }]);

	await agent.answer(await agent.say('Welcome the second one'), false);
	expect(outputs[4]).toContain('was not approved');
	await agent.answer(await agent.say('Welcome nobody'), true);
	expect(outputs[6]).toContain('"nobody" is not a contact ID');
	expect(outputs[6]).toContain("Use the field 'id' of a contact");
	expect(store.sentMessages).toHaveLength(1);
}, 120_000);

for (const { waitingTool } of ofFeatures<{ waitingTool: (id: string) => AgentTool }>(
	'n8nAgent',
	'test/n8n',
)) {
	test('n8n refuses an agent whose tool waits for a reply', async () => {
		const [contact] = addContacts(bed.sandbox, 1);
		const agent = createN8nAgent([waitingTool(contact.id)], []);
		await expect(agent).rejects.toThrow('is not supported for agent tool execution');
	});
}

/** A tool of the agent: the action node with these parameters. */
interface AgentTool {
	name: string;
	requireApproval?: boolean;
	parameters: INodeParameters;
}

/** What the chat shows. If a call needs an approval, the payload says how to answer. */
type ChatEvent = { type: string; payload?: { toolCallId: string; runId: string } };

/** One of n8n's own Agents (its module `agents`), with the action node as its tools and a scripted model. */
async function createN8nAgent(tools: AgentTool[], script: ModelScript) {
	const { n8n } = bed;
	// n8n also asks the model for a title of the conversation, without tools.
	const model = await startScriptedModel(script, ({ body }) => body.tools !== undefined);
	models.push(model);
	const credential = await n8n.rest.createCredential('Model', 'openRouterApi', {
		apiKey: 'none',
		url: `${model.url}/v1`,
	});
	const { id: projectId } = await n8n.rest.get<{ id: string }>('/projects/personal');
	const path = `/projects/${projectId}/agents/v2`;
	const { id } = await n8n.rest.post<{ id: string }>(path, { name: 'Agent' });
	const { config, configHash } = await n8n.rest.get<{ config: IDataObject; configHash: string }>(
		`${path}/${id}/config`,
	);
	await n8n.rest.request('PUT', `${path}/${id}/config`, {
		baseConfigHash: configHash,
		config: {
			...config,
			model: 'openrouter/scripted/model',
			credential,
			instructions: 'Do as you are told.',
			tools: tools.map(({ parameters, ...tool }) => ({
				type: 'node',
				...tool,
				node: {
					nodeType: 'n8n-nodes-workspace-crm.workspaceCrmTool',
					nodeTypeVersion: 1,
					nodeParameters: parameters,
					credentials: { workspaceCrmApi: { id: 'crm', name: 'CRM' } },
				},
			})),
		},
	});
	const stream = async (where: string, body: IDataObject) => {
		const response = await fetch(`${n8n.url}/rest${path}/${id}/${where}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', cookie: n8n.rest.cookie },
			body: JSON.stringify(body),
		});
		const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
		return lines.map((line) => JSON.parse(line.slice('data: '.length)) as ChatEvent);
	};
	return {
		/** Resolves when the agent stops or asks for approval. */
		say: async (message: string) => await stream('chat', { message }),
		async answer(events: ChatEvent[], approved: boolean) {
			const asked = events.find(({ type }) => type === 'tool-call-suspended')?.payload;
			if (!asked) throw new Error('The agent does not ask for approval');
			const { runId, toolCallId } = asked;
			return await stream('chat/resume', { runId, toolCallId, resumeData: { approved } });
		},
	};
}
