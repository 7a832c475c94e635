import { endpoints } from '../crm/endpoints';
import { defineOperation } from '../operations/define';
import { getManyOf, limitField, pageLimits, returnAllField } from './fields/getMany';
import { segmentField } from './fields/recordField';

export const getSegmentContacts = defineOperation({
	value: 'getContacts',
	name: 'Get Contacts',
	action: 'Get contacts in segment',
	description: 'List the contacts that match a segment now',
	effect: 'read',
	fields: [segmentField, returnAllField, limitField],

	async execute(api, params) {
		const id = params.segmentId.value;
		return await api.list(endpoints.getSegmentContacts(id), pageLimits(params));
	},
});

export const getSegments = getManyOf(endpoints.getSegments(), {
	action: 'Get many segments',
	description: 'List the segments of the workspace',
});
