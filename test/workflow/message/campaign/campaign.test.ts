import type { IDataObject } from 'n8n-workflow';

import { WorkspaceCrm } from '../../../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import type { Contact } from '../../../../tools/sandbox';
import { marksOf, messagesTo, validMarksOf } from '../../marks';
import { processInTime } from '../../shutDoor';
import { campaign, runCampaign } from './campaignNode';
import { detailsOf, runNode } from '../../../../tools/engine/runNode';
import { addContact, addContacts, chosen, sentLines, useSandbox } from '../../support';

const sandbox = useSandbox({ limiter: { kind: 'off' } });
const confirmed = { opt_in_status: 'confirmed' as const };
const send = { method: 'POST', path: '/v1/messages/template' };
const mark = { method: 'PATCH', path: '/v1/contacts/' };

const counts = (contacts: readonly Contact[]) => contacts.map((each) => messagesTo(sandbox, each));
const requests = () => sentLines(sandbox).map((line) => line.replace(/[0-9a-f-]{36}/, '*'));
const some = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

test.each([
	['no input', [{}], "'Contact of Each Item' is empty: its expression has no value for this item"],
	[
		'rows of a sheet',
		[{ phone: '+4915123456789' }, { phone: '+4915123456790' }],
		"'Contact of Each Item' is empty: its expression has no value for this item",
	],
])('without contacts, but %s, says which node gives them', async (_, items, message) => {
	const { error } = await runNode(sandbox, { parameters: campaign(), items });
	expect(error?.message).toBe(message);
	expect(error?.description).toBe(
		"Put Segment › Get Contacts or Contact › Get Many in front of this node, and run that first. For a sheet, choose 'Phone' in the drop-down in front of the field, and the column with the numbers. Else, correct this expression.",
	);
	expect(sentLines(sandbox)).toEqual([]);
});

test('the editor says under the field which node gives the contacts', () => {
	const field = new WorkspaceCrm().description.properties.find(
		({ displayName }) => displayName === 'Contact of Each Item',
	);
	const hints = field?.modes?.map(({ name, hint }) => [name, hint]);
	expect(hints).toContainEqual([
		'id',
		'Put Segment > Get Contacts or Contact > Get Many in front of this node, and run that first.',
	]);
});

describe('a campaign', () => {
	test('marks each confirmed contact, then sends it one message', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const { json, hints } = await runCampaign(sandbox, contacts, { executionId: '77' });
		expect(counts(contacts)).toEqual([1, 1, 1]);
		const [{ id, phone }] = contacts;
		expect(json[0]).toMatchObject({
			contact_id: id,
			contact_phone: phone,
			contact_name: 'Contact 0',
			template: 'welcome',
			status: 'queued',
			result: 'sent',
			message_key: 'spring',
		});
		for (const contact of contacts) {
			expect(Object.keys(contact.attributes)).toEqual([
				expect.stringMatching(/^sent:spring:[0-9a-f]{8}$/),
			]);
			expect(marksOf(sandbox, contact)).toEqual([
				expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z execution 77$/),
			]);
		}
		expect(hints).toEqual(['3 items: 3 sent. 8 requests.']);
	});

	test.each([
		// One for the templates, and one for the contacts.
		[1, 0, 2],
		[100, 150, 4],
		// Three look-ups are cheaper than four more pages.
		[3, 497, 1 + 1 + 3],
	])(
		'to %i contacts, with %i others, takes %i requests and two per contact',
		async (own, others, looks) => {
			for (let n = 0; n < others; n += 1) {
				addContact(sandbox, {
					phone: `+4915120${100_000 + n}`,
					created_at: '2024-01-01T00:00:00Z',
				});
			}
			const contacts = addContacts(sandbox, own, confirmed);
			const { results } = await runCampaign(sandbox, contacts);
			expect(results).toEqual(some(own, 'sent'));
			expect(sandbox.requests).toHaveLength(looks + 2 * own);
		},
	);

	test('that runs again only reads, and sends nothing', async () => {
		const contacts = addContacts(sandbox, 150, confirmed);
		await runCampaign(sandbox, contacts);
		const before = sandbox.requests.length;
		const { campaigns, hints } = await runCampaign(sandbox, contacts);
		expect(campaigns[0]).toEqual({
			result: 'skipped',
			code: 'alreadyMarked',
			reason: expect.stringMatching(
				/^The contact already has a mark of this key \("20.*execution \d+"\)/,
			),
			message_key: 'spring',
		});
		expect(sandbox.requests).toHaveLength(before + 3);
		expect(counts(contacts)).toEqual(some(150, 1));
		expect(hints).toEqual(['150 items: 150 skipped (already has a mark of this key). 3 requests.']);
	});

	test('with another key sends again', async () => {
		const contacts = addContacts(sandbox, 2, confirmed);
		await runCampaign(sandbox, contacts);
		const parameters = campaign({}, { campaignKey: 'spring-2' });
		const { results } = await runCampaign(sandbox, contacts, { parameters });
		expect(results).toEqual(['sent', 'sent']);
		expect(counts(contacts)).toEqual([2, 2]);
	});

	test('skips contacts that may not get the message, and says why', async () => {
		const states = ['confirmed', 'opted_out', 'none', 'pending'] as const;
		const contacts = states.map((opt_in_status, n) =>
			addContact(sandbox, { opt_in_status, phone: `+49151234567${n}0` }),
		);
		const gone = { ...contacts[0], id: '00000000-0000-4000-8000-000000000000' };
		const { campaigns } = await runCampaign(sandbox, [...contacts, contacts[0], gone]);
		expect(campaigns.map((each) => each?.code ?? each?.result)).toEqual([
			'sent',
			'optedOut',
			'notConfirmed',
			'notConfirmed',
			'duplicate',
			'noContact',
		]);
		expect(campaigns[3]?.reason).toBe(
			"The opt-in status of the contact is 'pending'. Campaigns reach only confirmed contacts.",
		);
		expect(campaigns[4]?.reason).toBe(
			'Item 1 is the same contact, or has the same phone number. See its result there.',
		);
		expect(contacts.flatMap((each) => marksOf(sandbox, each))).toHaveLength(1);
		expect(counts(contacts)).toEqual([1, 0, 0, 0]);
	});

	test('finds contacts by phone in the same pages, and recognises them by ID', async () => {
		const [first, second] = addContacts(sandbox, 2, confirmed);
		const parameters = campaign(
			{ defaultCountry: 'US' },
			{ contactId: '={{ { mode: $json.mode, value: $json.value, __rl: true } }}' as never },
		);
		const items: IDataObject[] = [
			{ mode: 'phone', value: first.phone.replace('+1', '') },
			{ mode: 'id', value: first.id.toUpperCase() },
			{ mode: 'phone', value: second.phone },
			{ mode: 'phone', value: '+4915100000000' },
		];
		const { json, failed } = await runCampaign(sandbox, [], { parameters, items });
		expect(failed).toEqual([]);
		expect(json.map((each) => each.code)).toEqual([undefined, 'duplicate', undefined, 'noContact']);
		expect(counts([first, second])).toEqual([1, 1]);
	});

	test('sends one message to two contacts with the same number', async () => {
		const contacts = addContacts(sandbox, 2, confirmed);
		contacts[1].phone = contacts[0].phone.slice(1);
		const { campaigns } = await runCampaign(sandbox, contacts);
		expect(campaigns.map((each) => each?.code)).toEqual([undefined, 'duplicate']);
		expect(counts(contacts)).toEqual([1, 0]);
	});

	test("sends to the contact's current number", async () => {
		const [contact] = addContacts(sandbox, 1, confirmed);
		const meanwhile = () => void (contact.phone = '+4915199999999');
		sandbox.fail({ match: { path: '/v1/contacts' }, kind: { meanwhile } });
		const credential = { otherFieldNames: true, contactAs: 'phone' };
		await runCampaign(sandbox, [contact], { credential });
		const bodies = sandbox.requests
			.filter(({ method }) => method === 'POST')
			.map(({ body }) => body);
		expect(bodies).toMatchObject([{ contact_id: '+4915199999999' }]);
	});

	test.each([150, 450])(
		'finds the second contact with a number anywhere in a list of %i, and sends to neither',
		async (others) => {
			const oldest = { ...confirmed, created_at: '2020-01-01T00:00:00Z' };
			const first = addContact(sandbox, oldest);
			addContacts(sandbox, others);
			const left = { opt_in_status: 'opted_out', created_at: '2026-01-01T00:00:00Z' } as const;
			addContact(sandbox, { ...left, phone: first.phone.slice(1) });
			const other = addContact(sandbox, { ...oldest, phone: '+4915199999999' });
			const parameters = campaign({}, { contactId: chosen('phone', '={{ $json.phone }}') });
			const items = [first, other].map(({ phone }) => ({ phone }));
			const { failed } = await runCampaign(sandbox, [], { parameters, items });
			expect(counts([first, other])).toEqual([0, 1]);
			expect(failed[0].error).toMatch(/contacts have the phone number \+?4915123456789/);
		},
	);

	test('a mark counts with any value, but not if empty or revoked', async () => {
		const values = ['by hand', true, '', '  ', null, 'refused 2026', 'refused'];
		const contacts = addContacts(sandbox, values.length, confirmed);
		values.forEach((value, n) => (contacts[n].attributes = { 'sent:spring:x': value }));
		const other = addContact(sandbox, { ...confirmed, attributes: { 'sent:spring-2:x': 'y' } });
		const { campaigns } = await runCampaign(sandbox, [...contacts, other]);
		const codes = campaigns.map((each) => each?.code ?? each?.result);
		expect(codes).toEqual([...some(2, 'alreadyMarked'), ...some(6, 'sent')]);
	});
});

describe('a dry run', () => {
	test('predicts the run, and does nothing', async () => {
		const contacts = addContacts(sandbox, 130, confirmed);
		contacts[0].opt_in_status = 'opted_out';
		const parameters = campaign({ dryRun: true });
		const { results, hints, error } = await runCampaign(sandbox, contacts, { parameters });
		expect(error).toBeUndefined();
		expect(results).toEqual(['skipped', ...some(129, 'wouldSend')]);
		expect(requests()).toEqual(['GET /v1/templates', ...some(2, 'GET /v1/contacts')]);
		expect(hints).toEqual([
			'Dry run, nothing was sent or marked. 130 items: 129 would get the message, 1 skipped (opted out). A run takes 261 requests: about 3 minutes, at 120 requests a minute.',
		]);
	});

	test('shows what would fail, and does not fail itself', async () => {
		const [contact] = addContacts(sandbox, 1, confirmed);
		const { campaigns, error } = await runCampaign(sandbox, [contact, { ...contact, id: 'x' }], {
			parameters: campaign({ dryRun: true }),
			onError: undefined,
		});
		expect(error).toBeUndefined();
		expect(campaigns.map((each) => each?.result)).toEqual(['wouldSend', 'failed']);
		expect(campaigns[1]?.reason).toMatch(/^"x" is not a contact ID\. /);
	});
});

describe('bad input is refused before any request', () => {
	test.each([
		['a key with capitals', { campaignKey: 'Spring' }, '"Spring" is not a campaign key'],
		[
			'a key that differs',
			{ campaignKey: '={{ "k" + $itemIndex }}' },
			`'Campaign Key' is "k1" here, and "k0" in an earlier item`,
		],
	])('%s', async (_name, more, message) => {
		const contacts = addContacts(sandbox, 2, confirmed);
		const parameters = campaign({}, more);
		const { error } = await runCampaign(sandbox, contacts, { parameters, onError: undefined });
		const texts = [error?.message, error?.description].join(' ');
		expect(texts).toContain(message);
		expect(sandbox.requests).toEqual([]);
	});

	test('a key that differs sends nothing to the others either', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const parameters = campaign({}, { campaignKey: '={{ $itemIndex > 1 ? "b" : "a" }}' });
		const { failed } = await runCampaign(sandbox, contacts, { parameters });
		expect(failed).toHaveLength(3);
		for (const { error } of failed) {
			expect(error).toMatch(/^'Campaign Key' is "b" here, and "a" in an earlier item \[item 3, /);
		}
		expect(sandbox.requests).toEqual([]);
	});

	test('one contact for several items', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const parameters = campaign({}, { contactId: chosen('id', contacts[0].id) });
		const { failed } = await runCampaign(sandbox, contacts, { parameters });
		expect(failed).toHaveLength(3);
		expect(failed[0].error).toContain("'Contact of Each Item' is the same for all items");
		expect(sandbox.requests).toEqual([]);
		const { results } = await runCampaign(sandbox, [contacts[0]], { parameters });
		expect(results).toEqual(['sent']);
	});

	test('an invalid item, unless the node continues on errors', async () => {
		const [contact] = addContacts(sandbox, 1, confirmed);
		const input = [contact, { ...contact, id: 'x' }];
		const { error } = await runCampaign(sandbox, input, { onError: undefined });
		expect(error?.message).toMatch(/^"x" is not a contact ID \[item 2, /);
		expect(error?.description).toMatch(
			/^2 items: 1 failed, 1 not sent\. To send.+<br>Item 2, \+\d+: "x" is not a contact ID\. A contact ID looks like .+<br>To get each failed item /,
		);
		expect(sandbox.requests).toEqual([]);
		const { results } = await runCampaign(sandbox, input);
		expect(results).toEqual(['sent', 'failed']);
	});

	test('an item without a key: the output does not claim one', async () => {
		const contacts = addContacts(sandbox, 2, confirmed);
		const parameters = campaign({}, { campaignKey: '={{ $itemIndex > 0 ? "" : "spring" }}' });
		const { campaigns } = await runCampaign(sandbox, contacts, { parameters });
		expect(campaigns[0]).toEqual({ result: 'sent', message_key: 'spring' });
		const reason = expect.stringContaining("'Campaign Key' is empty") as string;
		expect(campaigns[1]).toEqual({ result: 'failed', code: null, reason, message_key: null });
	});

	test.each(['merge', 'replace'])('a body for another contact (%s)', async (bodyMode) => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const body = `={{ { contact_id: "${contacts[0].id}", template: "welcome", variables: { ref: $json.id } } }}`;
		const parameters = campaign({ body, bodyMode });
		const { failed, results } = await runCampaign(sandbox, contacts, { parameters });
		expect(results).toEqual(['sent', 'failed', 'failed']);
		expect(failed[0].error).toContain("'Body' does not send the message to the contact chosen");
		expect(counts(contacts)).toEqual([1, 0, 0]);
		expect(contacts.slice(1).flatMap((each) => marksOf(sandbox, each))).toEqual([]);
	});
});

describe('a service that fails', () => {
	const drop = { drop: 'afterEffect' } as const;

	test.each([
		['the connection breaks after it was sent', { match: send, kind: drop }, 1],
		['a gateway answers', { match: send, kind: { status: 502, body: '<html>' } }, 0],
	])('does not send again if the outcome is unknown, as %s', async (_name, fault, messages) => {
		const [contact] = addContacts(sandbox, 1, confirmed);
		sandbox.fail(fault);
		const { campaigns, failed } = await runCampaign(sandbox, [contact]);
		expect(campaigns[0]).toMatchObject({
			result: 'unclear',
			reason: expect.stringMatching(/^It is not known whether this message was sent\. /),
		});
		expect(detailsOf(failed[0]).description).toContain('The contact stays marked');
		const { campaigns: again } = await runCampaign(sandbox, [contact]);
		expect(again[0]?.code).toBe('alreadyMarked');
		expect(messagesTo(sandbox, contact)).toBe(messages);
	});

	test.each([
		['422', { status: 422 }],
		[
			'the refusal of the messaging platform',
			{ status: 502, detail: 'Number is not on the platform' },
		],
	])('revokes the mark after a clear refusal (%s), and a later run sends', async (_name, kind) => {
		const [contact] = addContacts(sandbox, 1, confirmed);
		sandbox.fail({ match: send, kind });
		const { results } = await runCampaign(sandbox, [contact]);
		expect(results).toEqual(['failed']);
		expect(marksOf(sandbox, contact)).toEqual([expect.stringMatching(/^refused 20/)]);
		const { results: again } = await runCampaign(sandbox, [contact]);
		expect(again).toEqual(['sent']);
		expect(messagesTo(sandbox, contact)).toBe(1);
	});

	test.each([
		['has opted out meanwhile', true, { result: 'skipped', code: 'optedOut' }],
		[
			'has not, by what the service shows',
			false,
			{
				result: 'failed',
				code: null,
				reason: expect.stringContaining('Template paused'),
			},
		],
	])('after a conflict: the contact %s', async (_name, optsOut, expected) => {
		const [contact] = addContacts(sandbox, 1, confirmed);
		const meanwhile = () => void (optsOut && (contact.opt_in_status = 'opted_out'));
		sandbox.fail({ match: mark, kind: { meanwhile } });
		if (!optsOut) sandbox.fail({ match: send, kind: { status: 409, detail: 'Template paused' } });
		const { campaigns, failed } = await runCampaign(sandbox, [contact]);
		expect(campaigns[0]).toMatchObject(expected);
		if (!optsOut) expect(detailsOf(failed[0]).description).toContain('Template paused');
		expect(validMarksOf(sandbox, contact)).toEqual([]);
	});

	const rewritten = (change: (contact: IDataObject) => IDataObject) => ({
		rewrite: (text: string) => JSON.stringify(change(JSON.parse(text) as IDataObject)),
	});
	test.each([
		['keeps no marks', rewritten((contact) => ({ ...contact, attributes: {} }))],
		['does not show attributes', rewritten(({ id, opt_in_status }) => ({ id, opt_in_status }))],
	])('ends the campaign before anything is sent if the service %s', async (_name, kind) => {
		const contacts = addContacts(sandbox, 10, confirmed);
		sandbox.fail({ match: mark, times: 100, kind });
		const { campaigns, failed } = await runCampaign(sandbox, contacts);
		expect(campaigns[0]?.reason).toMatch(
			/^The service does not return the mark of the key, so no message was sent/,
		);
		expect(campaigns.slice(1)).toMatchObject(some(9, { result: 'skipped', code: 'campaignEnded' }));
		expect(failed[1].error).toContain('Not sent, because the campaign ended at item 1');
		const change = 'PATCH /v1/contacts/*';
		expect(requests()).toEqual(['GET /v1/templates', 'GET /v1/contacts', change, change]);
	});

	test('sends nothing after a web page as the answer, and names the mark that may be left', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		sandbox.fail({ match: mark, times: 100, kind: { html: true } });
		const { campaigns, codes } = await runCampaign(sandbox, contacts);
		expect(campaigns[0]?.reason).toMatch(
			/^No message was sent, but the mark.*'sent:spring:[0-9a-f]{8}'.*Check the base URL/,
		);
		expect(codes).toEqual(['failed', 'campaignEnded', 'campaignEnded']);
		expect(sandbox.store.sentMessages).toEqual([]);
	});

	test('sends nothing if the answer to the mark does not show the consent', async () => {
		const [contact] = addContacts(sandbox, 1, confirmed);
		const kind = rewritten((shown) => ({ ...shown, opt_in_status: undefined }));
		sandbox.fail({ match: mark, kind });
		const { campaigns } = await runCampaign(sandbox, [contact]);
		expect(campaigns[0]).toMatchObject({
			code: 'notConfirmed',
			reason: expect.stringContaining('is not shown'),
		});
		expect(validMarksOf(sandbox, contact)).toEqual([]);
	});

	test('skips a contact that was erased during the run', async () => {
		const contacts = addContacts(sandbox, 2, confirmed);
		const meanwhile = () => void sandbox.store.eraseContact(contacts[1]);
		sandbox.fail({ match: { path: '/v1/contacts' }, kind: { meanwhile } });
		const { campaigns } = await runCampaign(sandbox, contacts);
		expect(campaigns.map((each) => each?.code)).toEqual([undefined, 'noContact']);
	});

	test('reads the list again if it shifts', async () => {
		const contacts = addContacts(sandbox, 150, confirmed);
		const page = (envelope: { data: unknown[] }) => ({ ...envelope, data: envelope.data.slice(3) });
		sandbox.fail({ match: { path: '/v1/contacts' }, skip: 1, kind: { page: page as never } });
		const { results } = await runCampaign(sandbox, contacts);
		expect(results).toEqual(some(150, 'sent'));
		expect(requests()).not.toContain('GET /v1/contacts/*');
	});
});

describe('what ends a campaign', () => {
	test('402: the rest stays unmarked, and gets its message in a new month', async () => {
		const contacts = addContacts(sandbox, 40, confirmed);
		sandbox.store.rules.monthlySendLimit = 17;
		const { codes, hints } = await runCampaign(sandbox, contacts);
		const count = (code: string) => codes.filter((each) => each === code).length;
		expect(count('sent')).toBe(17);
		expect(count('failed')).toBeLessThanOrEqual(5);
		expect(count('campaignEnded')).toBe(40 - 17 - count('failed'));
		expect(contacts.flatMap((each) => validMarksOf(sandbox, each))).toHaveLength(17);
		expect(hints.join(' ')).toContain('run it again with the same campaign key');
		sandbox.store.rules.monthlySendLimit = null;
		const again = await runCampaign(sandbox, contacts);
		expect(again.results.filter((each) => each === 'sent')).toHaveLength(23);
		expect(counts(contacts)).toEqual(some(40, 1));
	});

	test('a revoked key', async () => {
		const contacts = addContacts(sandbox, 30, confirmed);
		sandbox.fail({ match: mark, skip: 10, times: 99, kind: { status: 401 } });
		const { codes, campaigns } = await runCampaign(sandbox, contacts);
		expect(codes.slice(0, 10)).toEqual(some(10, 'sent'));
		expect(codes.slice(15)).toEqual(some(15, 'campaignEnded'));
		expect(campaigns[29]?.reason).toMatch(
			/^Not sent, because the campaign ended at item 11 \(The contact could not be marked, so no message was sent\)\. The API key .* Then run it again with the same campaign key\.$/,
		);
	});

	test('failures in a row', async () => {
		const contacts = addContacts(sandbox, 40, confirmed);
		sandbox.fail({ match: send, skip: 3, times: 99, kind: { status: 422 } });
		const parameters = campaign({ stopAfterFailures: 6 });
		const { results, failed } = await runCampaign(sandbox, contacts, { parameters });
		const count = (result: string) => results.filter((each) => each === result).length;
		expect(count('sent')).toBe(3);
		expect(count('failed')).toBeGreaterThanOrEqual(6);
		expect(count('failed')).toBeLessThanOrEqual(10);
		expect(failed.at(-1)?.error).toContain('(6 failures in a row, the last: ');
		expect(contacts.flatMap((each) => validMarksOf(sandbox, each))).toHaveLength(3);
	});

	test('as many messages as the user allows, and the next runs go on', async () => {
		const contacts = addContacts(sandbox, 23, confirmed);
		contacts[1].opt_in_status = 'pending';
		sandbox.store.rules.platformRejects.set(contacts[3].id, 'No');
		const parameters = campaign({ stopAfterMessages: 10 });
		const messages: number[] = [];
		for (let runs = 0; runs < 4; runs += 1) {
			const before = sandbox.store.sentMessages.length;
			const { campaigns, hints } = await runCampaign(sandbox, contacts, { parameters });
			messages.push(sandbox.store.sentMessages.length - before);
			const stopped = campaigns.filter((each) => each?.code === 'limitReached');
			expect(stopped.every((each) => each?.result === 'skipped')).toBe(true);
			expect(hints.join(' ').includes("(the limit in 'Stop After Messages')")).toBe(
				stopped.length > 0,
			);
		}
		expect(messages).toEqual([10, 10, 1, 0]);
		expect(counts(contacts)).toEqual([1, 0, 1, 0, ...some(19, 1)]);
	});

	test('in a dry run as in a run', async () => {
		const contacts = addContacts(sandbox, 9, confirmed);
		const parameters = campaign({ stopAfterMessages: 4, dryRun: true });
		const { codes, campaigns } = await runCampaign(sandbox, contacts, { parameters });
		expect(codes).toEqual([...some(4, 'wouldSend'), ...some(5, 'limitReached')]);
		// Nothing was sent, so no text may say that something was.
		expect(campaigns.at(-1)?.reason).toMatch(/^This run sends no more messages than /);
	});

	test('counting what an earlier try of the run has sent', async () => {
		const contacts = addContacts(sandbox, 12, confirmed);
		sandbox.fail({ match: send, skip: 3, times: 1, kind: { status: 422 } });
		const parameters = campaign({ stopAfterMessages: 5 });
		await runNode(sandbox, {
			parameters,
			items: contacts.map(({ id }) => ({ id })),
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 },
		});
		expect(sandbox.store.sentMessages).toHaveLength(5);
	});

	test('but not failures with messages sent in between', async () => {
		const contacts = addContacts(sandbox, 40, confirmed);
		contacts.forEach(({ id }, n) => n % 2 && sandbox.store.rules.platformRejects.set(id, 'No'));
		const parameters = campaign({ stopAfterFailures: 7 });
		const { results } = await runCampaign(sandbox, contacts, { parameters });
		expect(results.filter((each) => each === 'sent')).toHaveLength(20);
	});
});

test('a person whose other contact opts out while the campaign runs gets no message', async () => {
	const contacts = ['+12125550123', '0012125550123'].map((phone) =>
		addContact(sandbox, { ...confirmed, phone }),
	);
	const meanwhile = () => void (contacts[1].opt_in_status = 'opted_out');
	sandbox.fail({ match: mark, kind: { meanwhile } });
	const { campaigns } = await runCampaign(sandbox, contacts);
	expect(campaigns.map((each) => each?.code)).toEqual(['optedOut', 'duplicate']);
	expect(counts(contacts)).toEqual([0, 0]);
	expect(validMarksOf(sandbox, contacts[0])).toEqual([]);
});

describe('two runs at once', () => {
	test.each([
		['in one process', true],
		['in two', false],
	])('%s send each message once', async (_name, isOne) => {
		const contacts = addContacts(sandbox, 60, confirmed);
		const runtime = processInTime();
		const second = isOne ? runtime : processInTime();
		await Promise.all([
			runCampaign(sandbox, contacts, { runtime, executionId: '1' }),
			runCampaign(sandbox, contacts, { runtime: second, executionId: '2' }),
		]);
		expect(counts(contacts)).toEqual(some(60, 1));
	});

	test('send the two contacts of a person one message at most, in any order', async () => {
		for (let pair = 0; pair < 5; pair += 1) {
			const number = `1212555012${pair}`;
			const contacts = [`+${number}`, `00${number}`].map((phone) =>
				addContact(sandbox, { ...confirmed, phone }),
			);
			const inputs = [contacts, [...contacts].reverse()];
			await Promise.all(inputs.map(async (input) => await runCampaign(sandbox, input)));
			const [one, two] = counts(contacts);
			expect(one + two).toBeLessThanOrEqual(1);
			// Whoever is left out gets it from the next run.
			await runCampaign(sandbox, contacts);
			const [first, second] = counts(contacts);
			expect(first + second).toBe(1);
		}
	});

	test('the second one revokes its mark', async () => {
		const [contact] = addContacts(sandbox, 1, confirmed);
		const meanwhile = () => void (contact.attributes['sent:spring:0badcafe'] = 'now execution 9');
		sandbox.fail({ match: { path: '/v1/contacts' }, kind: { meanwhile } });
		const { campaigns, hints } = await runCampaign(sandbox, [contact]);
		expect(campaigns[0]).toMatchObject({ result: 'skipped', code: 'leftToOtherRun' });
		expect(campaigns[0]?.reason).toContain('Another run marked the contact at the same time');
		expect(hints.join(' ')).toMatch(
			/^1 item: 1 not sent\. .*run it again with the same campaign key/,
		);
		expect(validMarksOf(sandbox, contact)).toEqual(['now execution 9']);
		expect(marksOf(sandbox, contact)[1]).toMatch(/^refused 20.* execution \d+$/);
	});
});

test('a dry run shows the template and the variables of each message', async () => {
	const contacts = addContacts(sandbox, 2, confirmed);
	const variables = { values: [{ name: '1', value: '={{ "No. " + $json.phone.slice(-1) }}' }] };
	const { json } = await runCampaign(sandbox, contacts, {
		parameters: campaign({ dryRun: true, variables }),
	});
	expect(json).toMatchObject(
		contacts.map(({ id, phone }) => ({
			contact_id: id,
			template: 'welcome',
			variables: { 1: `No. ${phone.slice(-1)}` },
			result: 'wouldSend',
		})),
	);
	expect(requests().every((line) => line.startsWith('GET '))).toBe(true);
});

test.each([{}, { dryRun: true }])('an invalid key fails the node once: %j', async (options) => {
	const contacts = addContacts(sandbox, 3, confirmed);
	const parameters = campaign(options, { campaignKey: 'Frühling 2026' });
	const { error, json, hints } = await runCampaign(sandbox, contacts, {
		parameters,
		onError: 'stopWorkflow',
	});
	expect(error?.message).toMatch('is not a campaign key');
	expect([json, hints, sentLines(sandbox)]).toEqual([[], [], []]);
});

test('a campaign whose items all fail says why, and for whom', async () => {
	const contacts = addContacts(sandbox, 14, confirmed);
	for (const { id } of contacts.slice(0, 12)) {
		sandbox.store.rules.platformRejects.set(id, 'number not on the platform');
	}
	const items: IDataObject[] = contacts.slice(0, 12).map(({ id }) => ({ id }));
	items.push({ id: '+49 151 23456789', name: 'Ben' }, { id: 'x', name: 'Eva <b>' });
	const { hints } = await runCampaign(sandbox, [], { items });
	const lines = hints.join('<br>').split('<br>');
	const refused = lines.find((line) => line.includes(' and 2 more: ')) ?? '';
	expect(refused).toMatch(
		/^Item 1, Contact 0; item 2, Contact 1; .*item 10, Contact 9 and 2 more: The messaging platform rejected the message\./,
	);
	expect(refused).toContain('number not on the platform');
	const unread = lines.find((line) => line.startsWith('Item 13, Ben')) ?? '';
	expect(unread).toMatch(
		/^Item 13, Ben: "\+49 151 23456789" is not a contact ID\. To find the contact by its phone number instead, choose 'Phone' /,
	);
	expect(lines.join()).toMatch(
		/Item 14, Eva ‹?b.?: "x" is not a contact ID\. A contact ID looks like/,
	);
});

test('a campaign from a sheet whose ID is the phone says to choose Phone first', async () => {
	const [contact] = addContacts(sandbox, 1, confirmed);
	const parameters = campaign({}, { contactId: chosen('id', '={{ $json.phone }}') });
	const { error } = await runCampaign(sandbox, [contact], { parameters, onError: undefined });
	expect(error?.message).toContain('is not a contact ID');
	expect(error?.description).toMatch(
		/^To find the contact by its phone number instead, choose 'Phone' /,
	);
});

test('the summary of a campaign names whose chats to look at', async () => {
	const contacts = addContacts(sandbox, 3, confirmed);
	sandbox.fail({ match: send, skip: 1, times: 2, kind: { drop: 'afterEffect' } });
	const { hints, results } = await runCampaign(sandbox, contacts);
	expect(results.filter((result) => result === 'unclear')).toHaveLength(2);
	expect(hints.join()).toMatch(
		/<br>Item \d, \+\d+; item \d, \+\d+: It is not known whether this message was sent\./,
	);
});
