import { crmNode, manualWorkflow } from '../../../../tools/n8n/workflows';
import { addContact } from '../../../workflow/support';
import type { EditorTests } from '../../editorTests';

export const editorTests: EditorTests = (inEditor, bed) => {
	inEditor('a sync offers the columns of contacts, and saves the mapped values', async (editor) => {
		addContact(bed().sandbox, { attributes: { plan: 'pro', orders: [1] } });
		const sync = crmNode({ resource: 'contact', operation: 'sync' });
		await editor.openNew(manualWorkflow([sync]));
		const details = await editor.openNode('CRM');
		const columns = await details.columns();
		expect([columns[0], columns.at(-1)]).toEqual(['Phone', 'Attribute: plan']);
		await details.parameter('phone').locator('input').fill('+49 1512 0000001');
		await details.parameter('name').locator('input').fill('Erika Mustermann');
		await details.choose('opt_in', 'Yes');
		await details.execute();
		await details.firstOutput();
		expect(bed().sandbox.store.findByPhone('+4915120000001')).toMatchObject({
			name: 'Erika Mustermann',
			opt_in_status: 'confirmed',
		});
	});
};
