import { path } from '../../api/urls';
import { defineOperation } from '../../operations/define';
import { limitField, pageLimits, returnAllField } from '../paging';
import { segmentField } from '../recordField';

export const getContacts = defineOperation({
	value: 'getContacts',
	name: 'Get Contacts',
	action: 'Get contacts in segment',
	description: 'List the contacts that match a segment now',
	effect: 'read',
	fields: [segmentField, returnAllField, limitField],

	async execute(api, params) {
		const id = params.segmentId.value;
		const list = { path: path`/v1/segments/${id}/contacts`, isPaged: true };
		return await api.list({ ...list, ...pageLimits(params), textsAre: 'id' });
	},
});
