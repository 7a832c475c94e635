import { path } from '../../api/urls';
import { defineOperation } from '../../operations/define';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get workspace',
	description: 'Retrieve the ID and the name of the workspace that the API key belongs to',
	effect: 'read',
	fields: [],

	concurrencyKey: () => undefined,

	async execute(api) {
		return await api.sendForRecord({ method: 'GET', path: path`/v1/workspace` });
	},
});
