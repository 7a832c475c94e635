import * as fc from 'fast-check';
import type { IDataObject, INode } from 'n8n-workflow';

import { outputItems } from '../../../../tools/n8n/n8nRestClient';
import { crmNode, manualWorkflow, node } from '../../../../tools/n8n/workflows';
import { exportedContact } from '../../../workflow/contact/sync/exportedContact';
import { addContact, writes } from '../../../workflow/support';
import { automatic } from '../../../workflow/contact/sync/syncNode';
import { useTestbed } from '../../useTestbed';

/** The fast tests write files as n8n does; these let n8n's own nodes write and read them. */
const bed = useTestbed();

const contacts = fc.sample(exportedContact, { numRuns: 60, seed: 1 });
const phoneOf = (index: number) => `+4915123456${700 + index}`;

const file = (operation: 'csv' | 'xlsx'): INode[] => [
	node('Write', 'n8n-nodes-base.convertToFile', { operation }, 1.1),
	// Extract from File does not load in this n8n: a package that it needs is not installed with it.
	node('Read', 'n8n-nodes-base.spreadsheetFile', { fileFormat: operation }, 2),
];
const FORMS: Record<string, INode[]> = {
	items: [],
	'a CSV file': file('csv'),
	'an XLSX file': file('xlsx'),
};
const LISTS = {
	'Get Many': { resource: 'contact', operation: 'getAll', returnAll: true },
	'Get Contacts of a segment': {
		resource: 'segment',
		operation: 'getContacts',
		segmentId: { __rl: true, mode: 'id', value: 'seg_all' },
		returnAll: true,
	},
};

describe.each(Object.entries(LISTS))('what %s gives', (_list, list) => {
	test.each(
		Object.keys(FORMS).flatMap((form) =>
			['ignore', 'attributes'].map((otherColumns) => [form, otherColumns] as const),
		),
	)('changes nothing as %s, with other columns: %s', async (form, otherColumns) => {
		const { n8n, sandbox } = bed;
		sandbox.reset();
		sandbox.store.segments.push({ id: 'seg_all', name: 'All', rule: {} });
		for (const [index, each] of contacts.entries()) {
			addContact(sandbox, { ...each, phone: phoneOf(index) } as never);
		}
		const options: IDataObject = { otherColumns, tagMode: 'match', dryRun: true };
		const workflow = manualWorkflow([
			crmNode(list, { name: 'Export' }),
			...FORMS[form],
			crmNode(automatic(options), { name: 'Sync' }),
		]);
		const { id } = await n8n.rest.createWorkflow(workflow);
		const { data } = await n8n.rest.runWorkflow(id, 'Start');
		const plans = outputItems(data, 'Sync').map(({ phone, sync, error }) => {
			const { action, changes } = sync as IDataObject;
			return [phone, action, changes, error].filter((part) => part !== undefined);
		});
		expect(plans.sort()).toEqual(contacts.map((_, index) => [phoneOf(index), 'unchanged']));
		expect(writes(sandbox)).toEqual([]);
	});
});
