import type { Call } from '../../crm/endpoints';
import { defineOperation } from '../../operations/define';
import { count, off } from '../../operations/fieldBuilders';

export const returnAllField = off('Return All', 'returnAll', {
	description: 'Whether to return all results or only up to a given limit',
});

export const limitField = count('Limit', 'limit', 50, {
	description: 'Max number of results to return',
	showWhen: { returnAll: [false] },
});

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
