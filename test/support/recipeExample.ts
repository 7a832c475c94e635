import { endpoint, endpoints as others } from '../../nodes/WorkspaceCrm/crm/endpoints';
import { defineOperation } from '../../nodes/WorkspaceCrm/operations/define';
import {
	contactFields,
	findContactId,
} from '../../nodes/WorkspaceCrm/resources/fields/contactReference';

const endpoints = {
	...others,
	getNotes: endpoint('GET /v1/contacts/{id}/notes', 'list'),
};

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
		return await api.list(endpoints.getNotes(id));
	},
});
