import { COUNTRIES } from '../../domain/phone';
import type { Field } from '../../operations/fieldKinds';
import { recordField, textMode } from '../fields';

/** Fields that several operations share. What reads their values stands in `body.ts`. */

export const attributesField = {
	displayName: 'Attributes',
	name: 'attributes',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Attribute' },
	default: {},
	placeholder: 'Add Attribute',
	description: 'Custom fields of the contact. Other attributes that it has are kept.',
	role: 'adds',
	options: [
		{
			displayName: 'Attribute',
			name: 'values',
			values: [
				{
					...recordField(
						'Name',
						'name',
						{ placeholder: 'Select an attribute...', searchListMethod: 'searchAttributes' },
						textMode('name', 'By Name', { placeholder: 'e.g. plan' }),
					),
					required: false,
				},
				{ displayName: 'Value', name: 'value', type: 'string', default: '' },
			],
		},
	],
} as const satisfies Field;

export const attributesJsonField = {
	displayName: 'Attributes (JSON)',
	name: 'attributesJson',
	type: 'json',
	default: '{}',
	description:
		"Custom fields as a JSON object, for numbers, true/false and nested values. Where a name is also in 'Attributes', the JSON counts.",
	role: 'adds',
} as const satisfies Field;

export const defaultCountryField = {
	displayName: 'Default Country',
	name: 'defaultCountry',
	type: 'options',
	default: 'US',
	options: COUNTRIES.map(({ name, code }) => ({ name, value: code })),
	description: 'Country in which a phone number without country code is read',
	role: 'guards',
	accepts: 'any',
} as const satisfies Field;

export const localeField = {
	displayName: 'Locale',
	name: 'locale',
	type: 'string',
	default: '',
	placeholder: 'e.g. en',
	description: 'Language code of the contact',
} as const satisfies Field;

export const nameField = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
	placeholder: 'e.g. Nathan Smith',
} as const satisfies Field;

export const sourceField = {
	displayName: 'Source',
	name: 'source',
	type: 'string',
	default: '',
	placeholder: 'e.g. web shop',
	description: 'Where the contact comes from',
} as const satisfies Field;
