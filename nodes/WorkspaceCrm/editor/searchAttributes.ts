import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { ATTRIBUTE, attributeColumns } from '../domain/contactColumns';
import { matching, namesAsChoices, toEntries } from './choices';
import { sampleContacts } from './sampleContacts';

/** The names of attributes found in a sample of contacts, and the name that was typed. */
export async function searchAttributes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const columns = attributeColumns(await sampleContacts(this));
	const names = columns.map(({ id }) => id.slice(ATTRIBUTE.length));
	const { results } = matching(namesAsChoices(names), filter);
	const typed = filter?.trim() ?? '';
	const isNew = typed !== '' && !names.includes(typed);
	const added = isNew ? [{ name: `New attribute: ${typed}`, value: typed }] : [];
	return { results: [...results, ...toEntries(added)] };
}
