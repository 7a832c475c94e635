import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { path } from '../domain/path';
import { searchAttributes } from './searchAttributes';
import { searchContacts } from './searchContacts';
import { searchList } from './search';

/** The drop-downs of the resource locators, under the names that their fields give. */
export const listSearch = {
	searchAttributes,
	searchContacts,

	async searchAutomations(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, { path: path`/v1/automations` }, filter);
	},
	async searchSegments(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, { path: path`/v1/segments` }, filter);
	},
	async searchSubscriptions(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, { path: path`/v1/subscriptions` }, filter);
	},
	async searchTags(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, { path: path`/v1/tags` }, filter);
	},
	async searchTemplates(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, { path: path`/v1/templates` }, filter);
	},
};
