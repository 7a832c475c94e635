import type { Contact } from '../../../../tools/sandbox';
import { sandbox, STORED } from '../../storedNumberWorlds';
import { addContact, addContacts } from '../../support';
import { runCampaign } from './campaignNode';

describe('a service that stores numbers as they were given, and compares them as numbers', () => {
	beforeEach(() => (sandbox.store.rules.phones = 'byNumber'));

	test.each(STORED)('sends %s and %s one message of a campaign', async (phone, given) => {
		const both = [phone, given].map((each) =>
			addContact(sandbox, { phone: each, opt_in_status: 'confirmed' }),
		);
		const { campaigns } = await runCampaign(sandbox, both);
		expect(campaigns.map((each) => each?.code ?? each?.result)).toEqual(['sent', 'duplicate']);
	});
});

describe('of the contacts of one subscriber, in a campaign', () => {
	const forms = ['+5511987654321', '+551187654321'];
	const mark = { 'sent:spring:0123abcd': '2026-03-01T09:00:00.000Z execution 12' };
	const cases: Array<[what: string, phones: string[], other: Partial<Contact>, code: string]> = [
		['opted out', forms, { opt_in_status: 'opted_out' }, 'optedOut'],
		['is marked', forms, { attributes: mark }, 'alreadyMarked'],
		[
			'opted out',
			['+4915123456701', '+49 0151 23456701'],
			{ opt_in_status: 'opted_out' },
			'optedOut',
		],
		['is marked', ['0151 23456701', '+4915123456701'], { attributes: mark }, 'alreadyMarked'],
		...[
			'whatsapp:+4915123456701',
			'4915123456701@c.us',
			'+49 151 23456701 ext. 7',
			'x 0151 23456701',
		].map((unread): (typeof cases)[number] => [
			'opted out',
			['+4915123456701', unread],
			{ opt_in_status: 'opted_out' },
			'optedOut',
		]),
	];

	test.each(cases)('one who %s decides for all: %j', async (_what, phones, other, code) => {
		for (const order of [0, 1]) {
			sandbox.reset();
			const two = phones.map((phone) => addContact(sandbox, { phone, opt_in_status: 'confirmed' }));
			Object.assign(two[1], other);
			const input = order === 0 ? two : [...two].reverse();
			const { campaigns } = await runCampaign(sandbox, [...input, ...addContacts(sandbox, 2)]);
			expect(campaigns.slice(0, 2).map((each) => each?.code)).toContain(code);
			expect(sandbox.store.sentMessages).toEqual([]);
		}
	});

	test('one who is not in the input decides, too, if the run has seen it', async () => {
		const [contact, out] = forms.map((phone) =>
			addContact(sandbox, { phone, opt_in_status: 'confirmed' }),
		);
		out.opt_in_status = 'opted_out';
		const { campaigns } = await runCampaign(sandbox, [contact, ...addContacts(sandbox, 1)]);
		expect(campaigns[0]).toMatchObject({ result: 'skipped', code: 'optedOut' });
		expect(campaigns[0]?.reason).toContain(out.id);
	});
});
