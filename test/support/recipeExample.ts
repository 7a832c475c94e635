import { path } from '../../nodes/WorkspaceCrm/api/urls';
import { defineOperation } from '../../nodes/WorkspaceCrm/operations/define';
import { contactFields, findContactId } from '../../nodes/WorkspaceCrm/resources/contactReference';

export const getNotes = defineOperation({
	value: 'getNotes',
	name: 'Get Notes',
	action: 'Get notes of contact',
	description: 'List the notes of a contact',
	effect: 'read',
	fields: contactFields,

	order: 'parallel',

	async execute(api, contact) {
		const id = await findContactId(api, contact);
		const notes = path`/v1/contacts/${id}/notes`;
		return await api.list({ path: notes, isPaged: false, maxRecords: Infinity });
	},
});
