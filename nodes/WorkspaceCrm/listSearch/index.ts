import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { path } from '../domain/path';
import { searchContacts } from './searchContacts';
import { searchList } from './search';

/** The drop-downs of the resource locators, under the names that their fields give. */
export const listSearch = {
	searchContacts,

	async searchAutomations(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, whole(path`/v1/automations`), filter);
	},
	async searchSegments(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, whole(path`/v1/segments`), filter);
	},
	async searchSubscriptions(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, whole(path`/v1/subscriptions`), filter);
	},
	async searchTemplates(this: ILoadOptionsFunctions, filter?: string) {
		return await searchList(this, whole(path`/v1/templates`), filter);
	},
};

function whole(listPath: string) {
	return { path: listPath, isPaged: false, wanted: Infinity };
}
