import { path } from '../../domain/path';
import { defineOperation } from '../../operations/define';
import { limitField, returnAllField } from '../fields';
import { wantedCount } from '../references';

export const getAll = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many event types',
	description: 'List the types of events that the service can send',
	fields: [returnAllField, limitField],

	async execute(api, params) {
		const wanted = wantedCount(params);
		return await api.list({ path: path`/v1/events`, isPaged: false, wanted });
	},
});
