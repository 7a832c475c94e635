/** Whoever sends to many sees what Execute does, before and after; an agent is not offered it. */
import type { INode } from 'n8n-workflow';

import { startEditorBed, type EditorBed } from './editorBed';
import { editorTests } from './editorTests';
import { crmNode, manualWorkflow } from './workflows';

let bed: EditorBed;
beforeAll(async () => (bed = await startEditorBed()), 900_000);
beforeEach(() => bed.sandbox.reset());
afterAll(async () => await bed?.close());

const inEditor = editorTests(() => bed);
const record = (mode: string, value: string) => ({ __rl: true, mode, value });

const campaign = (options: INode['parameters']) => ({
	resource: 'message',
	operation: 'sendCampaign',
	contactId: record('id', '={{ $json.id }}'),
	campaignKey: 'spring-sale',
	template: record('name', 'question'),
	variables: { values: [{ name: 'question', value: 'Tea?' }] },
	options,
});

const contacts = crmNode({ resource: 'contact', operation: 'getAll', returnAll: true }, 'Contacts');

const fill = () => {
	for (const n of [0, 1, 2]) {
		bed.sandbox.store.addContact({
			phone: `+491512345678${n}`,
			name: `Contact ${n}`,
			opt_in_status: n === 2 ? 'opted_out' : 'confirmed',
		});
	}
};

inEditor(
	'a campaign says what it will do, previews, sends, and sends nothing twice',
	async (editor) => {
		fill();
		await editor.openNew(
			manualWorkflow('Sale', contacts, crmNode(campaign({ dryRun: true }), 'Campaign')),
		);
		const details = await editor.openNode('Campaign');
		await details.whole.getByText('who got the message, or may have got it, is skipped').waitFor();
		await details.execute();
		await details.whole
			.getByText(/3 items: 2 would get the message, 1 skipped \(1 opted out\)/)
			.waitFor();
		expect(bed.sandbox.store.sentMessages).toEqual([]);

		await editor.openNew(manualWorkflow('Sale', contacts, crmNode(campaign({}), 'Campaign')));
		const real = await editor.openNode('Campaign');
		await real.whole.getByText('Execute step sends real messages').waitFor();
		await real.execute();
		await real.whole.getByText(/3 items: 2 sent, 1 skipped/).waitFor();
		await real.execute();
		await real.whole.getByText(/0 sent, 3 skipped \(1 opted out, 2 already marked\)/).waitFor();
		expect(bed.sandbox.store.sentMessages).toHaveLength(2);
	},
);

inEditor(
	'the list of operations has Send Campaign, but not in a tool of an agent',
	async (editor) => {
		const parameters = { resource: 'message', operation: 'sendTemplate' };
		const tool = {
			...crmNode(parameters, 'Tool'),
			type: 'n8n-nodes-workspace-crm.workspaceCrmTool',
		};
		await editor.openNew(manualWorkflow('Lists', crmNode(parameters, 'Node')));
		const inNode = await (await editor.openNode('Node')).choices('operation');
		expect(inNode.slice(0, 2)).toEqual(['Send Campaign', 'Send Template']);
		await editor.openNew(manualWorkflow('Lists of a tool', tool));
		const inTool = await (await editor.openNode('Tool')).choices('operation');
		expect(inTool[0]).toBe('Send Template');
		expect(inTool).not.toContain('Send Campaign');
	},
);
