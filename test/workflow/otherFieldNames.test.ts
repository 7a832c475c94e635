import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { enrollParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import { addContact, chosen, contactId, sent, useSandbox } from './support';

const sandbox = useSandbox();
const phone = '+4915123456789';
beforeEach(() => {
	addContact(sandbox, { id: contactId, phone, name: 'Anna' });
	sandbox.store.templates.push({ name: 'plain', body: 'Hello there!' } as never);
});

const named = { otherFieldNames: true };

function send(more: INodeParameters = {}): INodeParameters {
	return {
		resource: 'message',
		operation: 'sendTemplate',
		contactId: chosen('id', contactId),
		template: chosen('id', 'tpl_order_shipped'),
		// Then the templates are not read.
		options: { sendBlankVariables: true },
		...more,
	};
}

/** Variables as the editor saves them, in the order in which it shows them. */
const mapped = (value: IDataObject, ids: string[]) =>
	({
		templateVariables: {
			mappingMode: 'defineBelow',
			value,
			schema: ids.map((id) => ({ id, displayName: id, type: 'string' })),
		},
	}) as unknown as INodeParameters;

const rows = (...values: Array<[string, string]>): INodeParameters => ({
	options: { variables: { values: values.map(([name, value]) => ({ name, value })) } },
});

/** The body that was sent, even if the sandbox would refuse it. */
async function bodyOf(parameters: INodeParameters, credential: IDataObject) {
	sandbox.fail({ match: { method: 'POST' }, kind: { status: 200, body: '{}' } });
	const { error } = await runNode(sandbox, { parameters, credential });
	if (error) throw error;
	return sent(sandbox).at(-1)?.body;
}

test("sends with other field names and the contact's phone, which is looked up", async () => {
	const credential = {
		...named,
		contactField: 'recipient.phone',
		contactAs: 'phone',
		templateField: 'template.name',
		variablesField: 'template.params',
		variablesAs: 'pairs',
	};
	expect(await bodyOf(send(rows(['1', 'Anna'], ['2', '1042'])), credential)).toEqual({
		recipient: { phone },
		template: {
			name: 'tpl_order_shipped',
			params: [
				{ name: '1', value: 'Anna' },
				{ name: '2', value: '1042' },
			],
		},
	});
	expect(sent(sandbox).map(({ request }) => request)).toEqual([
		'GET /v1/templates',
		`GET /v1/contacts/${contactId}`,
		'POST /v1/messages/template',
	]);
});

test('does not look up a contact twice that was chosen by phone', async () => {
	const parameters = send({ contactId: chosen('phone', phone) });
	const body = await bodyOf(parameters, { ...named, contactAs: 'phone', contactField: 'to' });
	expect(body).toEqual({ to: phone, template: 'tpl_order_shipped' });
	const asked = sandbox.requests.filter(({ method }) => method === 'GET');
	expect(asked.map(({ query }) => query.search)).toEqual([phone.slice(1), phone.slice(-6)]);
});

test('enrols with field names of its own', async () => {
	const parameters = enrollParameters(chosen('id', contactId));
	const credential = { ...named, contactField: 'to', enrollContactField: 'member.id' };
	expect(await bodyOf(parameters, credential)).toEqual({ member: { id: contactId } });
});

test("the node's own body wins", async () => {
	const options = { body: '{ "to": "me", "channel": "chat" }', sendBlankVariables: true };
	const body = await bodyOf(send({ options }), { ...named, contactField: 'to' });
	expect(body).toEqual({ to: 'me', channel: 'chat', template: 'tpl_order_shipped' });
});

test.each([
	['params', '{ "params": ["x"] }', { params: ['x'] }],
	['template.params', '{ "template": { "params": ["x"] } }', { template: { params: ['x'] } }],
])(
	"does not check variables at %s that the node's body has",
	async (variablesField, body, sentBody) => {
		const parameters = { ...mapped({ name: '' }, ['name']), options: { body } };
		const credential = { ...named, variablesField, variablesAs: 'list', templateField: 'hsm' };
		expect(await bodyOf(send(parameters), credential)).toMatchObject(sentBody);
	},
);

test('refuses a contact without a phone before anything is sent', async () => {
	sandbox.fail({ match: { method: 'GET' }, kind: { status: 200, body: `{"id":"${contactId}"}` } });
	const { error } = await runNode(sandbox, {
		parameters: send(),
		credential: { ...named, contactAs: 'phone' },
	});
	expect(error?.message).toBe('This contact has no phone number');
	expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
});

describe('variables as a list keep their places', () => {
	const asList = { ...named, variablesAs: 'list' };
	const variablesOf = async (parameters: INodeParameters) =>
		((await bodyOf(send(parameters), asList)) as IDataObject).variables;

	test('even if one is blank on purpose', async () => {
		const parameters = {
			...mapped({ 1: 'Anna', 2: '', 3: '9:00' }, ['1', '2', '3']),
			options: { sendBlankVariables: true },
		};
		expect(await variablesOf(parameters)).toEqual(['Anna', '', '9:00']);
	});

	test('by number, in the order of the numbers', async () => {
		expect(await variablesOf(rows(['2', 'b'], ['1', 'a']))).toEqual(['a', 'b']);
	});

	test('and a template without variables has none', async () => {
		expect(await variablesOf({ template: chosen('name', 'plain') })).toBeUndefined();
	});

	test('by number, if the template has names', async () => {
		const template = chosen('name', 'appointment_reminder');
		const more = rows(['3', '9:00'], ['1', 'Anna'], ['2', 'Monday']);
		expect(await variablesOf({ template, ...more })).toEqual(['Anna', 'Monday', '9:00']);
		const { error } = await runNode(sandbox, {
			parameters: send({ template, ...rows(['2', 'Monday']) }),
			credential: asList,
		});
		expect(error?.message).toBe('Variables of the template are blank: "name", "time"');
	});

	test.each([
		['a gap', mapped({ 1: 'a', 3: 'c' }, ['1']), '"1", "3"'],
		['no first', mapped({ 2: 'b' }, ['2']), '"2"'],
		['a field that was removed', mapped({ 1: 'a', 3: 'c' }, ['1', '3']), '"1", "3"'],
		['a name', rows(['1', 'a'], ['name', 'b']), '"1", "name"'],
		[
			// Nothing says which template this order belongs to.
			'a name that the editor shows',
			mapped({ name: 'Anna', date: 'Monday' }, ['name', 'date']),
			'"name", "date"',
		],
		['a number with a zero', rows(['01', 'a']), '"01"'],
	])('%s is refused before anything is sent', async (_case, parameters, names) => {
		const { error } = await runNode(sandbox, { parameters: send(parameters), credential: asList });
		expect(error?.message).toBe(`The variables have no places in a list: ${names}`);
		expect(sandbox.requests).toEqual([]);
	});
});

test.each([
	['without the switch', { otherFieldNames: false, templateField: 'hsm', contactAs: 'phone' }],
	['that are blank', { ...named, contactField: ' ', templateField: '' }],
])('names %s have no effect', async (_case, credential) => {
	expect(await bodyOf(send(), credential)).toEqual({
		contact_id: contactId,
		template: 'tpl_order_shipped',
	});
});

test('a field can be called __proto__', async () => {
	await bodyOf(send(), { ...named, contactField: '__proto__.id' });
	expect(JSON.stringify(sent(sandbox)[0].body)).toContain(`"__proto__":{"id":"${contactId}"}`);
});
