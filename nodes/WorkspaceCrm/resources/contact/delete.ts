import { endpoints } from '../../crm/endpoints';
import { defineOperation } from '../../operations/define';
import { contactFields, findContactId } from '../fields/contactReference';

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

	async execute(api, contact, { memory }) {
		const id = await findContactId(api, contact, memory);
		await api.send(endpoints.deleteContact(id));
		return { deleted: true };
	},
});
