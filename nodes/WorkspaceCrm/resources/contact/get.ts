import { endpoints } from '../../api/endpoints';
import { defineOperation } from '../../operations/define';
import { contactFields, findContactId } from '../fields/contactReference';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get contact',
	description: 'Retrieve one contact with its tags, attributes and consent state',
	effect: 'read',
	fields: contactFields,

	order: 'parallel',

	async execute(api, contact) {
		const id = await findContactId(api, contact);
		return await api.sendForRecord(endpoints.getContact(id));
	},
});
