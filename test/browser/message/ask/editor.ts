import { untilItWaits } from '../../../../tools/n8n/waits';
import { crmNode, manualWorkflow } from '../../../../tools/n8n/workflows';
import { addContact, chosen } from '../../../workflow/support';
import type { EditorTests } from '../../editorTests';
import { variableTests } from '../../templateVariables';

export const editorTests: EditorTests = (inEditor, bed) => {
	describe('the variables of a template appear without input', () =>
		variableTests('sendAndWait', inEditor));

	inEditor('a workflow that waits for a reply says so, and continues with it', async (editor) => {
		const { id } = addContact(bed().sandbox);
		const ask = crmNode(
			{
				resource: 'message',
				operation: 'sendAndWait',
				contactId: chosen('id', id),
				template: chosen('name', 'question'),
				options: { variables: { values: [{ name: 'question', value: 'May we?' }] } },
			},
			{ name: 'Ask' },
		);
		await editor.openNew(manualWorkflow([ask]));
		await editor.startExecution();
		await untilItWaits(bed().rest);
		const details = await editor.openNode('Ask');
		await details.whole.getByText('Execution will continue when the contact replies').waitFor();
		bed().sandbox.emit.inboundMessage(id, 'yes');
		await editor.untilExecuted();
		await details.whole.getByText('approved').first().waitFor();
	});
};
