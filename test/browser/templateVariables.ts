import { crmNode, manualWorkflow } from '../../tools/n8n/workflows';
import { chosen } from '../workflow/support';
import type { EditorTest } from './editorTests';

export const ORDER = 'Hi {{1}}, your order {{2}} is on its way.';
export const ofOrder = ['1: Hi {{1}}, your order {{2}}…', '2: …order {{2}} is on its…'];

/** That the variables of a template appear without input. */
export function variableTests(operation: string, inEditor: EditorTest): void {
	inEditor(`in ${operation} behind a node that has not run`, async (editor) => {
		const segment = crmNode({ resource: 'segment', operation: 'getContacts' }, { name: 'Segment' });
		const contactId = chosen('id', '={{ $json.id }}');
		const send = crmNode({ resource: 'message', operation, contactId });
		await editor.openNew(manualWorkflow([segment, send]));
		const details = await editor.openNode('CRM');
		await details.chooseRecord('template', 'on its way', ORDER);
		expect(await details.columns()).toEqual(ofOrder);
	});
}
