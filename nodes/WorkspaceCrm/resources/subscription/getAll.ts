import { path } from '../../domain/path';
import { defineOperation } from '../../operations/define';
import { limitField, returnAllField } from '../fields';
import { wantedCount } from '../references';
import { withoutSigningSecret } from './secret';

export const getAll = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many subscriptions',
	description: 'List the active webhook subscriptions of the workspace',
	fields: [returnAllField, limitField],

	async execute(api, params) {
		const wanted = wantedCount(params);
		const list = await api.list({ path: path`/v1/subscriptions`, isPaged: false, wanted });
		return list.map(withoutSigningSecret);
	},
});
