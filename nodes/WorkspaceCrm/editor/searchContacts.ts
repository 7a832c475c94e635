import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import type { Choice } from '../api/assumptions';
import { isJsonObject } from '../domain/json';
import { askForEditor, distinct, toEntries } from './choices';

/**
 * Contacts whose name or phone the service finds, a hundred at a time; n8n asks for the next ones
 * when the user scrolls to the end.
 *
 * @param paginationToken how many come before those that are asked for
 */
export async function searchContacts(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const search = filter?.trim();
	const offset = Number(paginationToken ?? 0);
	const { records, total } = await askForEditor(
		this,
		async (api) => await api.contactsPage(offset, search ? { search } : undefined),
	);
	const next = offset + records.length;
	const isMore = records.length > 0 && (total === undefined || next < total);
	return {
		results: toEntries(distinct(records.flatMap((record) => toChoice(record) ?? []))),
		...(isMore && { paginationToken: String(next) }),
	};
}

/** Two of the same name are told apart by phone; who opted out is not to be messaged. */
function toChoice(row: unknown): Choice | undefined {
	if (!isJsonObject(row) || typeof row.id !== 'string') return undefined;
	const state = row.opt_in_status === 'opted_out' ? 'opted out' : undefined;
	const label = [row.name, row.phone, state].filter(
		(text) => typeof text === 'string' && text !== '',
	);
	return { name: label.join(' · ') || row.id, value: row.id };
}
