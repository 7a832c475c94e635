import { outputItems } from '../../../../tools/n8n/n8nRestClient';
import type { Testbed } from '../../../../tools/n8n/testbed';
import { delay } from '../../../../tools/support/platform';
import {
	changeNode,
	endedExecutions,
	EXPORTED,
	nodesWithOutput,
	runByHand,
	setFields,
	whilePublished,
} from '../../exampleRuns';

export function exampleTests(bed: () => Testbed): void {
	let testbed: Testbed;
	beforeAll(() => void (testbed = bed()));

	test('ask-many.json: asks everyone in the segment, and saves each answer as it arrives', async () => {
		const id = 'askMany';
		const { emit, store } = testbed.sandbox;
		const vips = [...store.contacts.values()].filter(({ tags }) => tags.includes('vip'));
		// With more contacts, the test would wait for the rate limit.
		for (const other of vips.slice(20)) other.tags = [];
		const [first, ...asked] = vips.slice(0, 20);
		for (const member of asked) member.opt_in_status = 'confirmed';
		first.opt_in_status = 'opted_out';
		const sentBefore = store.sentMessages.length;
		await whilePublished(testbed, id, async () => {
			await runByHand(testbed, id);
			expect(store.sentMessages.length - sentBefore).toBe(asked.length);
			const noted = [...store.contacts.values()].filter(({ tags }) =>
				tags.includes('asked: tasting'),
			);
			expect(noted.map((contact) => contact.id).sort()).toEqual(asked.map((one) => one.id).sort());
			const count = (await endedExecutions(testbed, id, 1, { isLenient: true })).length;
			emit.inboundMessage(asked[0].id, 'Gladly');
			await endedExecutions(testbed, id, count + 1);
			emit.inboundMessage(asked[0].id, 'And my sister?');
			emit.inboundMessage(first.id, 'I was not asked');
			await endedExecutions(testbed, id, count + 3);
			expect(asked[0].attributes.tasting).toBe('Gladly');
			expect(asked[0].tags).not.toContain('asked: tasting');
			expect(first.attributes.tasting).toBeUndefined();

			// Two replies in a row: the first counts. In the same moment: one of them does.
			emit.inboundMessage(asked[1].id, '10');
			await delay(100);
			emit.inboundMessage(asked[1].id, 'Thanks!');
			for (const text of ['9', '8']) emit.inboundMessage(asked[2].id, text);
			const answers = (await endedExecutions(testbed, id, count + 7, { isLenient: true })).slice(
				-4,
			);
			expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'success'));
			expect(asked[1].attributes.tasting).toBe('10');
			expect(['9', '8']).toContain(asked[2].attributes.tasting);
			expect([asked[1].tags, asked[2].tags].flat()).not.toContain('asked: tasting');
		});
	}, 200_000);

	test('send-campaign.json: previews, then sends to each contact once; another run only reports', async () => {
		const id = 'sendCampaign';
		const { store } = testbed.sandbox;
		const vips = [...store.contacts.values()].filter(({ tags }) => tags.includes('vip'));
		// With more contacts, the test would wait a minute for the rate limit.
		const members = vips.slice(0, 20);
		for (const other of vips.slice(20)) other.tags = [];
		for (const member of members) member.opt_in_status = 'confirmed';
		members[0].opt_in_status = 'pending';
		const before = store.sentMessages.length;
		const run = async () => {
			const { data } = await runByHand(testbed, id);
			return outputItems(data, 'How it went');
		};
		const count = (result: string, items: number) => ({ result, count_result: items });
		const left = members.length - 1;
		expect(await run()).toEqual([count('skipped', 1), count('wouldSend', left)]);
		expect(store.sentMessages).toHaveLength(before);

		await changeNode(testbed, id, 'Send to those that are left', ({ parameters }) => {
			parameters.options = {};
		});
		expect(await run()).toEqual([count('skipped', 1), count('sent', left)]);
		expect(await run()).toEqual([count('skipped', members.length)]);
		const receivers = store.sentMessages.slice(before).map(({ contact_id }) => contact_id);
		expect(receivers.sort()).toEqual(
			members
				.slice(1)
				.map((member) => member.id)
				.sort(),
		);
	});

	test('campaign-in-business-hours.json: sends in batches while open, each contact once', async () => {
		const id = 'campaignHours';
		const { store } = testbed.sandbox;
		// Messages to all exported contacts would wait for the rate limit.
		for (const contact of [...store.contacts.values()]) {
			if (contact.phone.startsWith(EXPORTED)) store.eraseContact(contact);
		}
		const hours = { from: 0, to: 24, days: '1,2,3,4,5,6,7' };
		const run = async () => nodesWithOutput(await runByHand(testbed, id, 'Every hour'));
		const isReader = ({ tags, opt_in_status }: { tags: string[]; opt_in_status: string }) =>
			tags.includes('newsletter') && opt_in_status === 'confirmed';
		const readers = [...store.contacts.values()].filter(isReader).length;
		const before = store.sentMessages.length;
		await changeNode(testbed, id, 'Send to those that are left', ({ parameters }) => {
			parameters.options = {};
		});
		await changeNode(testbed, id, '50 at a time', ({ parameters }) => {
			parameters.batchSize = Math.ceil(readers / 2);
		});
		await setFields(testbed, id, 'Business hours', { ...hours, to: 0 });
		expect(await run()).toContain('Next time');
		expect(store.sentMessages).toHaveLength(before);
		await setFields(testbed, id, 'Business hours', hours);
		for (let runs = 0; runs < 2; runs += 1) {
			expect(await run()).toContain('All sent');
			expect(store.sentMessages).toHaveLength(before + readers);
		}
	}, 300_000);
}
