import { crmNode, manualWorkflow } from '../../../../tools/n8n/workflows';
import { addContacts, chosen, variablesOf } from '../../../workflow/support';
import type { EditorTests } from '../../editorTests';
import { ofOrder, ORDER } from '../../templateVariables';

export const editorTests: EditorTests = (inEditor, bed) => {
	describe('the variables of a template appear without input', () => {
		inEditor('on an empty canvas, and again when the node is opened', async (editor) => {
			const { nodeDetails: details, nodePanel } = editor;
			const add = async (action: string) => {
				await nodePanel.open();
				await nodePanel.search('crm');
				await nodePanel.openNode('Workspace CRM');
				await nodePanel.item(action).click();
				await details.whole.waitFor();
			};
			await editor.openNew(manualWorkflow([]));
			await add('Get contacts in segment');
			await details.close();
			await add('Send campaign to contacts of the input');
			await details.parameter('contactId').getByText('{{ $json.id }}').waitFor();
			await details.parameter('campaignKey').waitFor();
			expect(await details.labels()).not.toContain('Variables');
			await details.chooseRecord('template', 'on its way', ORDER);
			expect(await details.columns()).toEqual(ofOrder);
			await details.chooseRecord('template', 'welcome', 'Welcome, {{name}}!');
			await details.close();
			await editor.openNode('Send campaign to contacts of the input');
			await details.whole.getByText('name: Welcome, {{name}}!').waitFor();
			expect(await details.columns()).toEqual(['name: Welcome, {{name}}!']);
		});
	});

	inEditor(
		'a blank variable, or one typed as fixed text, is refused before anybody is marked',
		async (editor) => {
			const [{ id }] = addContacts(bed().sandbox, 1, { opt_in_status: 'confirmed' });
			const contactId = chosen('id', '={{ $json.id }}');
			const parameters = { resource: 'message', operation: 'sendCampaign', contactId };
			const campaign = crmNode({ ...parameters, campaignKey: 'may-offer' });
			await editor.openNew(manualWorkflow([campaign], [{ id }]));
			const details = await editor.openNode('CRM');
			await details.chooseRecord('template', 'welcome', 'Welcome, {{name}}!');
			expect(await details.columns()).toEqual(['name: Welcome, {{name}}!']);
			await details.execute();
			expect((await details.error()).title).toContain('Variables of the template are blank: "name');
			await details.close();

			// n8n makes an expression of it while it is typed, but not of what a model, an import or another switch left.
			const typed = {
				template: chosen('name', 'welcome'),
				templateVariables: variablesOf({ name: '{{ $json.name }}' }),
			};
			const fixed = { ...campaign, parameters: { ...campaign.parameters, ...typed } };
			await editor.openNew(manualWorkflow([fixed], [{ id, name: 'Anna' }]));
			await (await editor.openNode('CRM')).execute();
			expect((await details.error()).description).toContain("Switch this field to 'Expression'");
			expect(bed().sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		},
	);

	inEditor(
		'Send Campaign is in the list of operations, but not in that of an agent tool',
		async (editor) => {
			const parameters = { resource: 'message', operation: 'sendTemplate' };
			const type = 'n8n-nodes-workspace-crm.workspaceCrmTool';
			const tool = crmNode(parameters, { name: 'Tool', type });
			await editor.openNew(manualWorkflow([crmNode(parameters, { name: 'Node' }), tool]));
			const inNode = await editor.openNode('Node');
			expect(await inNode.choices('operation')).toContain('Send Campaign');
			await inNode.close();
			const inTool = await (await editor.openNode('Tool')).choices('operation');
			expect(inTool).toContain('Send Template');
			expect(inTool).not.toContain('Send Campaign');
		},
	);
};
