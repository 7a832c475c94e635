import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { AUTOMATION, TEMPLATE, type World } from './faults/world';
import { variablesOf } from '../tools/engine/engine';
import { eventTypes } from '../tools/sandbox/records';

/** What the tests know about an operation: how it is used, its requests and its effects. */
export interface OperationCase {
	/** In addition to resource and operation. Expressions read the item that `contactItem` makes. */
	parameters: INodeParameters;
	/**
	 * The requests that it may make, by method and path; `*` is one segment. With the parameters above
	 * it makes the first of them, once.
	 */
	endpoints: readonly [string, ...string[]];
	/** Whether the API reference does not show its answer, so that the schema cannot describe all of it. */
	isUnstated?: boolean;
	/** How it is used in tests with faults; by default, as above. */
	faults?: FaultCase[];
	/** What an item returns if all goes well; by default anything. */
	output?: (world: World, index: number) => object[];
	/** How many times the item was done, by the service's records. Not for operations that only read. */
	effects?: (world: World, index: number) => number;
	/** Whether its request may be sent again if the outcome is unknown; by default, it may. */
	isRepeatable?: boolean;
	/** Whether an output item says that its item is done; by default, it does. */
	claim?: (json: IDataObject) => Claim;
	/** Which part of the request identifies the item, if it must be sent at most once per item. */
	isAbout?: (body: IDataObject, world: World, index: number) => boolean;
	/** Whether its success has a body; by default, it has. */
	hasAnswer?: boolean;
	/** Further endpoints that it may call with other parameters. */
	alsoAsks?: string[];
	/** Whether it calls all of the endpoints, in this order. */
	callsAll?: boolean;
	/** Otherwise, how many of the endpoints it calls, in this order; 1 by default. */
	calls?: number;
	/** The request that `isRepeatable` and `isAbout` are about; by default, the first of the endpoints. */
	once?: string;
	/** Whether the execution waits afterwards; it then accepts one item only. */
	waits?: boolean;
	/** Whether its output reports what the service does wrong. */
	isReport?: boolean;
	/** Whether it reads a list by pages. */
	isLong?: boolean;
}

/** What differs while requests fail. */
export interface FaultCase {
	/** What is special about this case, if there are several. */
	variant?: string;
	/** Parameters that replace or extend those above. */
	parameters?: INodeParameters;
	/** The request that the faults strike; by default, the first of the endpoints. */
	struck?: string;
	/** Whether that request is made once for all items, so that all fail with it. */
	isForAll?: boolean;
	effects?: OperationCase['effects'];
	claim?: OperationCase['claim'];
}

/** What an output says about its item. */
export type Claim = 'done' | 'nothing done' | 'unknown';

/** A record in a resource locator, as the editor saves it. */
const chosen = (mode: string, value: string) => ({ __rl: true, mode, value });
const contactId = chosen('id', '={{ $json.contactId }}');
const templateVariables = variablesOf({ name: 'Anna' });

const contacts = 'GET /v1/contacts';
const templates = 'GET /v1/templates';

const byPhone: FaultCase = {
	variant: 'by phone',
	parameters: { contactId: chosen('phone', '={{ $json.phone }}') },
};

const targetOf = ({ sandbox, targets }: World, index: number) =>
	sandbox.store.contacts.get(targets[index].id);
const renames: OperationCase['effects'] = (world, index) =>
	Number(targetOf(world, index)?.name === `Renamed ${index}`);
const contactsWithNewPhone: OperationCase['effects'] = ({ sandbox }, index) =>
	[...sandbox.store.contacts.values()].filter(({ phone }) => phone === newPhone(index)).length;
const isAboutContact: OperationCase['isAbout'] = ({ contact_id }, { targets }, index) =>
	contact_id === targets[index].id;

/** A sync has done its item if it reports one of these actions. */
const synced =
	(...done: string[]): OperationCase['claim'] =>
	({ sync }) => {
		const { action } = sync as IDataObject;
		if (action === 'saved') return 'unknown';
		return done.includes(String(action)) ? 'done' : 'nothing done';
	};

const columns = (value: Record<string, string>) =>
	({ mappingMode: 'defineBelow', value, schema: [] }) as unknown as INodeParameters;

/** A list that the service returns without pages. */
function list(endpoint: string, output: OperationCase['output']): OperationCase {
	return {
		parameters: {},
		endpoints: [endpoint],
		isUnstated: true,
		faults: [{ parameters: { returnAll: true } }],
		output,
	};
}

/** By resource and operation, as workflows save them. `npm test` names an operation without a case. */
export const operationCases: Readonly<Record<string, OperationCase>> = {
	'automation enroll': {
		parameters: { automationId: chosen('id', AUTOMATION), contactId },
		endpoints: ['POST /v1/automations/*/enroll', contacts],
		isUnstated: true,
		isRepeatable: false,
		effects: ({ sandbox, targets }, index) =>
			sandbox.store.enrolments.filter(({ contact_id }) => contact_id === targets[index].id).length,
		isAbout: isAboutContact,
	},
	'automation getAll': list('GET /v1/automations', ({ sandbox }) => sandbox.store.automations),
	'contact delete': {
		parameters: { contactId, options: { maxContacts: 50 } },
		endpoints: ['DELETE /v1/contacts/*', contacts],
		hasAnswer: false,
		faults: [{}, byPhone],
		effects: (world, index) => Number(!targetOf(world, index)),
	},
	'contact get': {
		parameters: { contactId },
		endpoints: ['GET /v1/contacts/*', contacts],
		output: ({ targets }, index) => [targets[index]],
	},
	'contact getAll': {
		...list(contacts, ({ sandbox }) => [...sandbox.store.contacts.values()]),
		isUnstated: false,
		isLong: true,
	},
	'contact sync': {
		parameters: {
			columns: columns({ phone: '={{ $json.phone }}', name: '={{ $json.newName }}' }),
		},
		endpoints: [
			contacts,
			'PATCH /v1/contacts/*',
			'POST /v1/contacts',
			'GET /v1/contacts/*',
			'POST /v1/contacts/*/tags',
			'DELETE /v1/contacts/*/tags/*',
		],
		calls: 2,
		faults: [
			{ struck: 'PATCH /v1/contacts/*' },
			{
				variant: 'new contacts',
				parameters: { columns: columns({ phone: '={{ $json.newPhone }}' }) },
				struck: 'POST /v1/contacts',
				claim: synced('created'),
				effects: contactsWithNewPhone,
			},
			{
				variant: 'new contacts with a locale, the second request',
				parameters: { columns: columns({ phone: '={{ $json.newPhone }}', locale: 'fr' }) },
				struck: 'PATCH /v1/contacts/*',
				claim: synced('created'),
				effects: ({ sandbox }, index) => {
					const all = [...sandbox.store.contacts.values()];
					return all.filter((each) => each.phone === newPhone(index) && each.locale === 'fr')
						.length;
				},
			},
			{
				variant: 'tags to remove',
				parameters: {
					columns: columns({ phone: '={{ $json.phone }}', tags: 'new' }),
					options: { tagMode: 'match', tagPrefix: 'vip' },
				},
				struck: 'DELETE /v1/contacts/*/tags/*',
				effects: (world, index) => Number(targetOf(world, index)?.tags.join() === 'new'),
			},
		],
		claim: synced('updated'),
		effects: renames,
	},
	'contact update': {
		parameters: { contactId, updateFields: { name: '={{ $json.newName }}' } },
		endpoints: ['PATCH /v1/contacts/*', contacts],
		effects: renames,
	},
	'contact upsert': {
		parameters: { phone: '={{ $json.newPhone }}' },
		endpoints: ['POST /v1/contacts', 'PATCH /v1/contacts/*', contacts],
		faults: [
			{
				variant: 'new contacts',
				parameters: { additionalFields: { name: '={{ $json.newName }}', tags: 'imported' } },
				effects: contactsWithNewPhone,
			},
			{
				variant: 'with a locale, the second request',
				parameters: {
					phone: '={{ $json.phone }}',
					additionalFields: { locale: 'fr', name: '={{ $json.newName }}' },
				},
				struck: 'PATCH /v1/contacts/*',
				effects: (world, index) => Number(targetOf(world, index)?.locale === 'fr'),
			},
		],
	},
	'eventType getAll': {
		...list('GET /v1/events', () => eventTypes.map((name) => ({ name }))),
		isUnstated: false,
	},
	'message sendCampaign': {
		parameters: {
			contactId,
			template: chosen('name', TEMPLATE),
			templateVariables,
			campaignKey: 'spring',
		},
		endpoints: [
			templates,
			'GET /v1/contacts/*',
			'PATCH /v1/contacts/*',
			'POST /v1/messages/template',
		],
		alsoAsks: [contacts],
		callsAll: true,
		isUnstated: true,
		isRepeatable: false,
		once: 'POST /v1/messages/template',
		faults: [
			{ struck: 'POST /v1/messages/template' },
			{ variant: 'marking the contact', struck: 'PATCH /v1/contacts/*' },
			{ variant: 'reading the templates', struck: templates, isForAll: true },
			{ variant: 'reading the contacts', struck: contacts, isForAll: true },
		],
		effects: ({ sandbox, targets }, index) =>
			sandbox.store.sentMessages.filter(({ contact_id }) => contact_id === targets[index].id)
				.length,
		claim: ({ campaign }) =>
			(campaign as IDataObject).status === 'sent' ? 'done' : 'nothing done',
		isAbout: isAboutContact,
	},
	'message sendTemplate': {
		parameters: { contactId, template: chosen('name', TEMPLATE), templateVariables },
		endpoints: [
			'POST /v1/messages/template',
			contacts,
			'GET /v1/contacts/*',
			'PATCH /v1/contacts/*',
			templates,
		],
		isUnstated: true,
		isRepeatable: false,
		faults: [
			{},
			{
				variant: 'looking up the phone',
				parameters: { contactId: chosen('phone', '={{ $json.phone }}') },
				struck: contacts,
			},
		],
		effects: ({ sandbox, targets }, index) =>
			sandbox.store.sentMessages.filter(({ contact_id }) => contact_id === targets[index].id)
				.length,
		isAbout: isAboutContact,
	},
	'message sendAndWait': {
		parameters: { contactId, template: chosen('name', TEMPLATE), templateVariables },
		endpoints: [
			'GET /v1/workspace',
			'GET /v1/subscriptions',
			'POST /v1/subscriptions',
			'GET /v1/subscriptions',
			'POST /v1/messages/template',
		],
		alsoAsks: [templates],
		callsAll: true,
		isUnstated: true,
		isRepeatable: false,
		once: 'POST /v1/messages/template',
		waits: true,
		faults: [
			{ struck: 'POST /v1/messages/template' },
			{ variant: 'looking for other questions', struck: 'GET /v1/subscriptions' },
		],
		effects: ({ sandbox, targets }, index) =>
			sandbox.store.sentMessages.filter(({ contact_id }) => contact_id === targets[index].id)
				.length,
		isAbout: isAboutContact,
	},
	'segment getAll': list('GET /v1/segments', ({ sandbox }) =>
		sandbox.store.segments.map(({ id, name }) => ({ id, name })),
	),
	'segment getContacts': {
		...list('GET /v1/segments/*/contacts', ({ sandbox }) => [...sandbox.store.contacts.values()]),
		parameters: { segmentId: chosen('id', 'seg_vip') },
		isLong: true,
	},
	'subscription create': {
		parameters: { url: '={{ $json.url }}', events: ['tag.added'] },
		endpoints: ['POST /v1/subscriptions'],
		isRepeatable: false,
		effects: ({ sandbox }, index) => {
			const all = [...sandbox.store.subscriptions.values()];
			return all.filter(({ url }) => url === newUrl(index)).length;
		},
		isAbout: ({ url }, _world, index) => url === newUrl(index),
	},
	'subscription delete': {
		parameters: { subscriptionId: chosen('id', '={{ $json.subscriptionId }}') },
		endpoints: ['DELETE /v1/subscriptions/*'],
		hasAnswer: false,
		effects: ({ sandbox, subscriptionIds }, index) =>
			Number(!sandbox.store.subscriptions.has(subscriptionIds[index])),
	},
	'subscription getAll': {
		...list('GET /v1/subscriptions', ({ sandbox }) =>
			[...sandbox.store.subscriptions.values()].map(({ id, url, events, active, created_at }) => {
				return { id, url, events, active, created_at };
			}),
		),
		isUnstated: false,
	},
	'tag add': {
		parameters: { contactId, tags: 'new' },
		endpoints: ['POST /v1/contacts/*/tags', contacts],
		faults: [{ parameters: { tags: 'first, second' } }],
		effects: (world, index) => {
			const { tags = [] } = targetOf(world, index) ?? {};
			const counts = ['first', 'second'].map((name) => tags.filter((tag) => tag === name).length);
			return Math.max(...counts) > 1 ? Math.max(...counts) : Math.min(...counts);
		},
	},
	'tag getAll': list('GET /v1/tags', ({ sandbox }) => [...sandbox.store.tags.values()]),
	'tag remove': {
		parameters: { contactId, tags: 'vip' },
		endpoints: ['GET /v1/tags', 'DELETE /v1/contacts/*/tags/*', contacts],
		calls: 2,
		faults: [
			{ struck: 'DELETE /v1/contacts/*/tags/*' },
			{ ...byPhone, struck: 'DELETE /v1/contacts/*/tags/*' },
		],
		once: 'DELETE /v1/contacts/*/tags/*',
		// To look for the tag in another spelling, if the contact does not have the given one.
		alsoAsks: ['GET /v1/contacts/*'],
		effects: (world, index) => Number(!targetOf(world, index)?.tags.includes('vip')),
	},
	'template getAll': list('GET /v1/templates', ({ sandbox }) => sandbox.store.templates),
	'workspace checkApi': {
		parameters: {},
		endpoints: [
			'GET /v1/workspace',
			contacts,
			'GET /v1/contacts/*',
			'GET /v1/tags',
			'GET /v1/templates',
			'GET /v1/automations',
			'GET /v1/segments',
			'GET /v1/segments/*/contacts',
			'GET /v1/events',
			'GET /v1/subscriptions',
		],
		callsAll: true,
		isUnstated: true,
		isReport: true,
	},
	'workspace get': {
		parameters: {},
		endpoints: ['GET /v1/workspace'],
		output: () => [{ id: '6f1c1f0e-8f0b-4f43-9d6e-2b7a51c0d001', name: 'Harbour Coffee Roasters' }],
	},
};

const newPhone = (index: number) => `+1212${5_000_000 + index}`;
const newUrl = (index: number) => `https://new.example.com/${index}`;

/** The input item for a contact. */
export function contactItem({ id, phone }: { id: string; phone: string }, index: number) {
	return {
		contactId: id,
		phone,
		newName: `Renamed ${index}`,
		newPhone: newPhone(index),
		url: newUrl(index),
		subscriptionId: `sub_${index}`,
	};
}

/** The parameters of each operation, with the values of an item in place of the expressions. */
export function usesFor(item: Record<string, string>): Record<string, INodeParameters> {
	const uses = Object.entries(operationCases).map(([name, { parameters }]) => {
		const [resource, operation] = name.split(' ');
		const text = JSON.stringify({ resource, operation, ...parameters });
		const filled = text.replace(/=\{\{ \$json\.(\w+) \}\}/g, (_all, key: string) => item[key]);
		return [name, JSON.parse(filled) as INodeParameters] as const;
	});
	return Object.fromEntries(uses);
}
