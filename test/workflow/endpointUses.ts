import type { INodeParameters } from 'n8n-workflow';

import { chosen, contactId } from './support';

/** The contact that the uses are about; it is expected to have the tag 'vip'. */
const contact = chosen('id', contactId);

/** Every method and path of the API reference, and a use of the node that calls nothing else. */
export const endpointUses: Array<[endpoint: string, parameters: INodeParameters]> = [
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
