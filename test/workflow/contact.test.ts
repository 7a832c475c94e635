import type { INodeParameters } from 'n8n-workflow';

import { contactParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import { addContact, addContacts, chosen, paired, sent, sentLines, useSandbox } from './support';

const sandbox = useSandbox();

const update = (contactId: INodeParameters[string], updateFields: object) =>
	contactParameters('update', contactId, { updateFields } as INodeParameters);

describe('update', () => {
	test('sends the given fields, keeps the others, and returns the contact', async () => {
		const contact = addContact(sandbox, {
			name: 'Nathan',
			source: 'import',
			attributes: { plan: 'free', city: 'Köln' },
		});
		const { output } = await runNode(sandbox, {
			parameters: update(chosen('id', contact.id), {
				name: 'Nathan Smith',
				locale: 'de',
				source: '',
				attributes: { values: [{ name: 'plan', value: 'pro' }] },
				attributesJson: '{ "seats": 3 }',
			}),
		});
		expect(sent(sandbox)).toEqual([
			{
				request: `PATCH /v1/contacts/${contact.id}`,
				body: { name: 'Nathan Smith', locale: 'de', attributes: { plan: 'pro', seats: 3 } },
			},
		]);
		expect(output).toEqual(
			paired([
				0,
				{
					...contact,
					name: 'Nathan Smith',
					locale: 'de',
					source: 'import',
					attributes: { plan: 'pro', city: 'Köln', seats: 3 },
				},
			]),
		);
	});

	test('empties the fields that are chosen, and no others', async () => {
		const contact = addContact(sandbox, {
			name: 'Nathan',
			source: 'import',
			locale: 'de',
			attributes: { plan: 'pro', city: 'Köln' },
		});
		const fieldsToEmpty = ['name', 'locale', 'attributes.plan'];
		const { json } = await runNode(sandbox, {
			parameters: update(chosen('id', contact.id), { fieldsToEmpty, source: '={{ "" }}' }),
		});
		expect(sandbox.requests[0].body).toEqual({ name: '', locale: '', attributes: { plan: '' } });
		expect(json).toMatchObject([
			{ name: '', locale: '', source: 'import', attributes: { plan: '', city: 'Köln' } },
		]);
	});

	test('reads the fields to empty from an expression', async () => {
		const contact = addContact(sandbox, { name: 'Nathan' });
		const parameters = update(chosen('id', contact.id), { fieldsToEmpty: '={{ $json.empty }}' });
		await runNode(sandbox, {
			parameters,
			items: [{ empty: ' Name , attributes.plan' }, { empty: ['source'] }],
		});
		expect(sandbox.requests.map(({ body }) => body)).toEqual([
			{ name: '', attributes: { plan: '' } },
			{ source: '' },
		]);
	});

	test.each([
		[['phone'], {}, `'Fields to Empty' holds "phone", which cannot be emptied`],
		[['tags'], {}, `'Fields to Empty' holds "tags", which cannot be emptied`],
		[['attributes.'], {}, `'Fields to Empty' holds "attributes.", which cannot be emptied`],
		[['name'], { name: 'Anna' }, "'name' has a value, and is also in 'Fields to Empty'"],
		[
			['attributes.plan'],
			{ attributesJson: '{"plan":null}' },
			"'plan' has a value, and is also in 'Fields to Empty'",
		],
	])(
		'to empty %j with %j is refused before any request',
		async (fieldsToEmpty, fields, problem) => {
			const parameters = update(chosen('phone', '+4915123456789'), { ...fields, fieldsToEmpty });
			const { error } = await runNode(sandbox, { parameters });
			expect(error?.message).toBe(problem);
			expect(sandbox.requests).toEqual([]);
		},
	);

	test.each([
		['no field', {}],
		['only blank fields', { name: '', attributes: { values: [] }, attributesJson: '{}' }],
		['an expression that evaluates to nothing', { name: '={{ $json.missing }}' }],
	])('of %s is refused before any request', async (_case, updateFields) => {
		const { error } = await runNode(sandbox, {
			// By phone, so that a search for the contact would show, too.
			parameters: update(chosen('phone', '+4915123456789'), updateFields),
		});
		expect(error).toMatchObject({
			message: "'Update Fields' is empty, so there is nothing to update",
			description:
				"Add a field and give it a value. A field left blank is not sent; to empty one, choose it in 'Fields to Empty'.",
		});
		expect(sandbox.requests).toEqual([]);
	});
});

describe('getAll', () => {
	test('returns at most 50 contacts by default, one item each', async () => {
		const contacts = addContacts(sandbox, 60);
		const { output } = await runNode(sandbox, {
			parameters: { resource: 'contact', operation: 'getAll' },
		});
		expect(output).toEqual(
			contacts.slice(0, 50).map((contact) => ({ json: contact, pairedItem: { item: 0 } })),
		);
		expect(sent(sandbox)).toEqual([
			{ request: 'GET /v1/contacts', query: { limit: '50', offset: '0' } },
		]);
	});

	test('returns the contacts that match all filters', async () => {
		addContact(sandbox, { name: 'Änne & Co + 100%', tags: ['vip'], opt_in_status: 'pending' });
		addContact(sandbox, { phone: '+4915123456780', name: 'Änne & Co + 100%', tags: ['vip'] });
		const { json } = await runNode(sandbox, {
			parameters: {
				resource: 'contact',
				operation: 'getAll',
				filters: { search: 'änne & co + 100%', tag: 'vip', optInStatus: 'pending' },
			},
		});
		expect(json).toHaveLength(1);
		expect(json[0].opt_in_status).toBe('pending');
		expect(sent(sandbox)).toEqual([
			{
				request: 'GET /v1/contacts',
				query: {
					search: 'änne & co + 100%',
					tag: 'vip',
					opt_in_status: 'pending',
					limit: '50',
					offset: '0',
				},
			},
		]);
	});

	test.each([0, 1.5, 'many'])('refuses a limit of %p before any request', async (limit) => {
		const { error } = await runNode(sandbox, {
			parameters: { resource: 'contact', operation: 'getAll', limit: '={{ $json.limit }}' },
			items: [{ limit }],
		});
		expect(error?.message).toBe(`'Limit' is ${JSON.stringify(limit)}`);
		expect(error?.description).toMatch(/^It should be a whole number, 1 or more\./);
		expect(sentLines(sandbox)).toEqual([]);
	});
});
