import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import type { Choice } from '../api/assumptions';
import type { Contact } from '../api/types';
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
	const { contacts, total } = await askForEditor(
		this,
		async (api) => await api.contactsPage(offset, search ? { search } : undefined),
	);
	const next = offset + contacts.length;
	const isMore = contacts.length > 0 && (total === undefined || next < total);
	return {
		results: toEntries(distinct(contacts.flatMap((contact) => toChoice(contact) ?? []))),
		...(isMore && { paginationToken: String(next) }),
	};
}

/** Two of the same name are told apart by phone; who opted out is not to be messaged. */
function toChoice({ id, name, phone, optInStatus }: Contact): Choice | undefined {
	if (id === '') return undefined;
	const state = optInStatus === 'opted_out' ? 'opted out' : undefined;
	return { name: [name, phone, state].filter((text) => text).join(' · ') || id, value: id };
}
