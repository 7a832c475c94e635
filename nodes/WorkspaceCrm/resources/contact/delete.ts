import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { contactFields, findContactId } from '../contactReference';

export const deleteContact = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete contact',
	description: 'Erase a contact permanently, together with its consent trail and its tag links',
	hints: [
		{
			message:
				'This operation erases the contact, its consent trail and its tag links. You cannot undo this.',
		},
	],
	effect: 'idempotent',
	fields: contactFields,

	async execute(api, contact) {
		const id = await findContactId(api, contact);
		// Should n8n repeat this item: once the contact is gone, nobody has its number.
		Object.assign(contact.contactId, { mode: 'id', value: id });
		await api.send({ method: 'DELETE', path: path`/v1/contacts/${id}` });
		return { id, deleted: true };
	},
});
