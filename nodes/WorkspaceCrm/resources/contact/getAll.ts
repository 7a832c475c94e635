import { path } from '../../api/urls';
import { defineOperation } from '../../operations/define';
import { filtersField, toContactQuery } from '../contactFilters';
import { limitField, pageLimits, returnAllField } from '../paging';
import { createdAfterField, lastMessageAfterField, listSince, readSince } from './since';

export const getAll = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many contacts',
	description: 'List contacts, all or those that match filters',
	effect: 'read',
	fields: [
		returnAllField,
		limitField,
		{
			...filtersField,
			options: [createdAfterField, lastMessageAfterField, ...filtersField.options],
		},
	],

	async execute(api, params, { context }) {
		const { createdAfter, lastMessageAfter, ...filters } = params.filters;
		const query = toContactQuery(filters);
		const list = { path: path`/v1/contacts`, query, isPaged: true, ...pageLimits(params) };
		if (createdAfter === undefined && lastMessageAfter === undefined) return await api.list(list);
		const since = readSince({ createdAfter, lastMessageAfter }, context.getTimezone());
		return await listSince(api, list, since);
	},
});
