import { defineOperation } from '../operations/define';
import { limitField, pageLimits, returnAllField } from './paging';

/** Get Many for a list without pages. */
export function getManyOf(path: string, texts: { action: string; description: string }) {
	return defineOperation({
		value: 'getAll',
		name: 'Get Many',
		...texts,
		effect: 'read',
		fields: [returnAllField, limitField],

		async execute(api, params) {
			return await api.list({ path, isPaged: false, ...pageLimits(params) });
		},
	});
}
