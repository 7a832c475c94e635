import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { ATTRIBUTE, attributeColumns } from '../domain/contactColumns';
import { askForEditor, matching } from './choices';

/** The names of attributes that contacts have, as far as a sample shows them. */
export async function searchAttributes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { contacts } = await askForEditor(this, async (api) => await api.contactsPage(0));
	const names = attributeColumns(contacts).map(({ id }) => id.slice(ATTRIBUTE.length));
	return matching(
		names.map((name) => ({ name, value: name })),
		filter,
	);
}
