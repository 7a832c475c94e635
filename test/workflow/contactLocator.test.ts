import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { addContact, chosen, variablesOf, sent, sentLines, useSandbox, writes } from './support';

const id = '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b';
const otherId = '00000000-0000-4000-8000-000000000001';
const sandbox = useSandbox();

const isList = (request: string) => ['GET /v1/tags', 'GET /v1/templates'].includes(request);
const searches = () => new Set(sentLines(sandbox).filter((request) => !isList(request)));

/** All operations read the chosen contact in the same way; these do something with it. */
const operations: Array<[name: string, parameters: INodeParameters, request: string]> = [
	['contact delete', { resource: 'contact', operation: 'delete' }, `DELETE /v1/contacts/${id}`],
	[
		'tag remove',
		{ resource: 'tag', operation: 'remove', tags: 'vip' },
		`DELETE /v1/contacts/${id}/tags/vip`,
	],
	[
		'message sendTemplate',
		{
			resource: 'message',
			operation: 'sendTemplate',
			template: chosen('name', 'welcome'),
			templateVariables: variablesOf({ name: 'Anna' }),
		},
		'POST /v1/messages/template',
	],
];

const get = (contactId: unknown) =>
	({ resource: 'contact', operation: 'get', contactId }) as INodeParameters;

describe.each(operations)('%s by phone', (_name, parameters, request) => {
	const byPhone = (phone: string) => ({ ...parameters, contactId: chosen('phone', phone) });

	test('acts on the one contact with exactly this number', async () => {
		addContact(sandbox, { id, tags: ['vip'] });
		addContact(sandbox, { id: otherId, phone: '+491512345678', tags: ['vip'] });
		const { error, output } = await runNode(sandbox, {
			parameters: byPhone('+49 1512 345-6789'),
		});
		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
		// Removing a tag also asks which spellings of it there are, and sending which variables the template has.
		const asked = sent(sandbox).filter((each) => !isList(each.request));
		const [search, ending, action, ...more] = asked;
		expect(search).toEqual({
			request: 'GET /v1/contacts',
			query: { search: '4915123456789', limit: '100', offset: '0' },
		});
		expect(ending.query?.search).toBe('456789');
		expect(action.request).toBe(request);
		if (!request.includes(id)) expect(action.body).toMatchObject({ contact_id: id });
		expect(more).toEqual([]);
	});

	test('does nothing if a second contact has the number, written in another way', async () => {
		addContact(sandbox, { id, tags: ['vip'] });
		addContact(sandbox, { id: otherId, phone: '+49 1512 3456789', tags: ['vip'] });
		const { error } = await runNode(sandbox, { parameters: byPhone('+4915123456789') });
		expect(error?.message).toBe('2 contacts have the phone number +4915123456789');
		expect(writes(sandbox)).toEqual([]);
	});

	test('does nothing if no contact has it, even if one contains it', async () => {
		addContact(sandbox, { id, phone: '+49151234567891', tags: ['vip'] });
		addContact(sandbox, { id: otherId, phone: '+12124567890', name: '+4915123456789' });
		const { error } = await runNode(sandbox, { parameters: byPhone('+4915123456789') });
		expect(error).toMatchObject({
			message: 'No contact has the phone number +4915123456789',
			description: 'Check the number and its country code, or create the contact first.',
		});
		expect(searches()).toEqual(new Set(['GET /v1/contacts']));
	});

	test('does nothing if several have it', async () => {
		addContact(sandbox, { id, tags: ['vip'] });
		addContact(sandbox, { id: otherId, phone: '4915123456789', tags: ['vip'] });
		const { error } = await runNode(sandbox, { parameters: byPhone('+4915123456789') });
		expect(error).toMatchObject({
			message: '2 contacts have the phone number +4915123456789',
			description: `Nothing was done. Choose the contact 'By ID' instead. Their IDs: ${otherId}, ${id}.`,
		});
		expect(searches()).toEqual(new Set(['GET /v1/contacts']));
	});
});

describe('a stored phone without plus', () => {
	beforeEach(() => addContact(sandbox, { id, phone: '4915123456789' }));

	test('is found', async () => {
		const { json } = await runNode(sandbox, { parameters: get(chosen('phone', '+4915123456789')) });
		expect(json).toMatchObject([{ id }]);
	});

	test.each([
		['nothing for the digits', []],
		['by the digits only what has this name', [{ name: '4915123456789' }]],
	])('is searched in both forms if the service finds %s', async (_case, names) => {
		const contact = sandbox.store.contacts.get(id);
		Object.assign(contact ?? {}, { phone: '+4915123456789' }, ...names);
		const data = names.length > 0 ? [contact] : [];
		sandbox.fail({ kind: { page: (page) => ({ ...page, data, total: data.length }) } });
		const { json } = await runNode(sandbox, { parameters: get(chosen('phone', '+4915123456789')) });
		expect(json).toMatchObject([{ id }]);
		expect(sent(sandbox).map(({ query }) => query?.search)).toEqual([
			'4915123456789',
			'456789',
			'+4915123456789',
			undefined,
		]);
	});

	test('is an error if the other form belongs to another contact', async () => {
		const other = addContact(sandbox, { id: otherId, phone: '+4915123456789' });
		const contacts = [sandbox.store.contacts.get(id), other];
		for (const contact of contacts) {
			sandbox.fail({ kind: { page: (page) => ({ ...page, data: [contact], total: 1 }) } });
		}
		const { error } = await runNode(sandbox, {
			parameters: { ...get(chosen('phone', '+4915123456789')), operation: 'delete' },
		});
		expect(error?.message).toBe('2 contacts have the phone number +4915123456789');
		expect(sent(sandbox).map(({ query }) => query?.search)).toEqual([
			'4915123456789',
			'456789',
			'+4915123456789',
		]);
	});
});

describe('a contact chosen', () => {
	beforeEach(() => addContact(sandbox, { id }));

	test.each([
		['from the list', chosen('list', id)],
		['by an ID with blanks around it', chosen('id', ` ${id} `)],
		['by an ID that an expression gives', chosen('id', '={{ $json.id }}')],
		['by an expression in place of the locator', '={{ $json.id }}'],
		['by a plain text, as older workflows have it', id],
	])('%s is used without a search', async (_case, contactId) => {
		const { json, error } = await runNode(sandbox, { parameters: get(contactId), items: [{ id }] });
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ id }]);
		expect(sentLines(sandbox)).toEqual([`GET /v1/contacts/${id}`]);
	});

	test.each([
		['a UUID and more', `${id}/tags`],
		['a number', 7],
	])('by an ID that is %s is refused before any request', async (_case, value) => {
		const { error } = await runNode(sandbox, {
			parameters: get(chosen('id', '={{ $json.value }}')),
			items: [{ value }],
		});
		expect(error?.message).toBe(`"${value}" is not a contact ID`);
		expect(error?.description).toMatch(/^A contact ID looks like /);
		expect(sandbox.requests).toEqual([]);
	});
});

describe('other records chosen', () => {
	beforeEach(() => addContact(sandbox, { id }));

	test.each([
		['a number by expression', chosen('id', '={{ 42 }}')],
		['a plain number, as older workflows have it', 42],
	])('by %s are used as text', async (_case, automationId) => {
		sandbox.store.automations.push({ id: '42', name: 'A', trigger: 'Manual', active: true });
		const { json, error } = await runNode(sandbox, {
			parameters: {
				resource: 'automation',
				operation: 'enroll',
				automationId,
				contactId: chosen('id', id),
			} as INodeParameters,
		});
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ automation_id: '42', contact_id: id }]);
	});
});

test.each([
	['name', ' vip\u00a0', 'vip'],
	['list', 'vip ', 'vip '],
])(
	'a name that is typed is tidied, one from the list is as the service has it: %s',
	async (mode, value, tag) => {
		const filters = { tag: chosen(mode, value) };
		await runNode(sandbox, { parameters: { resource: 'contact', operation: 'getAll', filters } });
		expect(sandbox.requests[0].query).toMatchObject({ tag });
	},
);
