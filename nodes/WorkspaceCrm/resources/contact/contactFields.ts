import type { Field } from '../../operations/fieldKinds';

/** Fields that several operations share. */

/** Typed and not picked: a list of all countries would be most of what a model reads of the node. */
export const defaultCountryField = {
	displayName: 'Default Country',
	name: 'defaultCountry',
	type: 'string',
	// None, as numbers of other countries would be read wrong in silence.
	default: '',
	placeholder: 'e.g. Germany or DE',
	description:
		'The country of phone numbers that have no country code. Give its English name or its two-letter code.',
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
