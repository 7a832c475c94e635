import { path } from '../../domain/path';
import { defineOperation } from '../../operations/define';
import { limitField, returnAllField } from '../fields';
import { wantedCount } from '../references';

export const getAll = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many tags',
	description: 'List the tags of the workspace',
	fields: [returnAllField, limitField],

	async execute(api, params) {
		const wanted = wantedCount(params);
		return await api.list({ path: path`/v1/tags`, isPaged: false, wanted });
	},
});
