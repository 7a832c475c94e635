import { outputItems } from '../../../../../tools/n8n/n8nRestClient';
import type { Testbed } from '../../../../../tools/n8n/testbed';
import { contactOf, runByHand } from '../../../exampleRuns';

export function exampleTests(bed: () => Testbed): void {
	let testbed: Testbed;
	beforeAll(() => void (testbed = bed()));

	test('two-way-google-sheet.json: both ways, and a value that went over does not come back', async () => {
		const id = 'twoWaySheet';
		const sync = async () => await runByHand(testbed, id, 'Every hour');
		const first = await sync();
		expect(outputItems(first.data, 'Synced')).toMatchObject([{ sync: { action: 'created' } }]);
		expect(outputItems(first.data, 'Rows to correct')).toHaveLength(1);
		expect(outputItems(first.data, 'Rows without an ID')).toHaveLength(1);
		const contact = contactOf(testbed, '+491703450901');
		expect(contact).toMatchObject({ name: 'Greta Sommer', attributes: { city: 'Offenburg' } });

		// The trigger's event about this contact makes the row that is already in the sheet.
		const saved = await testbed.n8n.rest.getWorkflow(id);
		const pinData = saved.pinData ?? {};
		const { versionId } = saved;
		pinData['Contact changed'] = [{ json: { event: 'entered', contact: { ...contact } } }];
		await testbed.n8n.rest.request('PATCH', `/workflows/${id}`, { pinData, versionId });
		const back = await runByHand(testbed, id, 'Contact changed');
		const [row] = outputItems(back.data, 'As a row');
		const [{ json: inSheet }] = pinData['Read the sheet'];
		expect({ ...row, row_number: inSheet.row_number }).toEqual({
			...inSheet,
			'Contact ID': contact?.id,
		});
		// As "Save their IDs" leaves the sheet, and people write numbers.
		Object.assign(inSheet, { 'Contact ID': contact?.id, Phone: '+49 170 3450901' });
		const { versionId: then } = await testbed.n8n.rest.getWorkflow(id);
		await testbed.n8n.rest.request('PATCH', `/workflows/${id}`, { pinData, versionId: then });
		const again = await sync();
		expect(outputItems(again.data, 'Synced')).toMatchObject([{ sync: { action: 'unchanged' } }]);
		expect(outputItems(again.data, 'Rows without an ID')).toEqual([]);
	});
}
