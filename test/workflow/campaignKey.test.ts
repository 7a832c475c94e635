import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { marksOf, messagesTo, resultIn } from './marks';
import { processInTime } from './shutDoor';
import { addContacts, chosen, variablesOf, sentLines, useSandbox } from './support';

/** Message > Send Template with the option Campaign Key. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const confirmed = { opt_in_status: 'confirmed' as const };
const list = 'GET /v1/templates';
const send = { method: 'POST', path: '/v1/messages/template' };

const sendTemplate = (options: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	resource: 'message',
	operation: 'sendTemplate',
	contactId: chosen('id', '={{ $json.id }}'),
	template: chosen('name', 'welcome'),
	templateVariables: variablesOf({ name: 'Anna' }),
	options,
	...more,
});

async function run(
	items: IDataObject[],
	parameters = sendTemplate({ campaignKey: 'spring' }),
	settings: Partial<INode> = {},
) {
	const result = await runNode(sandbox, { parameters, items, settings, runtime: processInTime() });
	return { ...result, campaigns: result.json.map((each) => resultIn(each) ?? {}) };
}

const requests = () => sentLines(sandbox).map((line) => line.replace(/[0-9a-f-]{36}/, '*'));

test('reads the contact, marks it and sends; a later run only reads', async () => {
	const [{ id }] = addContacts(sandbox, 1, confirmed);
	const { json } = await run([{ id }]);
	expect(json[0]).toMatchObject({
		contact_id: id,
		template: 'welcome',
		status: 'queued',
		result: 'sent',
		message_key: 'spring',
	});
	const look = 'GET /v1/contacts/*';
	expect(requests()).toEqual([list, look, 'PATCH /v1/contacts/*', 'POST /v1/messages/template']);
	const { campaigns, error } = await run([{ id }]);
	expect(error).toBeUndefined();
	expect(campaigns).toEqual([
		{
			result: 'skipped',
			code: 'alreadyMarked',
			reason: expect.stringMatching(
				/^The contact already has a mark of this key \(".+"\): it got the message then, unless that run was interrupted while sending\.$/,
			),
			message_key: 'spring',
		},
	]);
	expect(requests().slice(4)).toEqual([list, look]);
});

test('with a contact by phone, the search replaces the read', async () => {
	const [contact] = addContacts(sandbox, 1, confirmed);
	const parameters = sendTemplate(
		{ campaignKey: 'spring' },
		{ contactId: chosen('phone', contact.phone) },
	);
	await run([{}], parameters);
	expect(requests().filter((line) => line === 'GET /v1/contacts/*')).toEqual([]);
	expect(messagesTo(sandbox, contact)).toBe(1);
});

test('sends one message to a contact that is in the input twice', async () => {
	const [contact] = addContacts(sandbox, 1, confirmed);
	const { campaigns } = await run([{ id: contact.id }, { id: contact.id }]);
	expect(campaigns.map(({ result }) => result)).toEqual(['sent', 'skipped']);
	expect(messagesTo(sandbox, contact)).toBe(1);
});

test('shares its marks with Send Campaign, and sends only to confirmed contacts', async () => {
	const contacts = addContacts(sandbox, 3);
	contacts[0].attributes = { 'sent:spring:0badcafe': 'now execution 9' };
	contacts[1].opt_in_status = 'opted_out';
	const { campaigns } = await run(contacts.map(({ id }) => ({ id })));
	expect(campaigns.map(({ code }) => code)).toEqual(['alreadyMarked', 'optedOut', 'notConfirmed']);
	expect(sandbox.store.sentMessages).toEqual([]);
	expect(contacts.slice(1).flatMap((each) => marksOf(sandbox, each))).toEqual([]);
});

test('skips a contact that opts out after its mark, and sends the others', async () => {
	const contacts = addContacts(sandbox, 3, confirmed);
	const [, second] = contacts;
	const meanwhile = () => void (second.opt_in_status = 'opted_out');
	sandbox.fail({ match: { method: 'PATCH', path: second.id }, kind: { meanwhile } });
	const { campaigns, error } = await run(contacts.map(({ id }) => ({ id })));
	expect(error).toBeUndefined();
	expect(campaigns.map(({ code }) => code)).toEqual([undefined, 'optedOut', undefined]);
	expect(sandbox.store.sentMessages).toHaveLength(2);
});

test('without the key, sends without a mark', async () => {
	const [contact] = addContacts(sandbox, 1);
	const { json } = await run([{ id: contact.id }], sendTemplate({}));
	expect(json[0]).toMatchObject({ result: 'sent', contact_id: contact.id });
	expect(json[0]).not.toHaveProperty('message_key');
	expect(requests()).toEqual([list, 'POST /v1/messages/template']);
	expect(marksOf(sandbox, contact)).toEqual([]);
});

test.each([
	['blank', '  ', "'Campaign Key' is empty"],
	['not a key', 'Spring Sale', '"Spring Sale" is not a campaign key'],
])('refuses a key that is %s, before any request', async (_name, campaignKey, message) => {
	const [{ id }] = addContacts(sandbox, 1, confirmed);
	const { error } = await run([{ id }], sendTemplate({ campaignKey }));
	expect(error?.message).toContain(message);
	expect(sandbox.requests).toEqual([]);
});

test.each([
	['black friday 2026', 'Use "black-friday-2026", or another '],
	['  Été: 20 % auf alles! ', 'Use "ete-20-auf-alles", or another '],
	['x'.repeat(50), `Use "${'x'.repeat(40)}", or another `],
	['!?', 'Use one '],
])('offers a key in place of %j', async (campaignKey, offer) => {
	const { error } = await run([{ id: 'a' }], sendTemplate({ campaignKey }));
	expect(error?.description).toMatch(
		`No message was sent. ${offer}of 1 to 40 characters: small letters without accents, digits, '-' and '_'.`,
	);
});

test('keeps the mark if the outcome is unknown, and the error says how to remove it', async () => {
	const [contact] = addContacts(sandbox, 1, confirmed);
	sandbox.fail({ match: send, kind: { drop: 'afterEffect' } });
	const { error } = await run([{ id: contact.id }]);
	expect(error?.message).toBe('It is not known whether this message was sent');
	expect(error?.description).toContain('The contact stays marked');
	expect((await run([{ id: contact.id }])).campaigns[0].code).toBe('alreadyMarked');
	expect(messagesTo(sandbox, contact)).toBe(1);
	// If there is no message in the chat, the user can follow the error's advice to send it.
	const [attribute] = Object.keys(contact.attributes);
	expect(error?.description).toContain(`unless you empty the attribute '${attribute}'`);
	contact.attributes[attribute] = '';
	expect((await run([{ id: contact.id }])).campaigns[0].result).toBe('sent');
});
