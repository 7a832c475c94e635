import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import type { EventFilter } from '../domain/eventFilter';
import { EVENT_TYPES } from '../domain/eventTypes';
import { readNames } from '../domain/list';
import { InputProblem } from '../domain/problem';

export const triggerProperties: INodeProperties[] = [
	{
		// With this label, n8n's node panel lists one entry for each event.
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: EVENT_TYPES.map((eventType) => ({ ...eventType })),
		default: [],
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Flow IDs',
				name: 'flowIds',
				type: 'string',
				default: '',
				placeholder: 'e.g. 1234567890',
				description: 'For submitted forms: start only for these forms (comma-separated IDs)',
			},
			{
				displayName: 'Max Age (Minutes)',
				name: 'maxAge',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 60,
				description: 'Do not start for events that are older than this when they arrive',
			},
			{
				displayName: 'Message Types',
				name: 'messageTypes',
				type: 'string',
				default: '',
				placeholder: 'e.g. text, image',
				description: 'For received messages: start only for these types (comma-separated)',
			},
			{
				displayName: 'Only New Contacts',
				name: 'onlyNewContacts',
				type: 'boolean',
				default: true,
				description: 'Whether to start for received messages only if the contact is new',
			},
			{
				displayName: 'Other Events',
				name: 'otherEvents',
				type: 'string',
				default: '',
				placeholder: 'e.g. message.delivered',
				description:
					"Events that the service offers and 'Trigger On' does not list (comma-separated names)",
			},
			{
				displayName: 'Tags',
				name: 'tags',
				type: 'string',
				default: '',
				placeholder: 'e.g. vip, newsletter',
				description: 'For added tags: start only for these tags (comma-separated names)',
			},
		],
	},
];

/** The options as they are saved; each may be missing. */
interface TriggerOptions {
	flowIds?: unknown;
	maxAge?: unknown;
	messageTypes?: unknown;
	onlyNewContacts?: boolean;
	otherEvents?: unknown;
	tags?: unknown;
}

/**
 * The names of the chosen events.
 *
 * @throws InputProblem when there is none
 */
export function readEvents(context: IHookFunctions | IWebhookFunctions): string[] {
	const { otherEvents } = readOptions(context);
	const chosen = readNames(context.getNodeParameter('events', []), 'Trigger On');
	const others = readNames(otherEvents, 'Other Events');
	const events = [...new Set([...chosen, ...others])];
	if (events.length > 0) return events;
	throw new InputProblem(
		'No event is chosen',
		"Choose at least one in 'Trigger On', then publish again.",
	);
}

export function readFilter(context: IWebhookFunctions): EventFilter {
	const { flowIds, maxAge, messageTypes, onlyNewContacts, tags } = readOptions(context);
	const maxAgeMinutes = Number(maxAge);
	return {
		events: readEvents(context),
		tags: readNames(tags, 'Tags'),
		messageTypes: readNames(messageTypes, 'Message Types'),
		flowIds: readNames(flowIds, 'Flow IDs'),
		onlyNewContacts,
		...(maxAgeMinutes > 0 && { maxAgeMs: maxAgeMinutes * 60_000 }),
	};
}

function readOptions(context: IHookFunctions | IWebhookFunctions): TriggerOptions {
	return context.getNodeParameter('options', {}) as TriggerOptions;
}
