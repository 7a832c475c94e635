import type { INodeProperties } from 'n8n-workflow';

import type { Field } from '../operations/fieldKinds';
import { toProperty } from '../operations/properties';
import { simplifyField } from '../operations/simplifyField';
import { filtersField } from '../resources/contactFilters';
import { segmentField } from '../resources/recordField';

const EVENTS = {
	consentChanged: {
		name: 'Consent Changed',
		value: 'consentChanged',
		description: 'The opt-in status of a contact has changed',
	},
	entered: {
		name: 'Entered',
		value: 'entered',
		description: 'A contact is in the list that was not in it before',
	},
	erased: {
		name: 'Erased',
		value: 'erased',
		description: 'A contact that was in the list does not exist any more',
	},
	left: {
		name: 'Left',
		value: 'left',
		description: 'A contact is no longer in the list, but still exists',
	},
	tagAdded: {
		name: 'Tag Added',
		value: 'tagAdded',
		description: 'A contact has a tag that it did not have before',
	},
	tagRemoved: {
		name: 'Tag Removed',
		value: 'tagRemoved',
		description: 'A contact no longer has a tag that it had',
	},
	updated: {
		name: 'Updated',
		value: 'updated',
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
		options: EVENTS_OF[kind].map((event: ChangeEvent) => EVENTS[event]),
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
		description: 'The list that is read at each poll: one request for every 100 contacts in it',
	},
	{ ...segmentField, showWhen: { watch: ['segment'] } },
	{ ...filtersField, showWhen: { watch: ['filter'] } },
	eventsField('segment', 'entered'),
	eventsField('filter', 'entered'),
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
				default: true,
				description:
					"Whether 'Entered' also starts the workflow for each contact in the list when stock is taken: at the first reading, after a pause, and when what is watched changes. Without this option, stock is taken without starting anything.",
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
