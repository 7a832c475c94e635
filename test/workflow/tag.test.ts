import type { INodeParameters } from 'n8n-workflow';

import { runNode } from './runNode';
import { addContact, chosen, contactId, paired, sent, useSandbox } from './support';

const sandbox = useSandbox();

function change(operation: 'add' | 'remove', tags: string): INodeParameters {
	return { resource: 'tag', operation, contactId: chosen('id', contactId), tags };
}

test('add attaches one tag after the other, and gives their names', async () => {
	const contact = addContact(sandbox, { id: contactId, tags: ['lead'] });
	const { output } = await runNode(sandbox, { parameters: change('add', 'vip, newsletter') });
	expect(output).toEqual(paired([0, { contact_id: contactId, added_tags: ['vip', 'newsletter'] }]));
	expect(contact.tags).toEqual(['lead', 'vip', 'newsletter']);
	expect(sent(sandbox)).toEqual([
		{ request: `POST /v1/contacts/${contactId}/tags`, body: { name: 'vip' } },
		{ request: `POST /v1/contacts/${contactId}/tags`, body: { name: 'newsletter' } },
	]);
});

test('remove detaches one tag after the other, and gives their names', async () => {
	const contact = addContact(sandbox, { id: contactId, tags: ['vip', 'lead', 'newsletter'] });
	const { output } = await runNode(sandbox, { parameters: change('remove', 'vip,newsletter') });
	expect(output).toEqual(
		paired([0, { contact_id: contactId, removed_tags: ['vip', 'newsletter'] }]),
	);
	expect(contact.tags).toEqual(['lead']);
	expect(sent(sandbox)).toEqual([
		{ request: `DELETE /v1/contacts/${contactId}/tags/vip` },
		{ request: `DELETE /v1/contacts/${contactId}/tags/newsletter` },
	]);
});

test.each(['add', 'remove'] as const)('%s takes an array by expression', async (operation) => {
	const contact = addContact(sandbox, { id: contactId, tags: ['a, b', '2025'] });
	await runNode(sandbox, {
		parameters: change(operation, '={{ $json.tags }}'),
		items: [{ tags: ['a, b', 2025] }],
	});
	expect(contact.tags).toEqual(operation === 'add' ? ['a, b', '2025'] : []);
	expect(sandbox.requests).toHaveLength(2);
});

test.each(['add', 'remove'] as const)(
	'%s takes a tag from the list in exactly its form',
	async (operation) => {
		const contact = addContact(sandbox, { id: contactId, tags: ['vip'] });
		if (operation === 'remove') contact.tags.push('vip ');
		await runNode(sandbox, { parameters: { ...change(operation, ''), knownTags: ['vip '] } });
		expect(contact.tags).toEqual(operation === 'add' ? ['vip', 'vip '] : ['vip']);
	},
);

test.each(['add', 'remove'] as const)(
	'%s of nothing is refused before any request',
	async (operation) => {
		const { error } = await runNode(sandbox, { parameters: change(operation, ' , ') });
		expect(error?.message).toBe("No tag is given: 'Tag Names or IDs' and 'More Tags' are empty");
		expect(sandbox.requests).toEqual([]);
	},
);

test('a failure half-way names the tag, and those that were done before it', async () => {
	const contact = addContact(sandbox, { id: contactId });
	sandbox.fail({ skip: 2, kind: { status: 422, detail: 'name too long' } });
	const { error } = await runNode(sandbox, { parameters: change('add', 'a, b, c, d') });
	expect(error).toMatchObject({
		httpCode: '422',
		description: expect.stringMatching(
			/^This was for the tag 'c'; tags added before it: a, b\. .+"name too long"/,
		),
	});
	expect(contact.tags).toEqual(['a', 'b']);
	expect(sandbox.requests).toHaveLength(3);
});

test('a name that cannot be removed is refused before any is', async () => {
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

test('tags chosen from the list and tags typed are taken together, each once', async () => {
	const contact = addContact(sandbox, { id: contactId });
	const parameters = { ...change('add', 'lead, vip'), knownTags: ['vip', 'newsletter'] };
	const { output } = await runNode(sandbox, { parameters });
	expect(output).toEqual(
		paired([0, { contact_id: contactId, added_tags: ['vip', 'newsletter', 'lead'] }]),
	);
	expect(contact.tags).toEqual(['vip', 'newsletter', 'lead']);
});
