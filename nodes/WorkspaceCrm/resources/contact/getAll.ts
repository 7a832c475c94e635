import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { filtersField, toContactQuery } from '../contactFilters';
import { limitField, pageLimits, returnAllField } from '../paging';

export const getAll = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many contacts',
	description: 'List contacts, all or those that match filters',
	effect: 'read',
	fields: [returnAllField, limitField, filtersField],

	async execute(api, params) {
		const query = toContactQuery(params.filters);
		const list = { path: path`/v1/contacts`, query, isPaged: true };
		return await api.list({ ...list, ...pageLimits(params) });
	},
});
