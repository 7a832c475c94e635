import type { INodeParameters } from 'n8n-workflow';

import { eventTypes } from '../tools/sandbox/records';
import {
	chosen,
	contactId,
	contacts,
	contactsWithNewPhone,
	isAboutContact,
	newPhone,
	renames,
	targetOf,
	templates,
	templateVariables,
	type FaultCase,
	type OperationCase,
} from './operationCase';
import { ofFeatures } from './support/features';
import { AUTOMATION, TEMPLATE } from './faults/world';

export type { Claim, FaultCase, OperationCase } from './operationCase';

const byPhone: FaultCase = {
	variant: 'by phone',
	parameters: { contactId: chosen('phone', '={{ $json.phone }}') },
};

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

const own: Readonly<Record<string, OperationCase>> = {
	'automation enroll': {
		inN8n: ['/ connection dropped within the answer', '/ no answer for more than a minute'],
		isKilledInN8n: true,
		otherUses: [{ parameters: { options: { onConflict: 'skip' } }, opt_in_status: 'opted_out' }],
		parameters: { automationId: chosen('id', AUTOMATION), contactId },
		endpoints: ['POST /v1/automations/*/enroll', contacts],
		// For its number, if the credential says that the service wants that.
		alsoAsks: ['GET /v1/contacts/*'],
		isUnstated: true,
		isRepeatable: false,
		effects: ({ sandbox, targets }, index) =>
			sandbox.store.enrolments.filter(({ contact_id }) => contact_id === targets[index].id).length,
		isAbout: isAboutContact,
	},
	'automation getAll': list('GET /v1/automations', ({ sandbox }) => sandbox.store.automations),
	'contact delete': {
		inN8n: ['/ connection dropped after the effect'],
		isKilledInN8n: true,
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
		inN8n: ['/ a total that is too high'],
		isKilledInN8n: true,
		...list(contacts, ({ sandbox }) => [...sandbox.store.contacts.values()]),
		isUnstated: false,
		isLong: true,
	},
	'contact update': {
		inN8n: ['/ 33 MB', '/ a redirect', '/ an answer that claims to be gzip'],
		parameters: { contactId, updateFields: { name: '={{ $json.newName }}' } },
		endpoints: ['PATCH /v1/contacts/*', contacts],
		// To name attributes as the contact does.
		alsoAsks: ['GET /v1/contacts/*'],
		effects: renames,
	},
	'contact upsert': {
		inN8n: ['(new contacts) / 503 with Retry-After'],
		otherUses: [{ parameters: { additionalFields: { optIn: 'no' } } }],
		parameters: { phone: '={{ $json.newPhone }}' },
		endpoints: ['POST /v1/contacts', 'PATCH /v1/contacts/*', contacts],
		alsoAsks: ['GET /v1/tags'],
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
	'message sendTemplate': {
		inN8n: [
			'/ 422 that echoes the key',
			'/ dropped after the effect, and n8n set to Retry On Fail',
		],
		isKilledInN8n: true,
		otherUses: [
			{ parameters: { options: { onConflict: 'skip' } }, opt_in_status: 'opted_out' },
			{ parameters: { options: { campaignKey: 'spring' } } },
			{ parameters: { options: { campaignKey: 'spring' } }, opt_in_status: 'pending' },
			{ parameters: { options: { sendOnceKey: 'order-1' } }, opt_in_status: 'none' },
		],
		parameters: { contactId, template: chosen('name', TEMPLATE), templateVariables },
		endpoints: [
			'POST /v1/messages/template',
			contacts,
			'GET /v1/contacts/*',
			'PATCH /v1/contacts/*',
			templates,
		],
		asksFirst: templates,
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
	'segment getAll': list('GET /v1/segments', ({ sandbox }) =>
		sandbox.store.segments.map(({ id, name }) => ({ id, name })),
	),
	'segment getContacts': {
		inN8n: ['/ a page that is missing'],
		...list('GET /v1/segments/*/contacts', ({ sandbox }) => [...sandbox.store.contacts.values()]),
		parameters: { segmentId: chosen('id', 'seg_vip') },
		isLong: true,
	},
	'subscription create': {
		inN8n: ['/ 504 of a gateway after the effect', '/ nothing'],
		isKilledInN8n: true,
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
		inN8n: ['/ the service restarted after the first request'],
		parameters: { subscriptionId: chosen('id', '={{ $json.subscriptionId }}') },
		endpoints: ['DELETE /v1/subscriptions/*'],
		hasAnswer: false,
		effects: ({ sandbox, subscriptionIds }, index) =>
			Number(!sandbox.store.subscriptions.has(subscriptionIds[index])),
	},
	'subscription getAll': {
		inN8n: ['/ 422 that echoes the key'],
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
		alsoAsks: ['GET /v1/tags'],
		faults: [{ parameters: { tags: 'first, second' } }],
		effects: (world, index) => {
			const { tags = [] } = targetOf(world, index) ?? {};
			const counts = ['first', 'second'].map((name) => tags.filter((tag) => tag === name).length);
			return Math.max(...counts) > 1 ? Math.max(...counts) : Math.min(...counts);
		},
	},
	'tag getAll': list('GET /v1/tags', ({ sandbox }) => [...sandbox.store.tags.values()]),
	'tag remove': {
		inN8n: ['/ 429 storm, Retry-After: 1'],
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
	'template getAll': {
		...list('GET /v1/templates', ({ sandbox }) => sandbox.store.templates),
		inN8n: ['/ 429, Retry-After: an hour'],
	},
	'workspace checkApi': {
		inN8n: ['/ the key revoked after the first request'],
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
		inN8n: ['/ every connection dropped'],
		parameters: {},
		endpoints: ['GET /v1/workspace'],
		output: () => [{ id: '6f1c1f0e-8f0b-4f43-9d6e-2b7a51c0d001', name: 'Harbour Coffee Roasters' }],
	},
};

/** By resource and operation, as workflows save them. `npm test` names an operation without a case. */
export const operationCases: Readonly<Record<string, OperationCase>> = Object.fromEntries(
	[own, ...ofFeatures<{ cases: typeof own }>('operationCase').map(({ cases }) => cases)]
		.flatMap((cases) => Object.entries(cases))
		.sort(([one], [other]) => (one < other ? -1 : 1)),
);

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

/** The same for tests with one contact. */
export function usesForOne(item: Record<string, string>): Record<string, INodeParameters> {
	const uses = Object.entries(usesFor(item)).map(
		([name, use]) => [name, { ...use, ...operationCases[name].forOne }] as const,
	);
	return Object.fromEntries(uses);
}
