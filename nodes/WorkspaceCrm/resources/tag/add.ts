import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { contactField, contactKeyOf, findContactId } from '../contactReference';
import { addedKnownTagsField, addedTagsField, chosenTags } from '../tags';
import { forEachTag } from './eachTag';

export const add = defineOperation({
	value: 'add',
	name: 'Add to Contact',
	action: 'Add tags to contact',
	description:
		'Attach tags to a contact. Tags that do not exist yet are created, and automations may start.',
	effect: 'idempotent',
	fields: [contactField, addedKnownTagsField, addedTagsField],

	concurrencyKey: ({ contactId }) => contactKeyOf(contactId),

	async execute(api, { contactId, knownTags, tags: otherTags }) {
		const tags = chosenTags(knownTags, otherTags);
		const id = await findContactId(api, contactId);
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
