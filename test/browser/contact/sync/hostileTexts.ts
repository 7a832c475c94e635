import { crmNode, manualWorkflow, node } from '../../../../tools/n8n/workflows';
import { HOSTILE_TEXTS } from '../../../support/hostileTexts';
import type { HostileTextTests } from '../../hostileTexts';

const written = HOSTILE_TEXTS.map(([text]) => text);

export const hostileTextTests: HostileTextTests = ({ inPlace, open, refuse }) => {
	inPlace('in the columns of a sync', async (editor) => {
		const details = await open(editor, { resource: 'contact', operation: 'sync' });
		return (await details.columns()).join(' ');
	});

	inPlace('in the notice that explains why there are no columns', async (editor) => {
		refuse(/contacts/);
		const details = await open(editor, { resource: 'contact', operation: 'sync' });
		return await details.whole.getByTestId('empty-fields-notice').innerText();
	});

	inPlace('in a hint above the output', async (editor) => {
		const item = Object.fromEntries(written.map((name) => [`${name}!`, 'x']));
		const jsonOutput = JSON.stringify({ phone: '+4915123456710', ...item });
		const fields = { mode: 'raw', jsonOutput, options: { dotNotation: false } };
		const columns = { mappingMode: 'autoMapInputData', value: {}, schema: [] };
		await editor.openNew(
			manualWorkflow([
				node('Edit Fields', 'n8n-nodes-base.set', fields, 3.4),
				crmNode({ resource: 'contact', operation: 'sync', columns }),
			]),
		);
		const details = await editor.openNode('CRM');
		await details.execute();
		return await details.output.getByText('Columns ignored').innerText();
	});
};
