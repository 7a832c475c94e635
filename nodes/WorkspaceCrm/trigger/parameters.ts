import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import { toWords } from './filter';
import { EVENT_TYPES } from '../api/types';
import { InputProblem, wrongValue } from '../domain/problem';
import type { Field } from '../operations/fieldKinds';
import { toProperty } from '../operations/properties';
import { knownTagsField, optionsCollection, simplifyField } from '../operations/sharedFields';
import { readTriggerParams } from '../operations/params';

/**
 * The signature covers no time of sending, so anybody with a copy of a delivery could replay it later.
 * The service stops retrying after about 31 minutes (API reference, delivery).
 */
const DEFAULT_MAX_AGE_MINUTES = 60;

const filterFields = [
	{
		displayName: 'Flow IDs',
		name: 'flowIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1234567890',
		description: 'Start only for these forms (comma-separated IDs)',
		accepts: 'names',
		showWhen: { '/events': ['form.submitted'] },
	},
	{
		displayName: 'Max Age (Minutes)',
		name: 'maxAge',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_MAX_AGE_MINUTES,
		description:
			'Start only for events that are no older than this when they arrive. If this option is not added, 60 minutes apply. 0 means any age.',
	},
	{
		displayName: 'Message Contains',
		name: 'messageContains',
		type: 'string',
		default: '',
		placeholder: 'e.g. price, opening hours',
		description:
			'Start only if the text has one of these words or phrases (comma-separated). Matches whole words, in upper or lower case.',
		accepts: 'names',
		showWhen: { '/events': ['message.received'] },
	},
	{
		displayName: 'Message Types',
		name: 'messageTypes',
		type: 'string',
		default: '',
		placeholder: 'e.g. text, image',
		description: 'Start only for messages of these types (comma-separated)',
		accepts: 'names',
		showWhen: { '/events': ['message.received'] },
	},
	{
		displayName: 'Only New Contacts',
		name: 'onlyNewContacts',
		type: 'boolean',
		default: true,
		description: 'Whether to start for received messages only if the contact is new',
		showWhen: { '/events': ['message.received'] },
	},
	{
		...knownTagsField,
		description:
			'Start only for these added tags. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		showWhen: { '/events': ['tag.added'] },
	},
] as const satisfies readonly Field[];

const triggerFields = [
	{
		// n8n's node panel lists one entry per event if the field has this label.
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: EVENT_TYPES.map((eventType) => ({ ...eventType })),
		default: [],
		description:
			'Which events start the workflow. An expression can name further ones, as an array or comma-separated text.',
		// Here, because n8n does not show hints of collections.
		hint: "Events older than 60 minutes do not start the workflow. To change that, add the option 'Max Age'.",
		accepts: 'names',
	},
	simplifyField,
	{
		...optionsCollection,
		options: filterFields,
	},
] as const satisfies readonly Field[];

export const triggerProperties: INodeProperties[] = triggerFields.map(
	(field) => toProperty(field) as INodeProperties,
);

/**
 * The chosen events and filters, and whether to simplify the output.
 *
 * @throws InputProblem if no event is chosen, or a filter is invalid: otherwise every event would pass
 */
export function readSettings(context: IHookFunctions | IWebhookFunctions) {
	const { events, simplify, options } = readTriggerParams(context, triggerFields);
	const { knownTags: tags, maxAge = DEFAULT_MAX_AGE_MINUTES, ...narrowed } = options;
	const blank = narrowed.messageContains?.find((word) => toWords(word) === '');
	if (blank !== undefined) throw wrongValue('Message Contains', blank, 'words or phrases');
	// 0 means any age.
	const maxAgeMs = (maxAge || Infinity) * 60_000;
	if (events.length > 0) return { ...narrowed, tags, events, maxAgeMs, simplify };
	throw new InputProblem(
		'No event is chosen',
		"Choose at least one in 'Trigger On', then publish again.",
	);
}
