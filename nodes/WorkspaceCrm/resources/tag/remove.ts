import { path } from '../../domain/path';
import { defineOperation } from '../../operations/define';
import { contactField, tagsField } from '../fields';
import { findContactId } from '../references';
import { forEachTag } from './eachTag';

export const remove = defineOperation({
	value: 'remove',
	name: 'Remove From Contact',
	action: 'Remove tags from contact',
	description: 'Detach tags from a contact',
	fields: [contactField, tagsField],

	async execute(api, { contactId, tags }) {
		const id = await findContactId(api, contactId);
		await forEachTag(tags, 'removed', async (name) =>
			api.send({
				method: 'DELETE',
				path: path`/v1/contacts/${id}/tags/${name}`,
				repeatable: true,
			}),
		);
		return { contact_id: id, removed_tags: tags };
	},
});
