/** Who asks by message, and lets people approve, sees it in the editor; who answers presses a button. */
import type { INode } from 'n8n-workflow';

import { untilItWaits } from '../n8n/waits';
import { startScriptedModel, type ModelScript } from '../n8n/scriptedModel';
import type { Contact } from '../sandbox';
import type { Editor } from './editor';
import { startEditorBed, type EditorBed } from './editorBed';
import { editorTests } from './editorTests';
import { crmNode, manualWorkflow } from './workflows';

let bed: EditorBed;
let boss: Contact;
let customer: Contact;

beforeAll(async () => (bed = await startEditorBed()), 900_000);
beforeEach(() => {
	bed.sandbox.reset();
	boss = bed.sandbox.store.addContact({ phone: '+4915123456781', name: 'The boss' });
	customer = bed.sandbox.store.addContact({ phone: '+4915123456782', name: 'Anna Schmidt' });
});
afterAll(async () => await bed?.close());

const inEditor = editorTests(() => bed);
const record = (mode: string, value: string) => ({ __rl: true, mode, value });

const question = (more: INode['parameters'] = {}) => ({
	resource: 'message',
	operation: 'sendAndWait',
	contactId: record('id', boss.id),
	template: record('name', 'question'),
	messageVariable: 'question',
	...more,
});

inEditor('a workflow waits, says so, and goes on with what a person writes', async (editor) => {
	const ask = crmNode(question({ message: 'May we?' }), 'Ask');
	await editor.openNew(manualWorkflow('Ask', ask, crmNode({ resource: 'workspace' }, 'After')));
	await editor.page.getByTestId('execute-workflow-button').click();
	await untilItWaits(bed.rest);
	const details = await editor.openNode('Ask');
	await details.whole.getByText('Execution will continue when the contact replies').waitFor();
	bed.sandbox.emit.inboundMessage({ phone: boss.phone }, 'yes');
	await editor.page.getByText('Workflow executed successfully').waitFor();
	await details.whole.getByText('approved').first().waitFor();
});

const tool = (type: string, name: string, parameters: INode['parameters']): INode => ({
	...crmNode(parameters, name),
	type: `n8n-nodes-workspace-crm.workspaceCrm${type}`,
});

async function eraseInEditor(editor: Editor, words: string): Promise<void> {
	const toolParameters = { Contact: customer.id };
	const script: ModelScript = [
		() => ({ tool: 'Erase', arguments: { toolParameters, hitlParameters: {} } }),
		() => ({ text: 'Done.' }),
	];
	const model = await startScriptedModel(script);
	try {
		const credential = { apiKey: 'none', url: `${model.url}/v1` };
		const id = await bed.rest.createCredential('Model', 'openAiApi', credential);
		const agent: INode = {
			...crmNode({ promptType: 'define', text: 'Erase Anna', options: {} }, 'Agent'),
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion: 3,
			credentials: undefined,
		};
		const workflow = manualWorkflow('Approve', agent);
		const others: INode[] = [
			{
				...crmNode({ model: record('id', 'scripted'), options: {} }, 'Model'),
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.2,
				credentials: { openAiApi: { id, name: 'Model' } },
				position: [120, 260],
			},
			{ ...tool('HitlTool', 'Approve', question()), position: [320, 260] },
			{
				...tool('Tool', 'Erase', {
					resource: 'contact',
					operation: 'delete',
					contactId: record('id', "={{ $fromAI('Contact') }}"),
				}),
				position: [320, 460],
			},
		];
		workflow.nodes.push(...others);
		const to = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });
		Object.assign(workflow.connections, {
			Model: to('Agent', 'ai_languageModel'),
			Approve: to('Agent', 'ai_tool'),
			Erase: to('Approve', 'ai_tool'),
		});
		await editor.openNew(workflow);
		await editor.page.getByTestId('execute-workflow-button').click();
		await untilItWaits(bed.rest);
		bed.sandbox.emit.inboundMessage({ phone: boss.phone }, words);
		await editor.page.getByText('Workflow executed successfully').waitFor();
	} finally {
		await model.close();
	}
}

inEditor('a person approves what an agent wants to do', async (editor) => {
	await eraseInEditor(editor, 'yes');
	expect(bed.sandbox.store.contacts.has(customer.id)).toBe(false);
});

inEditor('a person refuses what an agent wants to do', async (editor) => {
	await eraseInEditor(editor, 'no');
	expect(bed.sandbox.store.contacts.has(customer.id)).toBe(true);
});

inEditor('the operation is found, and its fields say what they are for', async (editor) => {
	await editor.openNew(manualWorkflow('Choose', crmNode(question())));
	const details = await editor.openNode('CRM step');
	for (const label of ['Message Variable', 'Wait For', 'Limit Wait Time', 'Amount', 'Unit']) {
		await details.whole.getByText(label, { exact: true }).first().waitFor();
	}
});
