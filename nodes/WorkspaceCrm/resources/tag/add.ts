import { path } from '../../api/urls';
import { defineOperation } from '../../operations/define';
import { contactFields, contactKeyOf, findContactId } from '../contactReference';
import { addedKnownTagsField, addedTagsField, chosenTags } from '../tags';
import { forEachTag } from './eachTag';

export const add = defineOperation({
	value: 'add',
	name: 'Add to Contact',
	action: 'Add tags to contact',
	description:
		'Attach tags to a contact. Tags that do not exist yet are created, and automations may start.',
	effect: 'idempotent',
	fields: [...contactFields, addedKnownTagsField, addedTagsField],

	concurrencyKey: contactKeyOf,

	async execute(api, { knownTags, tags: otherTags, ...contact }) {
		const tags = chosenTags(knownTags, otherTags);
		const id = await findContactId(api, contact);
		await forEachTag(tags, 'added', async (name) =>
			api.send({
				method: 'POST',
				path: path`/v1/contacts/${id}/tags`,
				body: { name },
			}),
		);
		return { contact_id: id, added_tags: tags };
	},
});
