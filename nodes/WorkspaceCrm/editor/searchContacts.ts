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
	const isOptedOut = ({ optInStatus }: Contact) => Number(optInStatus === 'opted_out');
	// Who may be messaged comes first.
	const inOrder = [...contacts].sort((a, b) => isOptedOut(a) - isOptedOut(b));
	const isMore = contacts.length > 0 && (total === undefined || next < total);
	return {
		results: toEntries(distinct(inOrder.flatMap((contact) => toChoice(contact) ?? []))),
		...(isMore && { paginationToken: String(next) }),
	};
}

/** Two of the same name are told apart by phone; the editor cuts off ends, so consent comes first. */
function toChoice({ id, name, phone, optInStatus }: Contact): Choice | undefined {
	if (id === '') return undefined;
	const state = optInStatus === 'opted_out' ? 'Opted out' : undefined;
	return { name: [state, name, phone].filter((text) => text).join(' · ') || id, value: id };
}
