import type { Contact } from '../../../../tools/sandbox';
import { marksOf, messagesTo } from '../../marks';
import { campaign, runCampaign } from './campaignNode';
import { addContact, chosen, useSandbox } from '../../support';

/** Which contact a row, an item or a campaign means has the same answer in every operation. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

const LONG = '+5511987654321';
const SHORT = '+551187654321';
// Libraries know only one of the forms.
beforeEach(() => sandbox.store.rules.newNumbers.set(SHORT, SHORT));

describe('a number with two forms', () => {
	const byPhone = (phone: string) => ({ contactId: chosen('phone', phone) });

	test('gets one message of a campaign, whatever forms the input has', async () => {
		const options = { parameters: campaign({}, byPhone('={{ $json.phone }}')) };
		const contact = addContact(sandbox, { phone: SHORT, opt_in_status: 'confirmed' });
		const input = [LONG, SHORT].map((phone) => ({ ...contact, phone }));
		const { results } = await runCampaign(sandbox, input, options);
		expect(results).toEqual(['sent', 'skipped']);
		expect(messagesTo(sandbox, contact)).toBe(1);
	});

	test('gets one message of a campaign, also if two contacts have it', async () => {
		const both = [LONG, SHORT].map((phone) =>
			addContact(sandbox, { phone, opt_in_status: 'confirmed' }),
		);
		const { campaigns } = await runCampaign(sandbox, both);
		expect(campaigns.map((each) => each?.code ?? each?.result)).toEqual(['sent', 'duplicate']);
		expect(sandbox.store.sentMessages).toHaveLength(1);
	});
});

describe.each([
	['one number', LONG, LONG],
	['two forms of it', LONG, SHORT],
	['a number that may be the same', '+4915123456701', '0151 23456701'],
])('of two contacts with %s, whoever may get the message gets it', (_name, first, second) => {
	test.each(['none', 'pending'] as const)('in both orders, if the other is %s', async (status) => {
		const other = addContact(sandbox, { phone: first, opt_in_status: status });
		const confirmed = addContact(sandbox, { phone: second, opt_in_status: 'confirmed' });
		for (const [index, input] of [
			[other, confirmed],
			[confirmed, other],
		].entries()) {
			for (const dryRun of [true, false]) {
				const parameters = campaign({ dryRun }, { campaignKey: `order-${index}` });
				const { results } = await runCampaign(sandbox, input, { parameters });
				const got = input.filter((_, item) => results[item] !== 'skipped');
				expect(got).toEqual([confirmed]);
			}
		}
		expect([messagesTo(sandbox, other), messagesTo(sandbox, confirmed)]).toEqual([0, 2]);
	});

	test('a dry run says so, and a run marks nobody else', async () => {
		const both = [first, second].map((phone) =>
			addContact(sandbox, { phone, opt_in_status: 'confirmed' }),
		);
		const codes = async (dryRun: boolean, campaignKey: string) => {
			const parameters = campaign({ dryRun }, { campaignKey });
			const { campaigns } = await runCampaign(sandbox, both, { parameters });
			return campaigns.map((each) => each?.code ?? each?.result);
		};
		expect(await codes(true, 'all')).toEqual(['wouldSend', 'duplicate']);
		expect(await codes(false, 'all')).toEqual(['sent', 'duplicate']);
		expect(marksOf(sandbox, both[1])).toEqual([]);
		both[1].opt_in_status = 'opted_out';
		for (const dryRun of [true, false]) {
			expect(await codes(dryRun, 'out')).toEqual(['optedOut', 'optedOut']);
		}
		expect(marksOf(sandbox, both[0])).toHaveLength(1);
	});

	test('one message, if both are confirmed, and none, if one has opted out', async () => {
		const both = [first, second].map((phone) =>
			addContact(sandbox, { phone, opt_in_status: 'confirmed' }),
		);
		await runCampaign(sandbox, both);
		expect(sandbox.store.sentMessages).toHaveLength(1);
		both[1].opt_in_status = 'opted_out';
		for (const [index, input] of [both, [...both].reverse()].entries())
			await runCampaign(sandbox, input, {
				parameters: campaign({}, { campaignKey: `out-${index}` }),
			});
		expect(sandbox.store.sentMessages).toHaveLength(1);
	});
});

describe('a campaign that revokes its mark', () => {
	const refusal = { match: { path: '/v1/messages/template' }, kind: { status: 422 } } as const;
	const answers: Array<[string, (contact: Contact) => object]> = [
		['still shows it', (contact) => contact],
		['does not show it', ({ id }) => ({ id })],
	];

	test.each(answers)('says so if the answer %s', async (_case, answer) => {
		const contact = addContact(sandbox, { opt_in_status: 'confirmed' });
		const rewrite = (payload: string) => {
			const shown = JSON.parse(payload.replace(/"refused /g, '"')) as Contact;
			return JSON.stringify(answer(shown));
		};
		sandbox.fail(refusal);
		sandbox.fail({ match: { method: 'PATCH' }, skip: 1, kind: { rewrite } });
		const { texts, hints } = await runCampaign(sandbox, [contact]);
		expect(texts[0]).toContain('the mark of its key could not be removed');
		expect(hints.join()).toContain(`Marked without a message: ${contact.id}`);
	});
});
