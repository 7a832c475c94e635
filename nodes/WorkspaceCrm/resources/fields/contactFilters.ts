import { choice, collection, text } from '../../operations/fieldBuilders';
import type { Params } from '../../operations/fieldKinds';
import { tagFilterField } from './recordField';

/** The filters of a list of contacts (API reference, GET /v1/contacts). */
export const filtersField = collection('Filters', 'filters', {
	placeholder: 'Add Filter',
	description: 'A contact must match all of them',
	options: [
		choice('Opt-In Status', 'optInStatus', 'confirmed', {
			options: [
				{
					name: 'Confirmed',
					value: 'confirmed',
					description: 'Campaigns reach only these contacts',
				},
				{ name: 'None', value: 'none' },
				{ name: 'Opted Out', value: 'opted_out', description: 'These contacts are never messaged' },
				{ name: 'Pending', value: 'pending' },
			],
		}),
		text('Search', 'search', {
			placeholder: 'e.g. Nathan',
			description: 'Text that the name or the phone number contains',
		}),
		{ ...tagFilterField, required: false, description: 'A tag that the contact has' },
	],
});

/** @param filters those that are set */
export function toContactQuery(
	filters: Partial<Params<typeof filtersField.options>>,
): Record<string, string> {
	const { optInStatus, search, tag } = filters;
	return {
		...(search && { search }),
		...(tag?.value && { tag: tag.value }),
		...(optInStatus && { opt_in_status: optInStatus }),
	};
}
