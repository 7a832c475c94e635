import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { path } from '../domain/path';
import { listChoices } from '../listSearch/search';

/** The choices of plain drop-downs, under the names that their fields give. */
export const loadOptions = {
	/** A tag is identified by its name (API reference, tag), so that is the value, too. */
	async getTags(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const tags = await listChoices(this, { path: path`/v1/tags` });
		return tags.map(({ name }) => ({ name, value: name }));
	},
};
