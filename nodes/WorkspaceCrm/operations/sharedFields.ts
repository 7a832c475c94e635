import { names, on } from './fieldBuilders';
import type { Field } from './fieldKinds';

/** The head of every 'Options' collection; each adds its own options. */
export const optionsCollection = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
} as const;

export const simplifyField = on('Simplify', 'simplify', {
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** Existing tags to choose from. n8n's linter demands this label for a list from the service. */
export const knownTagsField = {
	displayName: 'Tag Names or IDs',
	name: 'knownTags',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getTags' },
	default: [],
	description:
		'For tags, the ID is the name. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	accepts: 'names',
} as const satisfies Field;

/** Tags by name, including new ones. */
export const tagsField = names('More Tags', 'tags', {
	placeholder: 'e.g. vip, newsletter',
	description:
		'Names of tags that are not in the list, separated by commas. A name that contains a comma needs an expression with an array.',
});

/** In place of a switch, which cannot be left blank, and shows a choice that nobody made. */
export const YES_OR_NO = [
	{ name: 'Yes', value: 'yes' },
	{ name: 'No', value: 'no' },
	{ name: "Don't Change", value: '' },
] as const;
