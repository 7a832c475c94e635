import { readChoice } from '../crm/assumptions';
import type { Api } from '../crm/client';
import { CrmError, isNotFound } from '../crm/crmError';
import { readWholeContact } from '../crm/lookUp';
import { endpoints } from '../crm/endpoints';
import { InputProblem, rethrow } from '../domain/inputProblem';
import { findName, nameFinder } from '../domain/sameText';
import { labelText, plainText } from '../domain/text';
import { defineOperation } from '../operations/define';
import type { Field } from '../operations/fieldKinds';
import { knownTagsField, tagsField } from '../operations/sharedFields';
import { contactFields, contactKeyOf, findContactId } from './fields/contactReference';
import { getManyOf } from './fields/getMany';

/** For adding tags: an expression may evaluate to nothing. For removing them, that is an error. */
const addedKnownTagsField = { ...knownTagsField, mayBeNothing: true } as const satisfies Field;
const addedTagsField = { ...tagsField, mayBeNothing: true } as const satisfies Field;

/**
 * Combines chosen and typed tags, without repetitions.
 *
 * @throws InputProblem if there are none
 */
function chosenTags(known: string[], others: string[]): string[] {
	const tags = [...new Set([...known, ...others])];
	if (tags.length > 0) return tags;
	throw new InputProblem(
		"No tag is given: 'Tag Names or IDs' and 'More Tags' are empty",
		'Choose a tag from the list, or type its name. If a field holds an expression, check that this item has the value it looks for.',
	);
}

export const addTags = defineOperation({
	value: 'add',
	name: 'Add to Contact',
	action: 'Add tags to contact',
	description:
		'Attach tags to a contact. Tags that do not exist yet are created, and automations may start.',
	effect: 'idempotent',
	fields: [...contactFields, addedKnownTagsField, addedTagsField],

	order: contactKeyOf,

	async execute(api, { knownTags, tags: otherTags, ...contact }, { memory }) {
		const tags = chosenTags(knownTags, otherTags);
		const id = await findContactId(api, contact, memory);
		const call = endpoints.addTag(id);
		const names = await asKnownTags(api, tags);
		await forEachTag(names, 'added', async (name) => api.send(call, { body: { name } }));
		return { contact_id: id, added_tags: names };
	},
});

export const getTags = getManyOf(endpoints.getTags(), {
	action: 'Get many tags',
	description: 'List the tags of the workspace',
});

export const removeTags = defineOperation({
	value: 'remove',
	name: 'Remove From Contact',
	action: 'Remove tags from contact',
	description: 'Detach tags from a contact',
	effect: 'idempotent',
	fields: [...contactFields, knownTagsField, tagsField],

	order: contactKeyOf,

	async execute(api, { knownTags, tags: otherTags, ...contact }, { memory }) {
		const tags = chosenTags(knownTags, otherTags);
		const id = await findContactId(api, contact, memory);
		const callOf = (name: string) => endpoints.removeTag(id, name);
		// If one name is not valid, none is removed.
		for (const name of tags) callOf(name);
		const names = await asOnContact(api, id, tags);
		await forEachTag(names, 'removed', async (name) => {
			const options = { advice: { 404: NOT_THERE } };
			await api.send(callOf(name), options).catch(async (error: unknown) => {
				const spelling = await otherTag(api, id, name, error);
				await api.send(callOf(spelling ?? rethrow(error)), options);
			});
		});
		return { contact_id: id, removed_tags: names };
	},
});

/**
 * Tags to remove, in the spelling that the contact has: a service may call it a success to remove one that the
 * contact does not have. The contact is read only if the workspace has another spelling of one, or does not say.
 */
async function asOnContact(api: Api, id: string, tags: string[]): Promise<string[]> {
	const known = await tagNames(api).catch(() => undefined);
	if (known && tags.every((tag) => otherSpelling(tag, known) === undefined)) return tags;
	const contact = await readWholeContact(api, { id }).catch(() => undefined);
	const sameTag = nameFinder(contact?.tags ?? []);
	return tags.map((tag) => sameTag(tag) ?? tag);
}

/** The tag of a contact that people see as the same: the path of a tag takes only its exact name. */
async function otherTag(api: Api, id: string, name: string, error: unknown) {
	if (!isNotFound(error)) return undefined;
	const contact = await readWholeContact(api, { id }).catch(() => undefined);
	return otherSpelling(name, contact?.tags ?? []);
}

/** A name that people see as the same, but that is written otherwise. */
function otherSpelling(name: string, names: readonly string[]): string | undefined {
	return findName(
		name,
		names.filter((each) => each !== name),
	);
}

const tagNamesOf = new WeakMap<Api, Promise<string[]>>();

/** The names of the workspace's tags, which are read once in a run. */
export async function tagNames(api: Api): Promise<string[]> {
	const read = async () =>
		(await api.list(endpoints.getTags())).flatMap((tag) => readChoice(tag)?.name ?? []);
	const names = tagNamesOf.get(api.origin) ?? read();
	tagNamesOf.set(api.origin, names);
	return await names;
}

/**
 * Tags to add, in the spelling that the workspace has: another would create a tag that people cannot tell
 * from it. ASCII text, as most is, needs no request.
 */
export async function asKnownTags(api: Api, tags: string[]): Promise<string[]> {
	if (tags.every((tag) => /^[ -~]*$/.test(tag))) return tags;
	const sameTag = nameFinder(await tagNames(api).catch(() => []));
	return tags.map((tag) => sameTag(tag) ?? tag);
}

const MAX_DONE_CHARACTERS = 500;

const NOT_THERE = [
	'The contact does not have this tag, or does not exist',
	'If the tag is gone already, there is nothing left to do. Otherwise, check the contact and the spelling of the tag.',
] as const;

/**
 * Handles one tag after the other.
 *
 * @throws CrmError that names the tag that failed, if there are several, and those done before it
 */
async function forEachTag(
	tags: readonly string[],
	doneWord: string,
	act: (tag: string) => Promise<unknown>,
): Promise<void> {
	for (const [index, tag] of tags.entries()) {
		await act(tag).catch((error: unknown) => {
			if (tags.length === 1 || !(error instanceof CrmError)) throw error;
			const name = labelText(tag);
			const done = plainText(tags.slice(0, index).join(', '), MAX_DONE_CHARACTERS) || 'none';
			throw error.withContext(
				`This was for the tag '${name}'; tags ${doneWord} before it: ${done}.`,
			);
		});
	}
}
