import { endpoints, type Call } from '../api/endpoints';
import { defineOperation } from '../operations/define';
import type { Field } from '../operations/fieldKinds';
import { shownSubscription } from '../webhooks/subscriptions';
import { segmentField } from './recordField';

export const returnAllField = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} as const satisfies Field;

export const limitField = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	showWhen: { returnAll: [false] },
} as const satisfies Field;

/** How many records Get Many returns. */
export function pageLimits({ returnAll, limit }: { returnAll: boolean; limit: number }) {
	if (!returnAll) return { limit };
	return {
		ifIncomplete:
			"Run it again. If this happens again, turn off 'Return All' and set a 'Limit'. The node then outputs the records that the service gives, with a note.",
	};
}

/** Get Many for a list without pages. */
function getManyOf(call: Call<'list'>, texts: { action: string; description: string }) {
	return defineOperation({
		value: 'getAll',
		name: 'Get Many',
		...texts,
		effect: 'read',
		fields: [returnAllField, limitField],

		async execute(api, params) {
			return await api.list(call, pageLimits(params));
		},
	});
}

export const getAutomations = getManyOf(endpoints.getAutomations(), {
	action: 'Get many automations',
	description: 'List the automations of the workspace',
});

export const getEventTypes = getManyOf(endpoints.getEventTypes(), {
	action: 'Get many event types',
	description: 'List the types of events that the service can send',
});

export const getSegmentContacts = defineOperation({
	value: 'getContacts',
	name: 'Get Contacts',
	action: 'Get contacts in segment',
	description: 'List the contacts that match a segment now',
	effect: 'read',
	fields: [segmentField, returnAllField, limitField],

	async execute(api, params) {
		const id = params.segmentId.value;
		return await api.list(endpoints.getSegmentContacts(id), pageLimits(params));
	},
});

export const getSegments = getManyOf(endpoints.getSegments(), {
	action: 'Get many segments',
	description: 'List the segments of the workspace',
});

export const getSubscriptions = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many subscriptions',
	description:
		'List the active webhook subscriptions of the workspace, with those of executions that wait for a reply',
	effect: 'read',
	fields: [returnAllField, limitField],

	async execute(api, params) {
		const subscriptions = await api.list(endpoints.getSubscriptions(), pageLimits(params));
		return subscriptions.map(shownSubscription);
	},
});

export const getTags = getManyOf(endpoints.getTags(), {
	action: 'Get many tags',
	description: 'List the tags of the workspace',
});

export const getTemplates = getManyOf(endpoints.getTemplates(), {
	action: 'Get many templates',
	description: 'List the approved message templates',
});
