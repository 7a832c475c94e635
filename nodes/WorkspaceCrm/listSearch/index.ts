import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { path } from '../domain/path';
import { searchAttributes } from './searchAttributes';
import { searchContacts } from './searchContacts';
import { listTags, matching, searchList } from './search';

/** The drop-downs of the resource locators, under the names that their fields give. */
export const listSearch = {
	searchAttributes,
	searchContacts,

	async searchAutomations(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, path`/v1/automations`, filter);
	},
	async searchSegments(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, path`/v1/segments`, filter);
	},
	async searchSubscriptions(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, path`/v1/subscriptions`, filter);
	},
	async searchTags(this: ILoadOptionsFunctions, filter?: string) {
		return matching(await listTags(this), filter);
	},
	async searchTemplates(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, path`/v1/templates`, filter);
	},
};
