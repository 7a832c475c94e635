import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import { EVENT_TYPES } from '../api/types';
import { wrongValue } from '../domain/problem';
import type { Field } from '../operations/fieldKinds';
import { readTriggerParams } from '../operations/params';
import { toProperty } from '../operations/properties';
import { optionsCollection, simplifyField } from '../operations/sharedFields';
import { FILTERS, toWords } from './filters';

const triggerFields = [
	{
		// n8n's node panel lists one entry per event if the field has this label.
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: EVENT_TYPES.map((eventType) => ({ ...eventType })),
		default: [],
		required: true,
		description:
			'Which events start the workflow. An expression can name further ones, as an array or comma-separated text.',
		// Here, because n8n does not show hints of collections.
		hint: "Events older than 60 minutes do not start the workflow. To change that, add the option 'Max Age'.",
		accepts: 'names',
	},
	simplifyField,
	{
		...optionsCollection,
		options: FILTERS.map(({ event, field }) =>
			event === undefined ? field : { ...field, showWhen: { '/events': [event] } },
		),
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
	const settings = readTriggerParams(context, triggerFields);
	const blank = settings.options.messageContains?.find((phrase) => toWords(phrase) === '');
	if (blank !== undefined) throw wrongValue('Message Contains', blank, 'words or phrases');
	return settings;
}
