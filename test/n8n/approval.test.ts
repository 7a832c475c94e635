import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Contact } from '../sandbox';
import { addContacts, chosen } from '../workflow/support';
import { fromModel } from '../workflow/runAgent';
import { runAgent, type AgentRun } from './agentRun';
import type { ModelTurn } from './scriptedModel';
import { eventually, startTestbed, type Testbed } from './testbed';
import { untilStatus, waitSubscriptions } from './waits';

/** People approve what an agent does, or answer its questions, in a real n8n. */
let bed: Testbed;
let boss: Contact;
let customer: Contact;
/** It takes a minute, in which the other tests run. */
let silence: ReturnType<typeof runAgent>;

beforeAll(async () => {
	bed = await startTestbed();
	[boss, customer] = addContacts(bed.sandbox, 2);
	silence = nobodyAnswers();
	await eventually(
		() => bed.sandbox.store.sentMessages,
		(all) => all.length === 1,
	);
}, 900_000);
beforeEach(() => {
	bed.sandbox.reset();
	[boss, customer] = addContacts(bed.sandbox, 2);
});
afterAll(async () => await bed?.close());

const CRM = 'n8n-nodes-workspace-crm.workspaceCrm';

function crm(name: string, type: string, parameters: INodeParameters): INode {
	return {
		id: name.toLowerCase(),
		name,
		type: `${CRM}${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { workspaceCrmApi: { id: 'crm', name: 'CRM' } },
	};
}

const done = (): ModelTurn => ({ text: 'Done.' });

/** Deletes a contact, which an agent may do only when the boss says yes. */
const erase = () =>
	crm('Delete', 'Tool', {
		descriptionType: 'auto',
		resource: 'contact',
		operation: 'delete',
		contactId: chosen('id', fromModel('Contact')),
	});

const gate = (more: INodeParameters = {}) =>
	crm('Approve', 'HitlTool', {
		resource: 'message',
		operation: 'sendAndWait',
		contactId: chosen('id', boss.id),
		template: chosen('name', 'welcome'),
		messageVariable: '1',
		...more,
	});

const gated = (tool: INode, approver: INode): Pick<AgentRun, 'tools' | 'connections'> => ({
	tools: [tool, approver],
	connections: {
		[tool.name]: { ai_tool: [[{ node: approver.name, type: 'ai_tool', index: 0 }]] },
	},
});

/** The agent wants to delete the customer; the boss writes this, or nothing. */
async function eraseWithApproval(words: string | undefined, more: INodeParameters = {}) {
	return await runAgent(bed, {
		version: 3,
		...gated(erase(), gate(more)),
		script: [call(), done],
		meanwhile: async (executionId) => {
			await untilStatus(bed, executionId, 'waiting');
			if (words !== undefined) bed.sandbox.emit.inboundMessage(boss.id, words);
		},
	});
}

/** What the model says to have the customer deleted; n8n asks it for both. */
const call =
	(more: IDataObject = {}) =>
	() => {
		const toolParameters = { Contact: customer.id };
		return { tool: 'Delete', arguments: { toolParameters, hitlParameters: {}, ...more } };
	};

const exists = () => bed.sandbox.store.contacts.has(customer.id);

test('the boss is asked what the agent wants to do, and yes has it done', async () => {
	const { execution, told } = await eraseWithApproval('yes');
	expect(execution.status).toBe('success');
	expect(exists()).toBe(false);
	expect(told.join()).toMatch('deleted');
	const [message] = bed.sandbox.store.sentMessages;
	expect(message.contact_id).toBe(boss.id);
	const text = JSON.stringify(message);
	expect(text).toMatch('The agent wants to run this tool: Delete Input:');
	expect(text).toMatch(customer.id);
	await eventually(
		() => waitSubscriptions(bed.sandbox),
		(all) => all.length === 0,
	);
});

test.each(['no', 'yes, but not this one', 'approved: true', '{"approved": true}'])(
	'%s is a no, and the agent is told these words',
	async (words) => {
		const { execution, told } = await eraseWithApproval(words);
		expect(execution.status).toBe('success');
		expect(exists()).toBe(true);
		expect(JSON.parse(told.join())[0].output).toMatch(words);
	},
);

test('other words can be set', async () => {
	await eraseWithApproval('JA', { options: { approvalWords: 'ja, klar' } });
	expect(exists()).toBe(false);
});

test('a form cannot approve, and nothing is sent', async () => {
	const { execution } = await runAgent(bed, {
		version: 3,
		...gated(erase(), gate({ waitFor: 'form.submitted' })),
		script: [call(), done],
	});
	expect(exists()).toBe(true);
	expect(bed.sandbox.requests).toEqual([]);
	expect(JSON.stringify(execution.data)).toMatch('A form cannot approve a tool call');
});

test('an agent asks a person by an ordinary tool, and is told the answer', async () => {
	const tool = crm('Ask', 'Tool', {
		descriptionType: 'auto',
		resource: 'message',
		operation: 'sendAndWait',
		contactId: chosen('id', boss.id),
		template: chosen('name', 'welcome'),
		message: fromModel('Question'),
		messageVariable: '1',
	});
	const { execution, told } = await runAgent(bed, {
		version: 3,
		tools: [tool],
		script: [() => ({ tool: 'Ask', arguments: { Question: 'How many?\n\nPlease!' } }), done],
		meanwhile: async (executionId) => {
			await untilStatus(bed, executionId, 'waiting');
			bed.sandbox.emit.inboundMessage(boss.id, 'Twelve');
		},
	});
	expect(execution.status).toBe('success');
	expect(told.join()).toMatch('Twelve');
	expect(JSON.stringify(bed.sandbox.store.sentMessages)).toMatch('How many? Please!');
});

test('an agent whose tools cannot wait is told so, and nothing is sent', async () => {
	const tool = crm('Ask', 'Tool', {
		descriptionType: 'auto',
		resource: 'message',
		operation: 'sendAndWait',
		contactId: chosen('id', boss.id),
		template: chosen('name', 'welcome'),
	});
	const { execution } = await runAgent(bed, {
		version: 2.2,
		tools: [{ ...tool, onError: 'continueRegularOutput' }],
		script: [() => ({ tool: 'Ask', arguments: {} }), done],
	});
	expect(JSON.stringify(execution.data)).toMatch('This agent cannot wait for a reply');
	expect(bed.sandbox.store.sentMessages).toEqual([]);
});

/** Whatever the model says: the input of the tool is no approval either. */
async function nobodyAnswers() {
	return await runAgent(bed, {
		version: 3,
		...gated(erase(), gate({ resumeAmount: 1, resumeUnit: 'minutes' })),
		script: [call({ approved: true, data: { approved: true } }), done],
	});
}

test('silence is a no, whatever the input says', async () => {
	const { execution, told } = await silence;
	expect(execution.status).toBe('success');
	expect(execution.data.resultData.runData).toHaveProperty('Approve');
	expect(execution.data.resultData.runData).not.toHaveProperty('Delete');
	expect(told.join()).toMatch(/rejected/);
}, 300_000);
