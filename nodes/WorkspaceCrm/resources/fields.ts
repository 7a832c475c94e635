import type { INodePropertyMode } from 'n8n-workflow';

import type { listSearch } from '../editor/listSearch';
import { CONTACT_ID_PATTERN } from './contactId';
import type { Field } from '../operations/fieldKinds';

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

/** A way to name a record other than picking it from the list. */
export function textMode(
	name: string,
	displayName: string,
	texts: Pick<INodePropertyMode, 'hint' | 'placeholder' | 'validation'> = {},
): INodePropertyMode {
	const type = 'string';
	return { ...texts, name, displayName, type };
}

/** A record that is picked from a list, or named in one of the other ways. */
export function recordField<const N extends string>(
	displayName: string,
	name: N,
	list: { placeholder: string; searchListMethod: keyof typeof listSearch },
	...otherModes: readonly INodePropertyMode[]
) {
	const { placeholder, searchListMethod } = list;
	const typeOptions = { searchListMethod, searchable: true };
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', placeholder, typeOptions },
			...otherModes,
		],
	} as const satisfies Field;
}

export const contactField = recordField(
	'Contact',
	'contactId',
	{ placeholder: 'Select a contact...', searchListMethod: 'searchContacts' },
	textMode('id', 'By ID', {
		placeholder: 'e.g. 3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b',
		validation: [
			{
				type: 'regex',
				properties: {
					regex: CONTACT_ID_PATTERN,
					errorMessage: "Not a contact ID: it looks like the example, and is the field 'id'",
				},
			},
		],
	}),
	// The editor cuts off anything longer.
	textMode('phone', 'Phone', {
		placeholder: 'e.g. +49 1512 3456789',
		hint: 'With country code. Used only if exactly one contact has this number.',
	}),
);

export const automationField = recordField(
	'Automation',
	'automationId',
	{ placeholder: 'Select an automation...', searchListMethod: 'searchAutomations' },
	textMode('id', 'By ID'),
);

export const segmentField = recordField(
	'Segment',
	'segmentId',
	{ placeholder: 'Select a segment...', searchListMethod: 'searchSegments' },
	textMode('id', 'By ID'),
);

export const subscriptionField = recordField(
	'Subscription',
	'subscriptionId',
	{ placeholder: 'Select a subscription...', searchListMethod: 'searchSubscriptions' },
	textMode('id', 'By ID'),
);

export const templateField = recordField(
	'Template',
	'template',
	{ placeholder: 'Select a template...', searchListMethod: 'searchTemplates' },
	textMode('id', 'By ID'),
	textMode('name', 'By Name', { placeholder: 'e.g. order_update' }),
);

export const tagFilterField = recordField(
	'Tag',
	'tag',
	{ placeholder: 'Select a tag...', searchListMethod: 'searchTags' },
	textMode('name', 'By Name', { placeholder: 'e.g. vip' }),
);

/** Tags that exist, to choose from. */
export const knownTagsField = {
	displayName: 'Tag Names or IDs',
	name: 'knownTags',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getTags' },
	default: [],
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	accepts: 'names',
} as const satisfies Field;

/** Tags by name, also those that do not exist yet. */
export const tagsField = {
	displayName: 'New or Other Tags',
	name: 'tags',
	type: 'string',
	default: '',
	placeholder: 'e.g. vip, newsletter',
	description:
		'Comma-separated names, or an expression that gives an array. A name that contains a comma needs the array.',
	accepts: 'names',
} as const satisfies Field;

/** For adding tags, where an expression may give nothing. For removing them, that is an error. */
export const addedKnownTagsField = { ...knownTagsField, role: 'adds' } as const satisfies Field;
export const addedTagsField = { ...tagsField, role: 'adds' } as const satisfies Field;

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
			role: 'adds',
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
