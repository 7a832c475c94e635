import { outputItems } from '../../../../tools/n8n/n8nRestClient';
import type { Testbed } from '../../../../tools/n8n/testbed';
import { contactOf, runByHand } from '../../exampleRuns';

export function exampleTests(bed: () => Testbed): void {
	let testbed: Testbed;
	beforeAll(() => void (testbed = bed()));

	test('scheduled-sync.json: a second run sends nothing again, and reports the bad rows', async () => {
		const run = async () => (await runByHand(testbed, 'scheduledSync', 'Every night')).data;
		const first = await run();
		// Of 24 rows, three cannot be read, and two are the same contact.
		const actions = (data: typeof first) => outputItems(data, 'Synced').map(({ sync }) => sync);
		expect(actions(first)).toMatchObject(Array(21).fill({ action: 'created' }));
		const [{ report }] = outputItems(first, 'Report');
		for (const name of ['Number too short', 'No number', 'Not a number']) {
			expect(report).toContain(`- ${name}: `);
		}
		const second = await run();
		expect(actions(second)).toMatchObject(Array(21).fill({ action: 'unchanged' }));
		const [{ hints = [] }] = second.resultData.runData['Sync contacts'];
		expect(JSON.stringify(hints)).toContain('20 unchanged');
	});

	test('google-sheet-sync.json: saves the pinned rows by column name, and lists the rows to correct', async () => {
		const { store } = testbed.sandbox;
		const { data } = await runByHand(testbed, 'sheetToCrm');
		const rejected = outputItems(data, 'Rows to correct').map(({ Name, error }) => [Name, error]);
		expect(rejected).toEqual([
			['Dan Cole', expect.stringContaining('is too short')],
			['Finn Berg', expect.stringContaining("'Phone' is empty")],
		]);
		expect(outputItems(data, 'Synced')).toHaveLength(4);
		expect(contactOf(testbed, '+491703450201')).toMatchObject({
			name: 'Anna Schmidt',
			tags: ['newsletter'],
			attributes: { city: 'Berlin' },
		});
		const before = store.contacts.size;
		const again = await runByHand(testbed, 'sheetToCrm');
		const actions = outputItems(again.data, 'Synced').map(({ sync }) => sync);
		expect(actions).toMatchObject(Array(4).fill({ action: 'unchanged' }));
		expect(store.contacts.size).toBe(before);
	});
}
