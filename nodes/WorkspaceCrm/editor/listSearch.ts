import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { path } from '../api/path';
import { searchAttributes } from './searchAttributes';
import { searchContacts } from './searchContacts';
import { distinct, listChoices, listTags, matching } from './choices';

/** The drop-downs of the resource locators, under the names that their fields give. */
export const listSearch = {
	searchAttributes,
	searchContacts,

	searchAutomations: searchIn(path`/v1/automations`),
	searchSegments: searchIn(path`/v1/segments`),
	searchSubscriptions: searchIn(path`/v1/subscriptions`),
	searchTemplates: searchIn(path`/v1/templates`),

	async searchTags(this: ILoadOptionsFunctions, filter?: string) {
		return matching(await listTags(this), filter);
	},
};

/** A drop-down of the records of a list. */
function searchIn(listPath: string) {
	return async function (this: ILoadOptionsFunctions, filter?: string) {
		return matching(distinct(await listChoices(this, listPath)), filter);
	};
}
