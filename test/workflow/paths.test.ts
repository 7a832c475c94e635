import type { INodeParameters } from 'n8n-workflow';

import { runNode } from './runNode';
import { addContact, chosen, contactId, sentLines, useSandbox } from './support';

const sandbox = useSandbox();

/** Values that a careless client would let choose another endpoint, or break. */
const tricks = [
	'../x',
	'..',
	'.',
	'a/b',
	'a\\b',
	'../../../v1/workspace',
	'/v1/workspace',
	'%2e%2e',
	'%2F',
	'%',
	'?',
	'#',
	'a?b=c&d#e',
	';x=1',
	'a+b c',
	'café',
	'東京 🎉',
	"it's (100%) *new*!",
	'constructor',
	'\ud800',
];
/** URLs know no way to write these as one segment. */
const impossible = ['..', '.', '\ud800'];
const possible = tricks.filter((value) => !impossible.includes(value));

function removeTag(): INodeParameters {
	return {
		resource: 'tag',
		operation: 'remove',
		contactId: chosen('id', contactId),
		tags: '={{ [$json.value] }}',
	};
}

const byId: Array<[name: string, parameters: INodeParameters, before: string, after: string]> = [
	[
		'automation',
		{
			resource: 'automation',
			operation: 'enroll',
			automationId: chosen('id', '={{ $json.value }}'),
			contactId: chosen('id', contactId),
		},
		'POST /v1/automations/',
		'/enroll',
	],
	[
		'segment',
		{
			resource: 'segment',
			operation: 'getContacts',
			segmentId: chosen('id', '={{ $json.value }}'),
		},
		'GET /v1/segments/',
		'/contacts',
	],
	[
		'subscription',
		{
			resource: 'subscription',
			operation: 'delete',
			subscriptionId: chosen('id', '={{ $json.value }}'),
		},
		'DELETE /v1/subscriptions/',
		'',
	],
];

test.each(possible)('a tag called %j is detached, and nothing else happens', async (value) => {
	const contact = addContact(sandbox, { id: contactId, tags: ['x', value, 'b'] });
	const { error, json } = await runNode(sandbox, { parameters: removeTag(), items: [{ value }] });
	expect(error).toBeUndefined();
	expect(json).toEqual([{ contact_id: contactId, removed_tags: [value] }]);
	expect(sentLines(sandbox)).toEqual([
		`DELETE /v1/contacts/${contactId}/tags/${encodeURIComponent(value)}`,
	]);
	expect(contact.tags).toEqual(['x', 'b']);
});

test.each(possible)('a tag called %j is attached under just this name', async (value) => {
	const contact = addContact(sandbox, { id: contactId });
	await runNode(sandbox, {
		parameters: { ...removeTag(), operation: 'add' },
		items: [{ value }],
	});
	expect(contact.tags).toEqual([value]);
});

test.each(impossible)('a tag called %j cannot be detached, and is refused', async (value) => {
	const contact = addContact(sandbox, { id: contactId, tags: ['x'] });
	const { error } = await runNode(sandbox, { parameters: removeTag(), items: [{ value }] });
	expect(error?.message).toBe(`${JSON.stringify(value)} cannot be used as an ID or a name`);
	expect(sandbox.requests).toEqual([]);
	expect(contact.tags).toEqual(['x']);
});

describe.each(byId)('the id of a %s', (_name, parameters, before, after) => {
	test.each(possible)('%j stays one segment of the path', async (value) => {
		addContact(sandbox, { id: contactId });
		await runNode(sandbox, { parameters, items: [{ value }] });
		expect(sentLines(sandbox)).toEqual([`${before}${encodeURIComponent(value)}${after}`]);
	});

	test.each(impossible)('%j is refused before any request', async (value) => {
		addContact(sandbox, { id: contactId });
		const { error } = await runNode(sandbox, { parameters, items: [{ value }] });
		expect(error?.message).toMatch(/cannot be used as an ID or a name$/);
		expect(sandbox.requests).toEqual([]);
	});
});

test.each(tricks)('%j is no id of a contact, and is refused before any request', async (value) => {
	const { error } = await runNode(sandbox, {
		parameters: {
			resource: 'contact',
			operation: 'delete',
			contactId: chosen('id', '={{ $json.value }}'),
		},
		items: [{ value }],
	});
	expect(error?.message).toMatch(/is not a contact ID$/);
	expect(sandbox.requests).toEqual([]);
});

test('filters with the marks of a query stay what they are', async () => {
	const tag = 'a&tag=b#c?d=%20+é';
	addContact(sandbox, { tags: [tag] });
	const { json } = await runNode(sandbox, {
		parameters: { resource: 'contact', operation: 'getAll', filters: { tag } },
	});
	expect(json).toHaveLength(1);
	expect(sandbox.requests[0].query).toEqual({ tag, limit: '50', offset: '0' });
});
