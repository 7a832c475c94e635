import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { listTags, toEntries } from './choices';

/** The choices of plain drop-downs, by the method names in their fields. */
export const loadOptions = {
	async getTags(this: ILoadOptionsFunctions) {
		return toEntries(await listTags(this));
	},
};
