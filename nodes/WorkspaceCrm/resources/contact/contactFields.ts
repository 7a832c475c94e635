import type { Field } from '../../operations/fieldKinds';

/** Fields that several operations share. */

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
