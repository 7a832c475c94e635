import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import type { Contact } from '../crm/records';
import { endpoints, type Call } from '../crm/endpoints';
import { InputProblem, wrongValue } from '../domain/inputProblem';
import { choice, off } from '../operations/fieldBuilders';
import { findName } from '../domain/sameText';
import type { Field, Params } from '../operations/fieldKinds';
import { toProperty } from '../operations/properties';
import { optionsCollection, simplifyField } from '../operations/sharedFields';
import { readTriggerParams } from '../operations/params';
import { filtersField, toContactQuery } from '../resources/fields/contactFilters';
import { segmentField } from '../resources/fields/recordField';

const EVENTS = {
	consentChanged: { name: 'Consent Changed', action: 'Consent Changed' },
	entered: {
		name: 'Entered',
		action: 'New Contact in Segment or List',
		description: 'A contact is new among those that you watch',
	},
	erased: {
		name: 'Erased',
		action: 'Contact Erased',
		description: 'A contact that you watch no longer exists',
	},
	left: {
		name: 'Left',
		action: 'Contact Left Segment',
		description: 'A contact is no longer in the list but still exists',
	},
	tagAdded: { name: 'Tag Added', action: 'Tag Added to Contact' },
	tagRemoved: { name: 'Tag Removed', action: 'Tag Removed From Contact' },
	updated: {
		name: 'Updated',
		action: 'Contact Updated',
		description: "One of the chosen 'Fields' of a contact has changed",
	},
} as const;

export type ChangeEvent = keyof typeof EVENTS;

/** The events for each kind of list. A segment has few, because the API reference does not show its rows. */
const EVENTS_OF = {
	all: ['consentChanged', 'entered', 'erased', 'tagAdded', 'tagRemoved', 'updated'],
	filter: ['consentChanged', 'entered', 'erased', 'left', 'tagAdded', 'tagRemoved', 'updated'],
	segment: ['entered', 'erased', 'left'],
} as const satisfies Record<string, readonly ChangeEvent[]>;

type WatchKind = keyof typeof EVENTS_OF;

/** The fields that 'Updated' can watch (API reference, Contact). */
const FIELDS = [
	{ name: 'Attributes', value: 'attributes' },
	{ name: 'Last Message', value: 'last_inbound_at' },
	{ name: 'Locale', value: 'locale' },
	{ name: 'Name', value: 'name' },
	{ name: 'Source', value: 'source' },
] as const;

export const WATCHABLE_FIELDS = FIELDS.map(({ value }) => value);

/**
 * One field for each kind, all with the same name and default, so that valid choices survive switching 'Watch': n8n
 * does not save a default, and takes that of the new field.
 */
function eventsField<const K extends WatchKind>(kind: K) {
	return {
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: EVENTS_OF[kind].map((value: ChangeEvent) => ({ value, ...EVENTS[value] })),
		default: ['entered'],
		required: true,
		accepts: 'names',
		showWhen: { watch: [kind] },
	} as const satisfies Field;
}

const watchFields = [
	choice('Watch', 'watch', 'segment', {
		noDataExpression: true,
		options: [
			{ name: 'All Contacts', value: 'all' },
			{ name: 'Contacts by Filter', value: 'filter' },
			{ name: 'Segment', value: 'segment' },
		],
		description:
			'The list to read at each poll, with one request for every 100 contacts, and at most 10,000 contacts',
	}),
	{ ...segmentField, showWhen: { watch: ['segment'] } },
	{ ...filtersField, showWhen: { watch: ['filter'] } },
	// n8n's node panel lists the events of the first 'Trigger On', and sets 'Watch' to the first kind that shows it.
	eventsField('segment'),
	eventsField('filter'),
	eventsField('all'),
	{
		displayName: 'Fields',
		name: 'fields',
		type: 'multiOptions',
		options: FIELDS,
		default: ['attributes', 'locale', 'name', 'source'],
		required: true,
		description:
			"The fields whose changes count for 'Updated'. Attributes that begin with 'sent:' are marks of campaigns and do not count.",
		accepts: 'names',
		showWhen: { watch: ['all', 'filter'], events: ['updated'] },
	},
	simplifyField,
	{
		...optionsCollection,
		options: [
			off('Start for Existing Contacts', 'startForExisting', {
				description:
					"Whether 'Entered' also starts the workflow for each contact that is already in the list at the first poll, after a pause, and after a change of what is watched",
			}),
		],
	},
] as const satisfies readonly Field[];

type WatchParams = Partial<Params<typeof watchFields>>;

/** A new array each time, because n8n adds its Poll Times to it. */
export function watchProperties(): INodeProperties[] {
	return watchFields.map((field) => toProperty(field) as INodeProperties);
}

/**
 * Reads what the user chose to watch.
 *
 * @throws InputProblem for an invalid setting
 */
export function readWatched(context: IPollFunctions) {
	const { watch: kind } = readTriggerParams(context, [watchFields[0]]);
	// Of several fields with the same name, read only the visible one.
	const isShown = ({ showWhen }: Field) => !showWhen?.watch || showWhen.watch.includes(kind);
	const params: WatchParams = readTriggerParams(context, watchFields.filter(isShown));
	const events = new Set(readChosen<ChangeEvent>('Trigger On', params.events, EVENTS_OF[kind]));
	const segment = params.segmentId?.value ?? '';
	const query = kind === 'filter' ? toContactQuery(params.filters ?? {}) : {};
	if (kind === 'filter' && Object.keys(query).length === 0) {
		throw new InputProblem(
			"'Contacts by Filter' has no filter, so it would watch every contact",
			"Add a filter under 'Filters', or choose 'All Contacts' in 'Watch'.",
		);
	}
	// The API reference does not show the rows of a segment, so strings count as IDs.
	const call: Call<'pages'> =
		kind === 'segment' ? endpoints.getSegmentContacts(segment) : endpoints.getContacts();
	return {
		kind,
		list: { call, query },
		events,
		/** The fields to compare, for 'Updated'. */
		fields: events.has('updated') ? readChosen('Fields', params.fields, WATCHABLE_FIELDS) : [],
		/** Whether to compare tags. */
		hasTags: events.has('tagAdded') || events.has('tagRemoved'),
		simplify: params.simplify ?? true,
		startForExisting: params.options?.startForExisting ?? false,
	};
}

export type Watched = Readonly<ReturnType<typeof readWatched>>;

/** @throws InputProblem if nothing is chosen, or a value is not among those that fit */
function readChosen<T extends string>(
	label: string,
	chosen: readonly string[] = [],
	fitting: readonly T[],
): T[] {
	const found = fitting.filter((value) => chosen.includes(value));
	if (found.length > 0 && found.length === new Set(chosen).size) return found;
	throw wrongValue(label, chosen, `one or more of: ${fitting.join(', ')}`);
}

/** Whether a contact certainly matches the filter. Only the service can tell for a segment or a search. */
export function surelyMatches({ kind, list }: Watched, contact: Contact): boolean {
	const { search, tag, opt_in_status } = list.query;
	if (kind === 'segment' || search !== undefined) return false;
	const hasTag = tag === undefined || findName(tag, contact.tags) !== undefined;
	return hasTag && (opt_in_status === undefined || contact.optInStatus === opt_in_status);
}
