import type { INodeParameters } from 'n8n-workflow';

import { runNode } from './runNode';
import { addContact, chosen, useSandbox } from './support';

const contactId = '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b';
const contact = chosen('id', contactId);
const sandbox = useSandbox();

/** Every method and path of the API reference, and a use of the node that calls nothing else. */
const endpoints: Array<[endpoint: string, parameters: INodeParameters]> = [
	['GET /v1/workspace', { resource: 'workspace', operation: 'get' }],
	['POST /v1/contacts', { resource: 'contact', operation: 'upsert', phone: '+4915123456780' }],
	['GET /v1/contacts', { resource: 'contact', operation: 'getAll' }],
	['GET /v1/contacts/{id}', { resource: 'contact', operation: 'get', contactId: contact }],
	[
		'PATCH /v1/contacts/{id}',
		{
			resource: 'contact',
			operation: 'update',
			contactId: contact,
			updateFields: { name: 'Nathan Smith' },
		},
	],
	['DELETE /v1/contacts/{id}', { resource: 'contact', operation: 'delete', contactId: contact }],
	['GET /v1/tags', { resource: 'tag', operation: 'getAll' }],
	[
		'POST /v1/contacts/{id}/tags',
		{ resource: 'tag', operation: 'add', contactId: contact, tags: 'new' },
	],
	[
		'DELETE /v1/contacts/{id}/tags/{name}',
		{ resource: 'tag', operation: 'remove', contactId: contact, tags: 'vip' },
	],
	['GET /v1/templates', { resource: 'template', operation: 'getAll' }],
	[
		'POST /v1/messages/template',
		{
			resource: 'message',
			operation: 'sendTemplate',
			contactId: contact,
			template: chosen('name', 'welcome'),
		},
	],
	['GET /v1/automations', { resource: 'automation', operation: 'getAll' }],
	[
		'POST /v1/automations/{id}/enroll',
		{
			resource: 'automation',
			operation: 'enroll',
			automationId: chosen('id', 'aut_win_back'),
			contactId: contact,
		},
	],
	['GET /v1/segments', { resource: 'segment', operation: 'getAll' }],
	[
		'GET /v1/segments/{id}/contacts',
		{ resource: 'segment', operation: 'getContacts', segmentId: chosen('id', 'seg_vip') },
	],
	['GET /v1/events', { resource: 'eventType', operation: 'getAll' }],
	['GET /v1/subscriptions', { resource: 'subscription', operation: 'getAll' }],
	[
		'POST /v1/subscriptions',
		{
			resource: 'subscription',
			operation: 'create',
			url: 'https://example.com/events',
			events: ['contact.created'],
		},
	],
	[
		'DELETE /v1/subscriptions/{id}',
		{ resource: 'subscription', operation: 'delete', subscriptionId: chosen('id', 'sub_1') },
	],
];

const ids = [contactId, 'aut_win_back', 'seg_vip', 'sub_1'];

function endpointOf({ method, path }: { method: string; path: string }): string {
	const segments = path.split('/').map((segment) => (ids.includes(segment) ? '{id}' : segment));
	return `${method} ${segments.join('/').replace(/tags\/vip$/, 'tags/{name}')}`;
}

beforeEach(() => addContact(sandbox, { id: contactId, tags: ['vip'] }));

test.each(endpoints)(
	'%s is called by a workflow, once, and answers',
	async (endpoint, parameters) => {
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		expect(sandbox.requests.map(endpointOf)).toEqual([endpoint]);
		expect([200, 201, 204]).toContain(sandbox.requests[0].status);
	},
);

test('the operations together call every endpoint of the API, and none besides', async () => {
	for (const [, parameters] of endpoints) {
		addContact(sandbox, { id: contactId, tags: ['vip'] });
		await runNode(sandbox, { parameters });
	}
	expect(new Set(sandbox.requests.map(endpointOf))).toEqual(
		new Set([
			'POST /v1/contacts',
			'GET /v1/contacts',
			'GET /v1/contacts/{id}',
			'PATCH /v1/contacts/{id}',
			'DELETE /v1/contacts/{id}',
			'GET /v1/tags',
			'POST /v1/contacts/{id}/tags',
			'DELETE /v1/contacts/{id}/tags/{name}',
			'GET /v1/templates',
			'POST /v1/messages/template',
			'GET /v1/automations',
			'POST /v1/automations/{id}/enroll',
			'GET /v1/segments',
			'GET /v1/segments/{id}/contacts',
			'GET /v1/events',
			'GET /v1/subscriptions',
			'POST /v1/subscriptions',
			'DELETE /v1/subscriptions/{id}',
			'GET /v1/workspace',
		]),
	);
});
