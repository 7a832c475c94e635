import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { limitField, pageLimits, returnAllField } from '../paging';
import { tagFilterField } from '../tags';

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
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			description: 'A contact must match all of them',
			role: 'filters',
			options: [
				{
					displayName: 'Opt-In Status',
					name: 'optInStatus',
					type: 'options',
					default: 'confirmed',
					options: [
						{
							name: 'Confirmed',
							value: 'confirmed',
							description: 'Campaigns reach only these contacts',
						},
						{ name: 'None', value: 'none' },
						{
							name: 'Opted Out',
							value: 'opted_out',
							description: 'These contacts are never messaged',
						},
						{ name: 'Pending', value: 'pending' },
					],
				},
				{
					displayName: 'Search',
					name: 'search',
					type: 'string',
					default: '',
					placeholder: 'e.g. Nathan',
					description: 'Text that the name or the phone number contains',
				},
				{ ...tagFilterField, required: false, description: 'A tag that the contact has' },
			],
		},
	],

	async execute(api, params) {
		const { optInStatus, search, tag } = params.filters;
		const query = {
			...(search && { search }),
			...(tag?.value && { tag: tag.value }),
			...(optInStatus && { opt_in_status: optInStatus }),
		};
		const list = { path: path`/v1/contacts`, query, isPaged: true };
		return await api.list({ ...list, ...pageLimits(params) });
	},
});
