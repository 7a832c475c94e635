import { path } from '../../api/urls';
import { defineOperation } from '../../operations/define';
import { contactFields, contactKeyOf, findContactId } from '../contactReference';
import { chosenTags, knownTagsField, tagsField } from '../tags';
import { forEachTag } from './eachTag';

export const remove = defineOperation({
	value: 'remove',
	name: 'Remove From Contact',
	action: 'Remove tags from contact',
	description: 'Detach tags from a contact',
	effect: 'idempotent',
	fields: [...contactFields, knownTagsField, tagsField],

	concurrencyKey: contactKeyOf,

	async execute(api, { knownTags, tags: otherTags, ...contact }, { mayBeDone }) {
		const tags = chosenTags(knownTags, otherTags);
		const id = await findContactId(api, contact);
		// Checks all names before the first request: if one is not valid, none is removed.
		const paths = new Map(tags.map((name) => [name, path`/v1/contacts/${id}/tags/${name}`]));
		await forEachTag(tags, 'removed', async (name) =>
			api.send({
				method: 'DELETE',
				path: paths.get(name) ?? '',
				mayBeDone,
				advice: {
					404: 'The contact does not exist, or it does not have this tag. Check both; if the tag is gone already, there is nothing left to do.',
				},
			}),
		);
		return { contact_id: id, removed_tags: tags };
	},
});
