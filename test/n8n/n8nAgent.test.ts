import { fromModel } from '../workflow/runAgent';
import { addContacts } from '../workflow/support';
import { createN8nAgent, type AgentTool } from './n8nAgent';
import type { ModelScript } from './scriptedModel';
import { startTestbed, type Testbed } from './testbed';

/** n8n's own Agents, which run a node by itself, outside of any workflow and execution. */
let bed: Testbed;

beforeAll(async () => {
	bed = await startTestbed();
}, 900_000);
afterAll(async () => await bed?.close());

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const template = { __rl: true, mode: 'name', value: 'welcome' };

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
			contactId: byId(fromModel('Contact_ID')),
			template,
		},
	},
];

test('reads contacts, sends once it is approved, reads what to do about a failure', async () => {
	const { store } = bed.sandbox;
	const [contact, second] = addContacts(bed.sandbox, 2);
	contact.opt_in_status = 'confirmed';
	const told: string[] = [];
	const call = (tool: string, id?: string): ModelScript[number] => {
		return (output) => {
			told.push(output);
			return { tool, arguments: id ? { Contact_ID: id } : {} };
		};
	};
	const end: ModelScript[number] = (output) => {
		told.push(output);
		return { text: 'Done.' };
	};
	const agent = await createN8nAgent(bed, tools, [
		call('find_contacts'),
		call('send_welcome', contact.id),
		end,
		call('send_welcome', second.id),
		end,
		call('send_welcome', 'nobody'),
		end,
	]);
	try {
		const asked = await agent.say('Welcome the first contact');
		expect(told[1]).toContain(contact.id);
		expect(store.sentMessages).toEqual([]);
		await agent.answer(asked, true);
		expect(store.sentMessages).toMatchObject([{ contact_id: contact.id, template: 'welcome' }]);

		await agent.answer(await agent.say('Welcome the second one'), false);
		expect(told[4]).toContain('was not approved');
		await agent.answer(await agent.say('Welcome nobody'), true);
		expect(told[6]).toContain('"nobody" is not a contact ID');
		expect(told[6]).toContain("Use the field 'id' of a contact");
		expect(store.sentMessages).toHaveLength(1);
	} finally {
		await agent.close();
	}
}, 120_000);

test('n8n refuses it a tool that waits for a reply', async () => {
	const [contact] = addContacts(bed.sandbox, 1);
	const parameters = {
		resource: 'message',
		operation: 'sendAndWait',
		contactId: byId(contact.id),
		template,
	};
	const agent = createN8nAgent(bed, [{ name: 'ask_contact', parameters }], []);
	await expect(agent).rejects.toThrow('is not supported for agent tool execution');
});
