import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import type { Choice } from '../api/assumptions';
import type { Contact } from '../api/types';
import { askForEditor, distinct, toEntries } from './choices';

/**
 * Searches contacts by name or phone, a hundred at a time. n8n asks for more when the user scrolls to the end.
 *
 * @param paginationToken the offset of the next contacts
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
	// Contacts who can be messaged come first.
	const inOrder = [...contacts].sort((a, b) => isOptedOut(a) - isOptedOut(b));
	const isMore = contacts.length > 0 && (total === undefined || next < total);
	return {
		results: toEntries(distinct(inOrder.flatMap((contact) => toChoice(contact) ?? []))),
		...(isMore && { paginationToken: String(next) }),
	};
}

/** Consent comes first, because the editor cuts off long names; the phone distinguishes contacts of the same name. */
function toChoice({ id, name, phone, optInStatus }: Contact): Choice | undefined {
	if (id === '') return undefined;
	return {
		name: [stateOf(optInStatus), name, phone].filter((text) => text).join(' · ') || id,
		value: id,
	};
}

/** What speaks against a message to the contact. */
function stateOf(optInStatus: Contact['optInStatus']): string | undefined {
	if (optInStatus === 'opted_out') return 'Opted out';
	return optInStatus === undefined || optInStatus === 'confirmed' ? undefined : 'Not confirmed';
}
