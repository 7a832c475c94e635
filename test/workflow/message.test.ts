import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import {
	addContact,
	chosen,
	contactId,
	paired,
	sentLines,
	useSandbox,
	variablesOf,
	writes,
} from './support';

const sandbox = useSandbox();
const list = 'GET /v1/templates';
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
])(
	'sends a template chosen by %s, and returns what was sent to whom',
	async (mode, value, name) => {
		const variables: Record<string, string> =
			name === 'welcome' ? { name: 'Anna' } : { 1: 'Anna', 2: '4711' };
		const templateVariables = variablesOf(variables);
		const parameters = send(chosen(mode, value), { templateVariables });
		const { output } = await runNode(sandbox, { parameters });
		const [message] = sandbox.store.sentMessages;
		expect(message.template).toBe(name);
		expect(output).toEqual(paired([0, { ...message, result: 'sent', status: 'queued' }]));
		expect(writes(sandbox)).toEqual([
			{
				request: 'POST /v1/messages/template',
				body: { contact_id: contactId, template: value, variables },
			},
		]);
	},
);

test.each([
	['none', 'notConfirmed'],
	['pending', 'notConfirmed'],
	['opted_out', 'optedOut'],
] as const)('can skip a contact that is %s, and says why and whom', async (state, code) => {
	const contact = addContact(sandbox, {
		phone: '+4915123456780',
		name: 'Anna',
		opt_in_status: state,
	});
	const parameters = send(chosen('name', 'order_shipped'), {
		contactId: chosen('id', contact.id),
		options: { onlyConfirmed: true, sendBlankVariables: true },
	});
	const { json } = await runNode(sandbox, { parameters });
	expect(json).toEqual([
		{
			contact_id: contact.id,
			contact_name: contact.name,
			contact_phone: contact.phone,
			result: 'skipped',
			code,
			reason: expect.any(String),
		},
	]);
	expect(sandbox.store.sentMessages).toEqual([]);
});

test('sends to a confirmed contact, and then knows its name and phone', async () => {
	const contact = addContact(sandbox, {
		phone: '+4915123456780',
		name: 'Anna',
		opt_in_status: 'confirmed',
	});
	const parameters = send(chosen('name', 'order_shipped'), {
		contactId: chosen('id', contact.id),
		options: { onlyConfirmed: true, sendBlankVariables: true },
	});
	const { json } = await runNode(sandbox, { parameters });
	expect(json).toMatchObject([{ contact_name: contact.name, contact_phone: contact.phone }]);
	expect(sandbox.store.sentMessages).toHaveLength(1);
});

test.each([
	[{ template: chosen('name', 'welcmoe') }, 'template not found'],
	[{ contactId: chosen('id', '00000000-0000-4000-8000-00000000dead') }, 'contact not found'],
])('the title says which the service does not find: %j', async (wrong, words) => {
	const options = { sendBlankVariables: true };
	const parameters = send(chosen('name', 'welcome'), { options, ...wrong } as INodeParameters);
	const { error } = await runNode(sandbox, { parameters });
	expect(error?.message).toBe(
		`There is no such template, or no such contact, in this workspace: ${words}`,
	);
});

test('words that say no more than the status stay out of the title', async () => {
	sandbox.fail({ match: { method: 'POST' }, kind: { status: 404, detail: 'Not Found' } });
	const parameters = send(chosen('name', 'welcome'), { options: { sendBlankVariables: true } });
	const { error } = await runNode(sandbox, { parameters });
	expect(error?.message).toBe('There is no such template, or no such contact, in this workspace');
});

test('the files of an item stay with it', async () => {
	const binary = { data: { data: 'eA==', mimeType: 'text/plain' } };
	const parameters = send(chosen('name', 'welcome'), { options: { sendBlankVariables: true } });
	const { output } = await runNode(sandbox, { parameters, binary });
	expect(output).toMatchObject([{ binary }]);
	const list = { resource: 'contact', operation: 'getAll' };
	const { output: listed } = await runNode(sandbox, { parameters: list, binary });
	expect(listed[0]).not.toHaveProperty('binary');
});

test('sends variables as texts, without blank ones', async () => {
	await runNode(sandbox, {
		parameters: send(chosen('name', 'order_shipped'), {
			options: {
				variables: {
					values: [
						{ name: '1', value: '={{ $json.name }}' },
						{ name: '2', value: '={{ $json.order }}' },
						{ name: '3', value: ' two\nlines ' },
						{ name: 'note', value: '={{ "" }}' },
						{ name: 'blank', value: '' },
					],
				},
			},
		}),
		items: [{ name: 'Zoë', order: 4711 }],
	});
	expect(sandbox.requests.at(-1)?.body).toEqual({
		contact_id: contactId,
		template: 'order_shipped',
		variables: { 1: 'Zoë', 2: '4711', 3: 'two\nlines' },
	});
});

test.each(['["x", "y"]', '({ x: 1 })'])('refuses %s as a variable', async (value) => {
	const values = [{ name: '1', value: `={{ ${value} }}` }];
	const { error } = await runNode(sandbox, {
		parameters: send(chosen('name', 'order_shipped'), { options: { variables: { values } } }),
	});
	expect(error?.message).toMatch(/^'Variables: 1' is /);
	expect(error?.description).toMatch(/write a list as text.*join/);
	expect(sandbox.requests).toEqual([]);
});

test('refuses a blank template before any request', async () => {
	const { error } = await runNode(sandbox, { parameters: send(chosen('name', '  ')) });
	expect(error?.message).toBe("'Template' is empty");
	expect(sandbox.requests).toEqual([]);
});

test('sends mapped variables and others', async () => {
	await runNode(sandbox, {
		parameters: send(chosen('id', 'tpl_order_shipped'), {
			templateVariables: {
				mappingMode: 'defineBelow',
				value: { 1: '={{ $json.name }}', 2: '={{ $json.total }}' },
				schema: [{ id: '1', displayName: '1' }] as never,
			},
			options: { variables: { values: ['2', '3'].map((name) => ({ name, value: 'other' })) } },
		}),
		items: [{ name: 'Anna', total: 12.5 }],
	});
	expect(writes(sandbox)[0].body).toMatchObject({
		variables: { 1: 'Anna', 2: 'other', 3: 'other' },
	});
});

/** A variable as the editor saves it once it has shown it. */
const column = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	displayName: `${id}: the words around it`,
	type: 'string',
	required: false,
	defaultMatch: false,
	display: true,
	...more,
});

const replacing = {
	bodyMode: 'replace',
	body: { contact_id: contactId, template: 'welcome', variables: { 1: 'Anna' } },
};

describe('a variable that the editor shows', () => {
	const mapped = (value: IDataObject, more: INodeParameters = {}, second = column('2')) =>
		send(chosen('id', 'tpl_order_shipped'), {
			templateVariables: { mappingMode: 'defineBelow', value, schema: [column('1'), second] },
			...more,
		} as INodeParameters);
	const other = (value: string) => ({ variables: { values: [{ name: '2', value }] } });
	const removed = column('2', { removed: true });

	test.each<[string, IDataObject, INodeParameters?, IDataObject?]>([
		['blank', { 2: '  ' }],
		['null', { 2: null }],
		['an expression that evaluates to nothing', { 2: '={{ $json.missing }}' }],
		['missing', {}],
		['removed, but still in the template', {}, {}, removed],
		["empty text in 'Other Variables', too", {}, other('={{ "" }}')],
		[
			'blank with the option off, and a body added',
			{},
			{ sendBlankVariables: false, body: '{"x":1}' },
		],
	])('is an error, and nothing is sent, if it is %s', async (_name, value, ...more) => {
		const [options = {}, second] = more;
		const parameters = mapped({ 1: 'Anna', ...value }, { options }, second);
		const { error } = await runNode(sandbox, { parameters });
		expect(error?.message).toMatch(/^Variables of the template are blank: "2: the words/);
		expect(sentLines(sandbox)).toEqual([list]);
	});

	test.each<[string, INodeParameters, object, IDataObject?]>([
		['blank variables are allowed', { sendBlankVariables: true }, { 1: 'Anna' }],
		[
			'it was removed, and blank variables are allowed',
			{ sendBlankVariables: true },
			{ 1: 'Anna' },
			removed,
		],
		["'Other Variables' has its value", other('x'), { 1: 'Anna', 2: 'x' }],
		["'Body' has its value", { body: '{ "variables": { "2": "7" } }' }, { 1: 'Anna', 2: '7' }],
		["'Body' replaces everything", replacing, { 1: 'Anna' }],
	])('may be blank if %s', async (_name, options, variables, ...more) => {
		const parameters = mapped({ 1: 'Anna' }, { options }, ...more);
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		expect(writes(sandbox)[0].body).toMatchObject({ variables });
		expect(sandbox.store.sentMessages).toHaveLength(1);
	});

	test.each([
		'={"variables": {"name": "Dear {{ $json.blank }},"}}',
		'={"variables": {"name": "{{ $json.missing }}"}}',
		'{"variables": {"name": " ", "2": "7"}}',
		'={{ { variables: { name: null } } }}',
	])("may not be blank in 'Body' either: %s", async (body) => {
		const parameters = mapped({ 1: 'Anna' }, { options: { body } });
		const items = [{ blank: '' }];
		const { error } = await runNode(sandbox, { parameters, items });
		expect(error?.message).toMatch(/name|Body/);
		expect(sandbox.requests).toEqual([]);
		const allowed = {
			options: { body: body.replace('{{ $json.', "{{ '' ?? $json."), sendBlankVariables: true },
		};
		await runNode(sandbox, { parameters: mapped({ 1: 'Anna' }, allowed), items });
		expect(sandbox.store.sentMessages).toHaveLength(1);
	});

	test('is named with the other blank ones, before the contact is looked up', async () => {
		const contact = { contactId: chosen('phone', '+4915123456789') };
		const parameters = mapped({}, contact, column('2', { displayName: undefined }));
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: 'Variables of the template are blank: "1: the words around it", "2"',
			description:
				"No message was sent. Fill in the fields under 'Variables', and check that this item has the values that they read. If the fields are not those of the template, refresh the list in the menu beside 'Variables'. To send the message without these variables, turn on 'Send Blank Variables' under 'Options'.",
		});
		expect(sentLines(sandbox)).toEqual([list]);
	});

	test('holds back only the message of its item if it is blank', async () => {
		const { json, failed } = await runNode(sandbox, {
			parameters: mapped({ 1: '={{ $json.first }}', 2: 'x' }),
			items: [{ first: 'Anna' }, { name: 'Zoë' }, { first: 0 }, { first: false }],
			onError: 'continueErrorOutput',
		});
		expect(json).toHaveLength(3);
		expect(failed.map(({ error }) => error)).toEqual([
			'Variables of the template are blank: "1: the words around it" [item 2, Zoë]',
		]);
		const variables = writes(sandbox).map(({ body }) => (body as IDataObject).variables);
		expect(variables).toEqual(['Anna', '0', 'false'].map((first) => ({ 1: first, 2: 'x' })));
	});
});

describe('a recipient chosen by phone', () => {
	const toPhone = (phone: string, more: INodeParameters = {}) =>
		send(chosen('name', 'welcome'), {
			templateVariables: variablesOf({ name: 'Anna' }),
			contactId: chosen('phone', phone),
			...more,
		});

	test.each([
		['phone and name', 'Anna', { contact_phone: '+4915123456789', contact_name: 'Anna' }],
		['phone, if there is no name', null, { contact_phone: '+4915123456789' }],
	])('is in the output by %s', async (_case, name, expected) => {
		const [contact] = sandbox.store.contacts.values();
		contact.name = name;
		const { output } = await runNode(sandbox, { parameters: toPhone('+4915123456789') });
		const [message] = sandbox.store.sentMessages;
		expect(message.contact_id).toBe(contactId);
		expect(output).toEqual(
			paired([0, { ...message, result: 'sent', status: 'queued', ...expected }]),
		);
	});

	test('reads the Default Country, which does not matter for an ID', async () => {
		const parameters = send(chosen('name', 'welcome'), {
			templateVariables: variablesOf({ name: 'Anna' }),
			defaultCountry: 'Atlantis',
		});
		const { error, json } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		expect(json[0]).not.toHaveProperty('contact_phone');
		expect(sentLines(sandbox)).toEqual([list, 'POST /v1/messages/template']);
	});
});
