import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from './runNode';
import { addContact, chosen, contactId, paired, sent, useSandbox } from './support';

const sandbox = useSandbox();
beforeEach(() => addContact(sandbox, { id: contactId }));

function send(template: unknown, more: INodeParameters = {}) {
	return {
		resource: 'message',
		operation: 'sendTemplate',
		contactId: chosen('id', contactId),
		template,
		...more,
	} as INodeParameters;
}

test.each([
	['list', 'tpl_order_shipped', 'order_shipped'],
	['id', 'tpl_order_shipped', 'order_shipped'],
	['name', 'welcome', 'welcome'],
])('sends a template chosen by %s, and gives what was sent to whom', async (mode, value, name) => {
	const { output } = await runNode(sandbox, { parameters: send(chosen(mode, value)) });
	const [message] = sandbox.store.sentMessages;
	expect(message.template).toBe(name);
	expect(output).toEqual(paired([0, { ...message, status: 'queued' }]));
	expect(sent(sandbox)).toEqual([
		{
			request: 'POST /v1/messages/template',
			body: { contact_id: contactId, template: value },
		},
	]);
});

test('sends variables with the types that expressions give; blank ones are left out', async () => {
	await runNode(sandbox, {
		parameters: send(chosen('name', 'order_shipped'), {
			options: {
				variables: {
					values: [
						{ name: '1', value: '={{ $json.name }}' },
						{ name: '2', value: '={{ $json.order }}' },
						{ name: 'note', value: '={{ "" }}' },
						{ name: 'blank', value: '' },
						{ name: ' ', value: 'nameless' },
					],
				},
			},
		}),
		items: [{ name: 'Zoë', order: 4711 }],
	});
	expect(sandbox.requests[0].body).toEqual({
		contact_id: contactId,
		template: 'order_shipped',
		variables: { 1: 'Zoë', 2: 4711, note: '' },
	});
});

test('a template that is left blank by hand is refused before any request', async () => {
	const { error } = await runNode(sandbox, { parameters: send(chosen('name', '  ')) });
	expect(error?.message).toBe("'Template' is empty");
	expect(sandbox.requests).toEqual([]);
});

test('sends the variables that were mapped, and others beside them', async () => {
	await runNode(sandbox, {
		parameters: send(chosen('id', 'tpl_order_shipped'), {
			templateVariables: {
				mappingMode: 'defineBelow',
				value: { 1: '={{ $json.name }}', 2: '', 3: '={{ $json.total }}' },
				schema: [],
			},
			options: { variables: { values: [{ name: '3', value: 'other' }] } },
		}),
		items: [{ name: 'Anna', total: 12.5 }],
	});
	expect(sent(sandbox)[0].body).toMatchObject({ variables: { 1: 'Anna', 3: 'other' } });
});

/** A variable as the editor saves it that has shown it. */
const column = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	displayName: `${id}: the words around it`,
	type: 'string',
	required: false,
	defaultMatch: false,
	display: true,
	...more,
});

describe('a variable that the editor shows', () => {
	const mapped = (value: IDataObject, more: IDataObject = {}, second = column('2')) =>
		send(chosen('id', 'tpl_order_shipped'), {
			templateVariables: { mappingMode: 'defineBelow', value, schema: [column('1'), second] },
			...more,
		} as INodeParameters);
	const TO_DO =
		"No message was sent. Fill in the fields under 'Variables', and check that this item has the values that they read. If the template has no such variable any more, refresh the list in the menu beside 'Variables'. To send the message without them, turn on 'Send Blank Variables' under 'Options'.";

	test.each([
		['blanks only', '  '],
		['null', null],
		['an expression that gives nothing', '={{ $json.missing }}'],
		['nothing', undefined],
	])('and that is %s is an error, and nothing is sent', async (_name, value) => {
		const parameters = mapped({ 1: 'Anna', ...(value !== undefined && { 2: value }) });
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: 'Variables of the template are blank: "2: the words around it"',
			description: TO_DO,
		});
		expect(sandbox.requests).toEqual([]);
	});

	test('is not asked for where Body has the variables, nor named as something of every object', async () => {
		addContact(sandbox, { id: contactId });
		const options = { body: '{ "variables": { "2": "7" } }' };
		const { error } = await runNode(sandbox, { parameters: mapped({ 1: 'Anna' }, { options }) });
		expect(error).toBeUndefined();
		const odd = mapped({ 1: 'Anna' }, {}, column('constructor'));
		const run = await runNode(sandbox, { parameters: odd });
		expect(run.error?.message).toMatch('Variables of the template are blank');
	});

	test('is named with the others that are blank, also before the contact is looked up', async () => {
		const contact = { contactId: chosen('phone', '+4915123456789') };
		const parameters = mapped({}, contact, column('2', { displayName: undefined }));
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toMatchObject({
			message: 'Variables of the template are blank: "1: the words around it", "2"',
			description: TO_DO,
		});
		expect(sandbox.requests).toEqual([]);
	});

	test('and that is blank for one item keeps its message back, and that of no other item', async () => {
		const { json, failed } = await runNode(sandbox, {
			parameters: mapped({ 1: '={{ $json.first }}', 2: 'x' }),
			items: [{ first: 'Anna' }, { name: 'Zoë' }, { first: 0 }, { first: false }],
			onError: 'continueErrorOutput',
		});
		expect(json).toHaveLength(3);
		expect(failed.map(({ error }) => error)).toEqual([
			'Variables of the template are blank: "1: the words around it" [item 2, Zoë]',
		]);
		const variables = sent(sandbox).map(({ body }) => (body as IDataObject).variables);
		expect(variables).toEqual(['Anna', 0, false].map((first) => ({ 1: first, 2: 'x' })));
	});

	const replacing = {
		bodyMode: 'replace',
		body: { contact_id: contactId, template: 'welcome', variables: { 1: 'Anna' } },
	};
	test.each([
		['and that is blank is left out where that is allowed', { sendBlankVariables: true }, false],
		['does not count where the body is replaced', replacing, false],
		['and that was removed is left out where that is allowed', { sendBlankVariables: true }, true],
	])('%s', async (_name, options, removed) => {
		const parameters = mapped({ 1: 'Anna' }, { options }, column('2', { removed }));
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		const [{ body }] = sent(sandbox);
		expect((body as IDataObject).variables).toEqual({ 1: 'Anna' });
		expect(sandbox.store.sentMessages).toHaveLength(1);
	});

	test('and that was removed is still one of the template, so that its message is not sent', async () => {
		const parameters = mapped({ 1: 'Anna' }, {}, column('2', { removed: true }));
		const { error } = await runNode(sandbox, { parameters });
		expect(error?.message).toMatch(/^Variables of the template are blank: /);
		expect(sandbox.requests).toEqual([]);
	});

	test.each([
		["and that is blank may have its value in 'Other Variables'", 'other', 1],
		["and that is empty text in 'Other Variables', too, is an error", '={{ "" }}', 0],
	])('%s', async (_name, value, messages) => {
		const variables = { values: [{ name: '2', value }] };
		await runNode(sandbox, { parameters: mapped({ 1: 'Anna' }, { options: { variables } }) });
		expect(sandbox.requests).toHaveLength(messages);
	});

	test('and that is blank is an error, too, if the option to send it is off, and if a body is added', async () => {
		const options = { sendBlankVariables: false, bodyMode: 'merge', body: '{ "x": 1 }' };
		const { error } = await runNode(sandbox, { parameters: mapped({ 1: 'Anna' }, { options }) });
		expect(error?.message).toMatch(/^Variables of the template are blank: /);
		expect(sandbox.requests).toEqual([]);
	});
});

describe('a recipient chosen by phone', () => {
	const toPhone = (phone: string, more: INodeParameters = {}) =>
		send(chosen('name', 'welcome'), { contactId: chosen('phone', phone), ...more });

	test.each([
		['phone and name', 'Anna', { contact_phone: '+4915123456789', contact_name: 'Anna' }],
		['phone, if there is no name', null, { contact_phone: '+4915123456789' }],
	])('is told by %s', async (_case, name, expected) => {
		const [contact] = sandbox.store.contacts.values();
		contact.name = name;
		const { output } = await runNode(sandbox, { parameters: toPhone('+4915123456789') });
		const [message] = sandbox.store.sentMessages;
		expect(message.contact_id).toBe(contactId);
		expect(output).toEqual(paired([0, { ...message, status: 'queued', ...expected }]));
	});

	test('has a country only so: for an ID it does not matter', async () => {
		const parameters = send(chosen('name', 'welcome'), { defaultCountry: 'Atlantis' });
		const { error, json } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		expect(json[0]).not.toHaveProperty('contact_phone');
		expect(sandbox.requests).toHaveLength(1);
	});
});
