import { path } from '../../domain/path';
import { defineOperation } from '../../operations/define';
import { limitField, returnAllField, segmentField } from '../fields';
import { wantedCount } from '../references';

export const getContacts = defineOperation({
	value: 'getContacts',
	name: 'Get Contacts',
	action: 'Get contacts in segment',
	description: 'List the contacts that match a segment now',
	fields: [segmentField, returnAllField, limitField],

	async execute(api, params) {
		const id = params.segmentId.value;
		const wanted = wantedCount(params);
		const listPath = path`/v1/segments/${id}/contacts`;
		return await api.list({ path: listPath, isPaged: true, wanted, textsAre: 'id' });
	},
});
