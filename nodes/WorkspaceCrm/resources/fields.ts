import type { Field } from '../operations/define';

/** Fields that several resources share. What reads their values stands in `references.ts`. */

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

export const contactField = {
	displayName: 'Contact',
	name: 'contactId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a contact...',
			typeOptions: { searchListMethod: 'searchContacts', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b',
		},
		{
			displayName: 'By Phone',
			name: 'phone',
			type: 'string',
			placeholder: 'e.g. +49 1512 3456789',
			hint: 'With country code. Used only if exactly one contact has this number.',
		},
	],
} as const satisfies Field;

export const automationField = {
	displayName: 'Automation',
	name: 'automationId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select an automation...',
			typeOptions: { searchListMethod: 'searchAutomations', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string' },
	],
} as const satisfies Field;

export const segmentField = {
	displayName: 'Segment',
	name: 'segmentId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a segment...',
			typeOptions: { searchListMethod: 'searchSegments', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string' },
	],
} as const satisfies Field;

export const subscriptionField = {
	displayName: 'Subscription',
	name: 'subscriptionId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a subscription...',
			typeOptions: { searchListMethod: 'searchSubscriptions', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string' },
	],
} as const satisfies Field;

export const templateField = {
	displayName: 'Template',
	name: 'template',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a template...',
			typeOptions: { searchListMethod: 'searchTemplates', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string' },
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. order_update' },
	],
} as const satisfies Field;

export const tagsField = {
	displayName: 'Tags',
	name: 'tags',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. vip, newsletter',
	description:
		'Comma-separated names, or an expression that gives an array. A name that contains a comma needs the array.',
	accepts: 'names',
} as const satisfies Field;

/** For requests whose body the API reference does not show: what we assume can be changed. */
export const bodyOptionsField = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Body',
			name: 'body',
			type: 'json',
			default: '{}',
			description:
				'JSON to send. Use it if the service expects other fields than this node sends by default.',
		},
		{
			displayName: 'Body Mode',
			name: 'bodyMode',
			type: 'options',
			default: 'merge',
			description: "What to do with the JSON in 'Body'",
			options: [
				{
					name: 'Add to Default Body',
					value: 'merge',
					description: 'Fields given in both are taken from the JSON',
				},
				{
					name: 'Replace Default Body',
					value: 'replace',
					description: 'Only the JSON is sent',
				},
			],
		},
	],
} as const satisfies Field;
