import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { contactField, findContactId } from '../contactReference';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get contact',
	description: 'Retrieve one contact with its tags, attributes and consent state',
	effect: 'read',
	fields: [contactField],

	concurrencyKey: () => undefined,

	async execute(api, { contactId }) {
		const id = await findContactId(api, contactId);
		return await api.sendForRecord({
			method: 'GET',
			path: path`/v1/contacts/${id}`,
		});
	},
});
