import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { addContact, chosen, contactId, paired, sent, useSandbox } from './support';

const sandbox = useSandbox();

function change(operation: 'add' | 'remove', tags: string): INodeParameters {
	return { resource: 'tag', operation, contactId: chosen('id', contactId), tags };
}

test.each([
	['add', 'POST', ['lead', 'vip', 'newsletter']],
	['remove', 'DELETE', ['lead']],
] as const)('%s changes one tag after the other, and returns their names', async (...row) => {
	const [operation, method, after] = row;
	const contact = addContact(sandbox, { id: contactId, tags: ['lead'] });
	if (operation === 'remove') contact.tags.push('vip', 'newsletter');
	const { output } = await runNode(sandbox, { parameters: change(operation, 'vip, newsletter') });
	const names = operation === 'add' ? 'added_tags' : 'removed_tags';
	expect(output).toEqual(paired([0, { contact_id: contactId, [names]: ['vip', 'newsletter'] }]));
	expect(contact.tags).toEqual(after);
	const path = `/v1/contacts/${contactId}/tags`;
	const [first, ...others] = sent(sandbox);
	// Is there another spelling?
	if (operation === 'remove') expect(first).toEqual({ request: 'GET /v1/tags' });
	expect(operation === 'remove' ? others : [first, ...others]).toEqual(
		['vip', 'newsletter'].map((name) =>
			method === 'POST'
				? { request: `POST ${path}`, body: { name } }
				: { request: `DELETE ${path}/${name}` },
		),
	);
});

test.each(['add', 'remove'] as const)('%s takes an array by expression', async (operation) => {
	const contact = addContact(sandbox, { id: contactId, tags: ['a, b', '2025'] });
	await runNode(sandbox, {
		parameters: change(operation, '={{ $json.tags }}'),
		items: [{ tags: ['a, b', 2025] }],
	});
	expect(contact.tags).toEqual(operation === 'add' ? ['a, b', '2025'] : []);
	expect(sandbox.requests).toHaveLength(operation === 'add' ? 2 : 3);
});

test.each(['add', 'remove'] as const)(
	'%s keeps blanks in a tag from the list',
	async (operation) => {
		const contact = addContact(sandbox, { id: contactId, tags: ['vip'] });
		if (operation === 'remove') contact.tags.push('vip ');
		await runNode(sandbox, { parameters: { ...change(operation, ''), knownTags: ['vip '] } });
		expect(contact.tags).toEqual(operation === 'add' ? ['vip', 'vip '] : ['vip']);
	},
);

test.each(['add', 'remove'] as const)(
	'%s without a tag is refused before any request',
	async (operation) => {
		const { error } = await runNode(sandbox, { parameters: change(operation, ' , ') });
		expect(error?.message).toBe("No tag is given: 'Tag Names or IDs' and 'More Tags' are empty");
		expect(sandbox.requests).toEqual([]);
	},
);

test('a failure midway names its tag, and those done before', async () => {
	const contact = addContact(sandbox, { id: contactId });
	sandbox.fail({ skip: 2, kind: { status: 422, detail: 'name too long' } });
	const { error } = await runNode(sandbox, { parameters: change('add', 'a, b, c, d') });
	expect(error).toMatchObject({
		httpCode: '422',
		message: expect.stringMatching(/: name too long$/),
		description: expect.stringMatching(
			/^This was for the tag 'c'; tags added before it: a, b\. Correct the value of the field/,
		),
	});
	expect(contact.tags).toEqual(['a', 'b']);
	expect(sandbox.requests).toHaveLength(3);
});

test('a tag that no URL can hold is refused before any is removed', async () => {
	const { error } = await runNode(sandbox, {
		parameters: {
			resource: 'tag',
			operation: 'remove',
			contactId: { __rl: true, mode: 'id', value: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b' },
			tags: 'vip, ..',
		},
	});
	expect(error?.message).toBe('".." cannot be used as an ID or a name');
	expect(sandbox.requests).toEqual([]);
});

test('tags from the list and typed ones are combined, each once', async () => {
	const contact = addContact(sandbox, { id: contactId });
	const parameters = { ...change('add', 'lead, vip'), knownTags: ['vip', 'newsletter'] };
	const { output } = await runNode(sandbox, { parameters });
	expect(output).toEqual(
		paired([0, { contact_id: contactId, added_tags: ['vip', 'newsletter', 'lead'] }]),
	);
	expect(contact.tags).toEqual(['vip', 'newsletter', 'lead']);
});

test('removes a tag whose exact name people cannot tell from the given one', async () => {
	const stored = ['Cafe\u0301', ' vip', 'a\u00a0b', 'e\u2011mail'];
	const { id } = addContact(sandbox, { tags: [...stored, 'new'] });
	const { error } = await runNode(sandbox, {
		parameters: {
			resource: 'tag',
			operation: 'remove',
			contactId: chosen('id', id),
			tags: '={{ $json.tags }}',
		},
		items: [{ tags: ['Café', 'vip', 'a b', 'e\u2010mail'] }],
	});
	expect(error).toBeUndefined();
	expect(sandbox.store.contacts.get(id)?.tags).toEqual(['new']);
});

describe('a tag that the workspace has in another spelling', () => {
	const stored = 'Cafe\u0301';
	beforeEach(() => addContact(sandbox, { phone: '+4915123456780', tags: [stored] }));

	test('is added as the workspace has it, which is read once', async () => {
		addContact(sandbox, { id: contactId });
		const { output } = await runNode(sandbox, {
			parameters: change('add', '={{ $json.tag }}'),
			items: [{ tag: 'Café' }, { tag: 'neu für 2027' }],
		});
		const added = [[stored], ['neu für 2027']];
		expect(output.map(({ json }) => json.added_tags)).toEqual(added);
		expect(sandbox.store.contacts.get(contactId)?.tags).toEqual(added.flat());
		expect(sent(sandbox).filter(({ request }) => request === 'GET /v1/tags')).toHaveLength(1);
	});

	test.each([['upsert', { phone: '+4915123456789', additionalFields: { tags: 'Café' } }]])(
		'is sent by %s as the workspace has it',
		async (operation, fields) => {
			const parameters = { resource: 'contact', operation, ...fields };
			await runNode(sandbox, { parameters });
			expect(sandbox.store.findByPhone('+4915123456789')?.tags).toEqual([stored]);
		},
	);

	test('is added as given if the list of tags cannot be read', async () => {
		addContact(sandbox, { id: contactId });
		sandbox.fail({ match: { path: '/v1/tags' }, kind: { status: 404 } });
		await runNode(sandbox, { parameters: change('add', 'Café') });
		expect(sandbox.store.contacts.get(contactId)?.tags).toEqual(['Café']);
	});
});
