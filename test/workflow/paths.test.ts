import type { INodeParameters } from 'n8n-workflow';

import { contactParameters } from './parameters';
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

/** All that puts a value of the user's into a path. */
const uses: Array<[name: string, parameters: INodeParameters, before: string, after: string]> = [
	[
		'the id of an automation',
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
		'the id of a segment',
		{
			resource: 'segment',
			operation: 'getContacts',
			segmentId: chosen('id', '={{ $json.value }}'),
		},
		'GET /v1/segments/',
		'/contacts',
	],
	[
		'the id of a subscription',
		{
			resource: 'subscription',
			operation: 'delete',
			subscriptionId: chosen('id', '={{ $json.value }}'),
		},
		'DELETE /v1/subscriptions/',
		'',
	],
	[
		'a tag to remove',
		{
			resource: 'tag',
			operation: 'remove',
			contactId: chosen('id', contactId),
			tags: '={{ [$json.value] }}',
		},
		`DELETE /v1/contacts/${contactId}/tags/`,
		'',
	],
];

describe.each(uses)('%s', (_name, parameters, before, after) => {
	test('stays one segment of the path, whatever it is', async () => {
		for (const value of possible) {
			sandbox.reset();
			const contact = addContact(sandbox, { id: contactId, tags: ['x', value] });
			await runNode(sandbox, { parameters, items: [{ value }] });
			expect(sentLines(sandbox)).toEqual([`${before}${encodeURIComponent(value)}${after}`]);
			expect(contact.tags).toEqual(parameters.resource === 'tag' ? ['x'] : ['x', value]);
		}
	});

	test.each(impossible)('%j is refused before any request', async (value) => {
		addContact(sandbox, { id: contactId });
		const { error } = await runNode(sandbox, { parameters, items: [{ value }] });
		expect(error?.message).toBe(`${JSON.stringify(value)} cannot be used as an ID or a name`);
		expect(sandbox.requests).toEqual([]);
	});
});

test('none is the id of a contact, and all are refused before any request', async () => {
	const contact = chosen('id', '={{ $json.value }}');
	const { failed } = await runNode(sandbox, {
		parameters: contactParameters('delete', contact),
		items: tricks.map((value) => ({ value })),
		onError: 'continueErrorOutput',
	});
	expect(failed).toHaveLength(tricks.length);
	for (const { error } of failed) expect(error).toMatch(/is not a contact ID \[item \d+\]$/);
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
