import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { eventTypes } from '../sandbox/records';
import { AUTOMATION, TEMPLATE, type World } from './world';

/** One way to use an operation, and how to tell from the service's side what came of it. */
export interface OperationRow {
	/** Resource and operation, as workflows save them. */
	operation: string;
	/** Where an operation stands in several rows: what is special about this one. */
	variant?: string;
	parameters: INodeParameters;
	/** The input item for each target. */
	item: (world: World, index: number) => IDataObject;
	/** The request that the faults strike. */
	struck: { method: string; path: RegExp };
	/** Whether it may be sent again when its end is unclear. */
	isRepeatable: boolean;
	/** Whether its success has a body. */
	hasAnswer: boolean;
	/** What the service has of the item: how many times it was done. Not for what only reads. */
	effects?: (world: World, index: number) => number;
	/** The request that must not come twice for an item, by what it says of the item. */
	once?: { path: RegExp; isAbout: (body: IDataObject, world: World, index: number) => boolean };
	/** What an item gives when all is well; by default anything. */
	output?: (world: World, index: number) => object[];
	/** Whether it reads a list by pages. */
	isLong?: boolean;
}

const chosen = (mode: string, value: string) => ({ __rl: true, mode, value });
const contactById = chosen('id', '={{ $json.contactId }}');
const contactByPhone = chosen('phone', '={{ $json.phone }}');

const contactItem: OperationRow['item'] = ({ targets }, index) => ({
	contactId: targets[index].id,
	phone: targets[index].phone,
	newName: `Renamed ${index}`,
	newPhone: `+1212${String(5_000_000 + index)}`,
	url: `https://new.example.com/${index}`,
	subscriptionId: `sub_${index}`,
});

const contactsPath = /^\/v1\/contacts$/;
const contactPath = /^\/v1\/contacts\/[^/]+$/;
const tagPath = /^\/v1\/contacts\/[^/]+\/tags(\/[^/]+)?$/;

const sends: Pick<OperationRow, 'effects' | 'once'> = {
	effects: ({ sandbox, targets }, index) =>
		sandbox.store.sentMessages.filter(({ contact_id }) => contact_id === targets[index].id).length,
	once: {
		path: /^\/v1\/messages\/template$/,
		isAbout: ({ contact_id }, { targets }, index) => contact_id === targets[index].id,
	},
};
const enrols: Pick<OperationRow, 'effects' | 'once'> = {
	effects: ({ sandbox, targets }, index) =>
		sandbox.store.enrolments.filter(({ contact_id }) => contact_id === targets[index].id).length,
	once: {
		path: /^\/v1\/automations\/[^/]+\/enroll$/,
		isAbout: ({ contact_id }, { targets }, index) => contact_id === targets[index].id,
	},
};
const renames: Pick<OperationRow, 'effects'> = {
	effects: ({ sandbox, targets }, index) =>
		Number(sandbox.store.contacts.get(targets[index].id)?.name === `Renamed ${index}`),
};

function reading(
	operation: string,
	path: RegExp,
	output: (world: World) => object[],
	parameters: INodeParameters = { returnAll: true },
): OperationRow {
	const [resource, name] = operation.split(' ');
	return {
		operation,
		parameters: { resource, operation: name, ...parameters },
		item: contactItem,
		struck: { method: 'GET', path },
		isRepeatable: true,
		hasAnswer: true,
		output,
	};
}

/** Every operation of the registry at least once; a test sees to it. */
export const operationRows: OperationRow[] = [
	reading('automation getAll', /^\/v1\/automations$/, ({ sandbox }) => sandbox.store.automations),
	reading('template getAll', /^\/v1\/templates$/, ({ sandbox }) => sandbox.store.templates),
	reading('tag getAll', /^\/v1\/tags$/, ({ sandbox }) => [...sandbox.store.tags.values()]),
	reading('segment getAll', /^\/v1\/segments$/, ({ sandbox }) =>
		sandbox.store.segments.map(({ id, name }) => ({ id, name })),
	),
	reading('eventType getAll', /^\/v1\/events$/, () => eventTypes.map((name) => ({ name }))),
	reading('subscription getAll', /^\/v1\/subscriptions$/, ({ sandbox }) =>
		[...sandbox.store.subscriptions.values()].map(({ id, url, events, active, created_at }) => {
			return { id, url, events, active, created_at };
		}),
	),
	{
		...reading('contact getAll', contactsPath, ({ sandbox }) => [
			...sandbox.store.contacts.values(),
		]),
		isLong: true,
	},
	{
		...reading(
			'segment getContacts',
			/^\/v1\/segments\/[^/]+\/contacts$/,
			({ sandbox }) => [...sandbox.store.contacts.values()],
			{ returnAll: true, segmentId: chosen('id', 'seg_vip') },
		),
		isLong: true,
	},
	reading(
		'workspace get',
		/^\/v1\/workspace$/,
		() => [{ id: '6f1c1f0e-8f0b-4f43-9d6e-2b7a51c0d001', name: 'Harbour Coffee Roasters' }],
		{},
	),
	{
		operation: 'contact get',
		parameters: { resource: 'contact', operation: 'get', contactId: contactById },
		item: contactItem,
		struck: { method: 'GET', path: contactPath },
		isRepeatable: true,
		hasAnswer: true,
		output: ({ targets }, index) => [targets[index]],
	},
	{
		operation: 'contact upsert',
		variant: 'new contacts',
		parameters: {
			resource: 'contact',
			operation: 'upsert',
			phone: '={{ $json.newPhone }}',
			additionalFields: { name: '={{ $json.newName }}', tags: 'imported' },
		},
		item: contactItem,
		struck: { method: 'POST', path: contactsPath },
		isRepeatable: true,
		hasAnswer: true,
		effects: ({ sandbox }, index) => {
			const phone = `+1212${String(5_000_000 + index)}`;
			return [...sandbox.store.contacts.values()].filter((contact) => contact.phone === phone)
				.length;
		},
	},
	{
		operation: 'contact upsert',
		variant: 'with a locale, the second request',
		parameters: {
			resource: 'contact',
			operation: 'upsert',
			phone: '={{ $json.phone }}',
			additionalFields: { locale: 'fr', name: '={{ $json.newName }}' },
		},
		item: contactItem,
		struck: { method: 'PATCH', path: contactPath },
		isRepeatable: true,
		hasAnswer: true,
		effects: ({ sandbox, targets }, index) =>
			Number(sandbox.store.contacts.get(targets[index].id)?.locale === 'fr'),
	},
	{
		operation: 'contact update',
		parameters: {
			resource: 'contact',
			operation: 'update',
			contactId: contactById,
			updateFields: { name: '={{ $json.newName }}' },
		},
		item: contactItem,
		struck: { method: 'PATCH', path: contactPath },
		isRepeatable: true,
		hasAnswer: true,
		...renames,
	},
	{
		operation: 'contact delete',
		parameters: { resource: 'contact', operation: 'delete', contactId: contactById },
		item: contactItem,
		struck: { method: 'DELETE', path: contactPath },
		isRepeatable: true,
		hasAnswer: false,
		effects: ({ sandbox, targets }, index) =>
			Number(!sandbox.store.contacts.has(targets[index].id)),
	},
	{
		operation: 'contact sync',
		parameters: {
			resource: 'contact',
			operation: 'sync',
			columns: {
				mappingMode: 'defineBelow',
				value: { phone: '={{ $json.phone }}', name: '={{ $json.newName }}' },
				schema: [],
			},
		} as unknown as INodeParameters,
		item: contactItem,
		struck: { method: 'PATCH', path: contactPath },
		isRepeatable: true,
		hasAnswer: true,
		...renames,
	},
	{
		operation: 'tag add',
		parameters: {
			resource: 'tag',
			operation: 'add',
			contactId: contactById,
			tags: 'first, second',
		},
		item: contactItem,
		struck: { method: 'POST', path: tagPath },
		isRepeatable: true,
		hasAnswer: true,
		effects: ({ sandbox, targets }, index) => {
			const { tags = [] } = sandbox.store.contacts.get(targets[index].id) ?? {};
			const counts = ['first', 'second'].map((name) => tags.filter((tag) => tag === name).length);
			return Math.max(...counts) > 1 ? Math.max(...counts) : Math.min(...counts);
		},
	},
	{
		operation: 'tag remove',
		parameters: {
			resource: 'tag',
			operation: 'remove',
			contactId: contactById,
			tags: 'vip',
		},
		item: contactItem,
		struck: { method: 'DELETE', path: tagPath },
		isRepeatable: true,
		hasAnswer: true,
		effects: ({ sandbox, targets }, index) =>
			Number(!sandbox.store.contacts.get(targets[index].id)?.tags.includes('vip')),
	},
	{
		operation: 'message sendTemplate',
		parameters: {
			resource: 'message',
			operation: 'sendTemplate',
			contactId: contactById,
			template: chosen('name', TEMPLATE),
		},
		item: contactItem,
		struck: { method: 'POST', path: /^\/v1\/messages\/template$/ },
		isRepeatable: false,
		hasAnswer: true,
		...sends,
	},
	{
		operation: 'message sendTemplate',
		variant: 'looking up the phone',
		parameters: {
			resource: 'message',
			operation: 'sendTemplate',
			contactId: contactByPhone,
			template: chosen('name', TEMPLATE),
		},
		item: contactItem,
		struck: { method: 'GET', path: contactsPath },
		isRepeatable: true,
		hasAnswer: true,
		...sends,
	},
	{
		operation: 'automation enroll',
		parameters: {
			resource: 'automation',
			operation: 'enroll',
			automationId: chosen('id', AUTOMATION),
			contactId: contactById,
		},
		item: contactItem,
		struck: { method: 'POST', path: /^\/v1\/automations\/[^/]+\/enroll$/ },
		isRepeatable: false,
		hasAnswer: true,
		...enrols,
	},
	{
		operation: 'subscription create',
		parameters: {
			resource: 'subscription',
			operation: 'create',
			url: '={{ $json.url }}',
			events: ['tag.added'],
		},
		item: contactItem,
		struck: { method: 'POST', path: /^\/v1\/subscriptions$/ },
		isRepeatable: false,
		hasAnswer: true,
		effects: ({ sandbox }, index) =>
			[...sandbox.store.subscriptions.values()].filter(
				({ url }) => url === `https://new.example.com/${index}`,
			).length,
		once: {
			path: /^\/v1\/subscriptions$/,
			isAbout: ({ url }, _world, index) => url === `https://new.example.com/${index}`,
		},
	},
	{
		operation: 'subscription delete',
		parameters: {
			resource: 'subscription',
			operation: 'delete',
			subscriptionId: chosen('id', '={{ $json.subscriptionId }}'),
		},
		item: contactItem,
		struck: { method: 'DELETE', path: /^\/v1\/subscriptions\/[^/]+$/ },
		isRepeatable: true,
		hasAnswer: false,
		effects: ({ sandbox, subscriptionIds }, index) =>
			Number(!sandbox.store.subscriptions.has(subscriptionIds[index])),
	},
];

export const rowName = ({ operation, variant }: OperationRow) =>
	variant ? `${operation} (${variant})` : operation;
