import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import { EVENT_TYPES, type Delivery, type EventType } from '../crm/records';
import { wrongValue } from '../domain/inputProblem';
import { asName, asWord, asWords, hasPhrase } from '../domain/sameText';
import { parseUtcMs } from '../domain/time';
import { count, names, on } from '../operations/fieldBuilders';
import type { Field, Params } from '../operations/fieldKinds';
import { readTriggerParams } from '../operations/params';
import { toProperty } from '../operations/properties';
import { knownTagsField, optionsCollection, simplifyField } from '../operations/sharedFields';

/**
 * The signature covers no time of sending, so anybody with a copy of a delivery could replay it later.
 * The service stops retrying after about 31 minutes (API reference, delivery).
 */
const DEFAULT_MAX_AGE_MINUTES = 60;

/** n8n shows no hints in collections, so the name says that words are meant: PRICES is another than price. */
const MESSAGE_CONTAINS = 'Message Contains Words';

/** A filter for events: an option of the trigger, and what it means. */
interface Filter<F extends Field = Field> {
	/** The only type of event that it applies to (API reference, event types); all, if missing. */
	event?: EventType;
	field: F;
	/** @param chosen undefined if the option is not added */
	passes: (delivery: Delivery, chosen: Chosen<F> | undefined, nowMs: number) => boolean;
	/** @throws InputProblem for a choice that every event, or none, would pass */
	assertChosen?: (chosen: Chosen<F> | undefined) => void;
	/** Why an event does not pass. */
	reason: string;
	/** The line for n8n's log, where every event may be dropped by mistake. */
	log?: string;
}

type Chosen<F extends Field> = Params<readonly [F]>[F['name'] & keyof Params<readonly [F]>];

function filter<const F extends Field>(each: Filter<F>): Filter<F> {
	return each;
}

/** All filters, in the order of the editor. */
export const FILTERS = [
	filter({
		event: 'form.submitted',
		field: names('Flow IDs', 'flowIds', {
			placeholder: 'e.g. 1234567890',
			description: 'Start only for these forms (comma-separated IDs)',
		}),
		passes: ({ flowId }, ids) => isListed(flowId, ids, asName),
		reason: 'the form is not among the chosen ones',
	}),
	filter({
		field: count('Max Age (Minutes)', 'maxAge', DEFAULT_MAX_AGE_MINUTES, {
			typeOptions: { minValue: 0 },
			description:
				'Start only for events that are no older than this when they arrive. If this option is not added, 60 minutes apply. 0 means any age.',
		}),
		// An event without a readable time passes: an extra run is better than a lost event.
		passes: ({ createdAt = '' }, minutes = DEFAULT_MAX_AGE_MINUTES, nowMs) =>
			!(minutes > 0 && nowMs - parseUtcMs(createdAt) > minutes * 60_000),
		reason: 'the event is too old',
		log: "started nothing: its event is older than 'Max Age' allows. If the event was new, the clock of n8n or of the service is wrong.",
	}),
	filter({
		event: 'message.received',
		field: names(MESSAGE_CONTAINS, 'messageContains', {
			placeholder: 'e.g. price*, opening hours',
			description:
				'Start only if the text has one of these whole words or phrases (comma-separated): price does not match prices, price* does. Case and accents do not matter.',
		}),
		passes: ({ messageText }, phrases = []) =>
			phrases.length === 0 || phrases.some((phrase) => hasPhrase(messageText, phrase)),
		assertChosen(phrases) {
			const blank = phrases?.find((phrase) => asWords(phrase) === '');
			if (blank !== undefined) throw wrongValue(MESSAGE_CONTAINS, blank, 'words or phrases');
		},
		reason: 'the message has none of the chosen words',
	}),
	filter({
		event: 'message.received',
		field: names('Message Types', 'messageTypes', {
			placeholder: 'e.g. text, image',
			description: 'Start only for messages of these types (comma-separated)',
		}),
		passes: ({ messageType }, types) => isListed(messageType, types, asWord),
		reason: 'the type of the message is not among the chosen ones',
	}),
	filter({
		event: 'message.received',
		field: on('Only New Contacts', 'onlyNewContacts', {
			description: 'Whether to start for received messages only if the contact is new',
		}),
		passes: ({ isNewContact }, onlyNew) => !onlyNew || isNewContact,
		reason: 'the contact is not new',
	}),
	filter({
		event: 'tag.added',
		field: {
			...knownTagsField,
			description:
				'Start only for these added tags. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		},
		passes: ({ tag }, tags) => isListed(tag, tags, asName),
		reason: 'the tag is not among the chosen ones',
	}),
] as const;

/**
 * Returns the filter that an event does not pass; undefined if it passes all. Without a choice, all but
 * 'Max Age' let it pass.
 */
export function filterAgainst(
	delivery: Delivery,
	options: Readonly<Record<string, unknown>>,
	nowMs: number,
): Filter | undefined {
	return (FILTERS as readonly Filter[]).find(
		({ event, field, passes }) =>
			(event === undefined || event === delivery.event) &&
			!passes(delivery, options[field.name] as never, nowMs),
	);
}

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
		hint: "The node's docs have a sample of each event. Only events that the CRM has signed start the workflow, and none older than 60 minutes: see 'Max Age (Minutes)'.",
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
	for (const { field, assertChosen } of FILTERS as readonly Filter[])
		assertChosen?.(Reflect.get(settings.options, field.name) as never);
	return settings;
}

/** Whether a value is among those chosen; if none is, all are. */
function isListed(value: string, chosen: string[] = [], alike: (text: string) => string): boolean {
	const known = alike(value);
	return chosen.length === 0 || (known !== '' && chosen.some((each) => alike(each) === known));
}
