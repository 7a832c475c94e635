import type { Call } from '../../crm/endpoints';
import { defineOperation } from '../../operations/define';
import type { Field } from '../../operations/fieldKinds';

export const returnAllField = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} as const satisfies Field;

export const limitField = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	showWhen: { returnAll: [false] },
} as const satisfies Field;

/** How many records Get Many returns. */
export function pageLimits({ returnAll, limit }: { returnAll: boolean; limit: number }) {
	if (!returnAll) return { limit };
	return {
		ifIncomplete:
			"Run it again. If this happens again, turn off 'Return All' and set a 'Limit'. The node then outputs the records that the service gives, with a note.",
	};
}

/** Get Many for a list without pages. */
export function getManyOf(call: Call<'list'>, texts: { action: string; description: string }) {
	return defineOperation({
		value: 'getAll',
		name: 'Get Many',
		...texts,
		effect: 'read',
		fields: [returnAllField, limitField],

		async execute(api, params) {
			return await api.list(call, pageLimits(params));
		},
	});
}
