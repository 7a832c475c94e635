import type { INodeProperties } from 'n8n-workflow';

import type { Field } from '../operations/fieldKinds';
import { toProperty } from '../operations/properties';
import { simplifyField } from '../operations/simplifyField';
import { filtersField } from '../resources/contactFilters';
import { segmentField } from '../resources/recordField';

const EVENTS = {
	consentChanged: {
		name: 'Consent Changed',
		action: 'Consent Changed',
		description: 'The opt-in status of a contact has changed',
	},
	entered: {
		name: 'Entered',
		action: 'Contact Entered Segment or Filter',
		description: 'A contact is new in the list',
	},
	erased: {
		name: 'Erased',
		action: 'Contact Erased',
		description: 'A contact of the list no longer exists',
	},
	left: {
		name: 'Left',
		action: 'Contact Left Segment or Filter',
		description: 'A contact is no longer in the list but still exists',
	},
	tagAdded: {
		name: 'Tag Added',
		action: 'Tag Added to Contact',
		description: 'A contact has a new tag',
	},
	tagRemoved: {
		name: 'Tag Removed',
		action: 'Tag Removed From Contact',
		description: 'A tag was removed from a contact',
	},
	updated: {
		name: 'Updated',
		action: 'Contact Updated',
		description: "One of the chosen 'Fields' of a contact has changed",
	},
} as const;

export type ChangeEvent = keyof typeof EVENTS;

/** What can be watched, and the events that fit it. Rows of a segment are not stated (API reference). */
export const EVENTS_OF = {
	all: ['consentChanged', 'entered', 'erased', 'tagAdded', 'tagRemoved', 'updated'],
	filter: ['consentChanged', 'entered', 'erased', 'left', 'tagAdded', 'tagRemoved', 'updated'],
	segment: ['entered', 'erased', 'left'],
} as const satisfies Record<string, readonly ChangeEvent[]>;

export type WatchKind = keyof typeof EVENTS_OF;

/** The label of an event, as the editor shows it. */
export function eventLabel(event: ChangeEvent): string {
	return EVENTS[event].name;
}

/** Every kind has its own list, under the same name, so that a choice that fits survives a switch. */
function eventsField<const K extends WatchKind>(kind: K, byDefault: ChangeEvent) {
	return {
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: EVENTS_OF[kind].map((value: ChangeEvent) => ({ value, ...EVENTS[value] })),
		default: [byDefault],
		accepts: 'names',
		showWhen: { watch: [kind] },
	} as const satisfies Field;
}

export const watchFields = [
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'All Contacts', value: 'all' },
			{ name: 'Contacts by Filter', value: 'filter' },
			{ name: 'Segment', value: 'segment' },
		],
		default: 'segment',
		description:
			'The list to read at each poll, with one request for every 100 contacts, and at most 10,000 contacts',
	},
	{ ...segmentField, showWhen: { watch: ['segment'] } },
	{ ...filtersField, showWhen: { watch: ['filter'] } },
	// First, because n8n's node panel has an entry for each event of the first 'Trigger On'.
	eventsField('filter', 'entered'),
	eventsField('segment', 'entered'),
	eventsField('all', 'updated'),
	{
		displayName: 'Fields',
		name: 'fields',
		type: 'multiOptions',
		options: [
			{ name: 'Attributes', value: 'attributes' },
			{ name: 'Last Message', value: 'last_inbound_at' },
			{ name: 'Locale', value: 'locale' },
			{ name: 'Name', value: 'name' },
			{ name: 'Source', value: 'source' },
		],
		default: ['attributes', 'locale', 'name', 'source'],
		description:
			"The fields whose changes count for 'Updated'. Attributes that begin with 'sent:' are marks of campaigns and do not count.",
		accepts: 'names',
		showWhen: { watch: ['all', 'filter'], events: ['updated'] },
	},
	simplifyField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Start for Existing Contacts',
				name: 'startForExisting',
				type: 'boolean',
				default: false,
				description:
					"Whether 'Entered' also starts the workflow for each contact that is already in the list at the first poll, after a pause, and after a change of what is watched",
			},
		],
	},
] as const satisfies readonly Field[];

/** As n8n knows them. A fresh array each time, because n8n adds its Poll Times to it. */
export function watchProperties(): INodeProperties[] {
	return watchFields.map((field: Field) => {
		const property = toProperty(field) as INodeProperties;
		if (!field.showWhen) return property;
		const show = Object.entries(field.showWhen).map(([name, values]) => [name, [...values]]);
		return { ...property, displayOptions: { show: Object.fromEntries(show) } };
	});
}
