import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { path } from '../domain/path';
import { ATTRIBUTE, attributeColumns } from '../domain/sync/columns';
import { askForEditor } from './search';

/** The names of attributes that contacts have, as far as a sample shows them. */
export async function searchAttributes(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const { records } = await askForEditor(
		this,
		async (api) => await api.page(path`/v1/contacts`, 0),
	);
	const wanted = filter.trim().toLowerCase();
	const names = attributeColumns(records).map(({ id }) => id.slice(ATTRIBUTE.length));
	return {
		results: names
			.filter((name) => name.toLowerCase().includes(wanted))
			.map((name) => ({ name, value: name })),
	};
}
