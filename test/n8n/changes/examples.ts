import { outputItems } from '../../../tools/n8n/n8nRestClient';
import type { Testbed } from '../../../tools/n8n/testbed';
import { pollEvery } from '../../../tools/n8n/workflows';
import { untilPolled } from './changesRuns';
import { changeNode, endedExecutions } from '../exampleRuns';

export function exampleTests(bed: () => Testbed): void {
	let testbed: Testbed;
	beforeAll(() => void (testbed = bed()));

	test('entered-segment.json: sends the template to contacts who enter, not to those already there', async () => {
		const id = 'enteredSegment';
		const { store } = testbed.sandbox;
		const addVip = (phone: string, opt_in_status: 'confirmed' | 'opted_out', name?: string) =>
			store.addContact({ phone, opt_in_status, name: name ?? null, tags: ['vip'] });
		await changeNode(testbed, id, 'Entered the segment', ({ parameters }) => {
			parameters.pollTimes = pollEvery(1);
		});
		const before = store.sentMessages.length;
		const path = '/v1/segments/seg_vip/contacts';
		await testbed.n8n.rest.publish(id);
		try {
			await untilPolled(testbed, path);
			const named = addVip('+4915112340701', 'confirmed', 'Nora');
			await endedExecutions(testbed, id, 1);
			const nameless = addVip('+4915112340702', 'confirmed');
			await endedExecutions(testbed, id, 2);
			addVip('+4915112340703', 'opted_out');
			await endedExecutions(testbed, id, 3);
			await untilPolled(testbed, path);
			const ended = await endedExecutions(testbed, id, 3);
			expect(outputItems(ended[2].data, 'Not sent')).toMatchObject([
				{ error: expect.stringContaining('opted out') },
			]);
			expect(store.sentMessages.slice(before)).toMatchObject([
				{ contact_id: named.id, template: 'welcome', variables: { name: 'Nora' } },
				{ contact_id: nameless.id, template: 'welcome', variables: { name: 'there' } },
			]);
		} finally {
			await testbed.n8n.rest.unpublish(id);
		}
	}, 120_000);
}
