import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { fs } from '../../tools/support/platform';
import type { Contact, OptInStatus } from '../../tools/sandbox';
import { marksOf, messagesTo, resultIn, validMarksOf } from './marks';
import { sendParameters } from './parameters';
import { processInTime } from './shutDoor';
import { addContacts, chosen, useSandbox, variablesOf } from './support';

/** Message > Send Template with the option Send Once Key: for what a contact expects, such as about an order. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const contactId = chosen('id', '={{ $json.id }}');
const send = (options: INodeParameters) => sendParameters(contactId, { options });
const confirmOrder = send({ sendOnceKey: '=order-{{ $json.order }}' });
const withOrders = (contacts: readonly Contact[]) =>
	contacts.map(({ id }, order) => ({ id, order: 1042 + order }));

async function run(items: IDataObject[], parameters = confirmOrder, runtime = processInTime()) {
	const result = await runNode(sandbox, { parameters, items, runtime });
	return { ...result, results: result.json.map(resultIn) };
}

test('sends an order confirmation once, also to contacts who have not confirmed', async () => {
	const states: OptInStatus[] = ['none', 'pending', 'confirmed', 'opted_out'];
	const contacts = addContacts(sandbox, 4);
	contacts.forEach((contact, n) => (contact.opt_in_status = states[n]));
	const { results, error } = await run(withOrders(contacts));
	expect(error).toBeUndefined();
	expect(results).toEqual([
		...[1042, 1043, 1044].map((order) => ({ result: 'sent', message_key: `order-${order}` })),
		{
			result: 'skipped',
			code: 'optedOut',
			reason: 'The contact has opted out.',
			message_key: 'order-1045',
		},
	]);
	const { results: again } = await run(withOrders(contacts));
	const marked = { result: 'skipped', code: 'alreadyMarked' };
	expect(again).toMatchObject([marked, marked, marked, { code: 'optedOut' }]);
	expect(contacts.map((each) => messagesTo(sandbox, each))).toEqual([1, 1, 1, 0]);
	expect(marksOf(sandbox, contacts[3])).toEqual([]);
});

test('another key is another message; the same in Campaign Key is the same', async () => {
	const [contact] = addContacts(sandbox, 1, { opt_in_status: 'confirmed' });
	const items = [{ id: contact.id, order: 7 }];
	await run(items);
	const shipped = await run(items, send({ sendOnceKey: 'order-7-shipped' }));
	const asCampaign = await run(items, send({ campaignKey: 'order-7' }));
	expect([shipped, asCampaign].map(({ results }) => results[0]?.code)).toEqual([
		undefined,
		'alreadyMarked',
	]);
	expect(messagesTo(sandbox, contact)).toBe(2);
});

test('two runs at once send at most one, and the next run what is left', async () => {
	const contacts = addContacts(sandbox, 20);
	const runs = [processInTime(), processInTime()];
	await Promise.all(
		runs.map(async (runtime) => await run(withOrders(contacts), confirmOrder, runtime)),
	);
	for (const contact of contacts) expect(messagesTo(sandbox, contact)).toBeLessThanOrEqual(1);
	await run(withOrders(contacts));
	for (const contact of contacts) expect(messagesTo(sandbox, contact)).toBe(1);
});

test.each([
	['opts out', { opt_in_status: 'opted_out' }, 'optedOut'],
	['is marked', { attributes: { 'sent:order-1042:0badcafe': 'x' } }, 'leftToOtherRun'],
] as const)('skips a contact who %s while it is marked', async (_what, change, code) => {
	const [contact] = addContacts(sandbox, 1);
	const meanwhile = () => void Object.assign(contact, structuredClone(change));
	sandbox.fail({ match: { method: 'GET', path: contact.id }, kind: { meanwhile } });
	const { results } = await run(withOrders([contact]));
	expect(results).toMatchObject([{ result: 'skipped', code }]);
	expect(messagesTo(sandbox, contact)).toBe(0);
});

test.each([
	['not shown', undefined],
	['unknown', 'unsubscribed'],
])('sends nothing to a contact whose opt-in status is %s', async (_name, opt_in_status) => {
	const [contact] = addContacts(sandbox, 1);
	const rewrite = (text: string) =>
		JSON.stringify({ ...(JSON.parse(text) as IDataObject), opt_in_status });
	sandbox.fail({ match: { method: 'GET', path: contact.id }, kind: { rewrite } });
	const { results } = await run(withOrders([contact]));
	expect(results).toMatchObject([{ result: 'skipped', code: 'notConfirmed' }]);
	expect(results[0]?.reason).toContain('It may have opted out.');
	expect(validMarksOf(sandbox, contact)).toEqual([]);
});

test('with Only to Confirmed Contacts, reaches only these', async () => {
	const [contact] = addContacts(sandbox, 1);
	const { results } = await run(
		withOrders([contact]),
		send({ sendOnceKey: 'order-7', onlyConfirmed: true }),
	);
	expect(results).toMatchObject([{ result: 'skipped', code: 'notConfirmed' }]);
	expect(messagesTo(sandbox, contact)).toBe(0);
});

test.each([
	['is blank', { sendOnceKey: ' ' }, "'Send Once Key' is empty"],
	['comes with a Campaign Key', { sendOnceKey: 'a', campaignKey: 'b' }, 'are both set'],
	['has capitals', { sendOnceKey: 'EVT_1' }, '"EVT_1" cannot be a Send Once Key'],
	['is too long', { sendOnceKey: 'x'.repeat(41) }, 'cannot be a Send Once Key'],
])('a key that %s is refused before any request', async (_name, options, message) => {
	const [contact] = addContacts(sandbox, 1);
	const { error } = await run(withOrders([contact]), send(options));
	expect(error?.message).toContain(message);
	expect(sandbox.requests).toEqual([]);
});

test('the expression in the error makes a key of any ID', async () => {
	const [one, two] = addContacts(sandbox, 2);
	const items = [one, two].map(({ id }) => ({ id, event: 'Évt/2026:A.7'.repeat(9) }));
	const bad = await run(items, send({ sendOnceKey: '={{ $json.event }}' }));
	const [advised = ''] = /{{.*}}/.exec(bad.error?.description ?? '') ?? [];
	const key = advised.replace('$json.id', '$json.event');
	const { results } = await run(items, send({ sendOnceKey: `=${key}` }));
	const message_key = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
	const sent = { result: 'sent', message_key };
	expect(results).toEqual([sent, sent]);
});

test('old marks are emptied as the page says, and no others', async () => {
	const page = fs.readFileSync('docs/campaigns.md', 'utf8');
	const [filter = '', expression = ''] = page.match(/{{ Object\.keys.*?}}/g) ?? [];
	const contacts = addContacts(sandbox, 3);
	const [old, newer] = ['sent:spring-sale-2024:0badcafe', 'sent:spring-sale-2025:0badcafe'];
	contacts[0].attributes = { [old]: 'x', [newer]: 'y', plan: 'pro' };
	contacts[1].attributes = { [old]: 'x', 'sent:spring-sale-2024:1badcafe': 'refused x' };
	contacts[2].attributes = { [newer]: 'y' };
	const all = contacts.map(({ id, attributes }) => ({ id, attributes }) as IDataObject);
	// n8n evaluates the condition in a message.
	await run(all, { ...send({}), templateVariables: variablesOf({ name: `=${filter}` }) });
	const areOld = sandbox.store.sentMessages.map(({ variables }) =>
		String((variables as IDataObject).name),
	);
	expect(areOld).toEqual(['true', 'true', 'false']);
	const items = all.slice(0, 2);
	const parameters: INodeParameters = {
		resource: 'contact',
		operation: 'update',
		contactId,
		updateFields: { fieldsToEmpty: `=${expression}` },
	};
	const { error } = await runNode(sandbox, { parameters, items, runtime: processInTime() });
	expect(error).toBeUndefined();
	expect(contacts.map(({ attributes }) => attributes)).toEqual([
		{ [old]: '', [newer]: 'y', plan: 'pro' },
		{ [old]: '', 'sent:spring-sale-2024:1badcafe': '' },
		{ [newer]: 'y' },
	]);
});

test('a key of the page with a period is one key in that period', async () => {
	const page = fs.readFileSync('docs/campaigns.md', 'utf8');
	const keys = [...page.matchAll(/`((?:birthday|news)-{{.*?}})`/g)].map(([, key]) => key);
	expect(keys).toHaveLength(2);
	const [contact] = addContacts(sandbox, 1, { opt_in_status: 'confirmed' });
	for (const campaignKey of keys) {
		const { results } = await run([{ id: contact.id }], send({ campaignKey: `=${campaignKey}` }));
		expect(results).toMatchObject([{ result: 'sent' }]);
		expect(results[0]?.message_key).toMatch(/^(birthday-\d{4}|news-\d{4}-\d\d)$/);
	}
});
