import { InputProblem } from '../domain/problem';
import type { Field } from '../operations/fieldKinds';
import { recordField, textMode } from './recordField';

export const tagFilterField = recordField(
	'Tag',
	'tag',
	{ placeholder: 'Select a tag...', searchListMethod: 'searchTags' },
	textMode('name', 'By Name', { placeholder: 'e.g. vip' }),
);

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
export const tagsField = {
	displayName: 'More Tags',
	name: 'tags',
	type: 'string',
	default: '',
	placeholder: 'e.g. vip, newsletter',
	description:
		'Names of tags that are not in the list, separated by commas. A name that contains a comma needs an expression with an array.',
	accepts: 'names',
} as const satisfies Field;

/** For adding tags: an expression may evaluate to nothing. For removing them, that is an error. */
export const addedKnownTagsField = { ...knownTagsField, role: 'adds' } as const satisfies Field;
export const addedTagsField = { ...tagsField, role: 'adds' } as const satisfies Field;

/**
 * Combines chosen and typed tags, without repetitions.
 *
 * @throws InputProblem if there are none
 */
export function chosenTags(known: string[], others: string[]): string[] {
	const tags = [...new Set([...known, ...others])];
	if (tags.length > 0) return tags;
	throw new InputProblem(
		"No tag is given: 'Tag Names or IDs' and 'More Tags' are empty",
		'Choose a tag from the list, or type its name. If a field holds an expression, check that this item has the value it looks for.',
	);
}
