import { path } from '../../domain/path';
import { defineOperation } from '../../operations/define';
import { limitField, returnAllField } from '../fields';
import { wantedCount } from '../references';

export const getAll = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many automations',
	description: 'List the automations of the workspace',
	fields: [returnAllField, limitField],

	async execute(api, params) {
		const wanted = wantedCount(params);
		return await api.list({ path: path`/v1/automations`, isPaged: false, wanted });
	},
});
