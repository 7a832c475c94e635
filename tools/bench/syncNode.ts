import { ours, type Address } from './nodes';

/** Syncs all input items to the CRM with as few requests as it takes. */
export const ourSync = (to: Address, optIn = false) =>
	ours(to, {
		resource: 'contact',
		operation: 'sync',
		columns: {
			mappingMode: 'defineBelow',
			value: {
				phone: '={{ $json.phone }}',
				name: '={{ $json.name }}',
				'attributes.city': '={{ $json.city }}',
				...(optIn && { opt_in: 'yes' }),
			},
			matchingColumns: ['phone'],
			schema: ['phone', 'name', 'attributes.city', 'opt_in'].map((id) => ({
				id,
				displayName: id,
				type: 'string',
				required: id === 'phone',
				defaultMatch: id === 'phone',
				display: true,
			})),
		},
		options: {},
	});
