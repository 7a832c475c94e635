import type { Api, ContactPage } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Contact } from '../api/types';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import { phoneDigits } from '../domain/phone';
import { InputProblem } from '../domain/problem';
import { readContactId } from './contactId';
import {
	contactKeyOf,
	findContact,
	NoSuchContact,
	readWholeContact,
	type ChosenContact,
} from './contactReference';

/** A contact that the input names, before the look-up. */
export interface NamedContact {
	chosen: ChosenContact;
	/** The digits of its phone, or its ID in lower case. */
	key: string;
}

/** The contact, or why the look-up failed; undefined if it does not exist. */
export type LookupResult = Contact | CrmError | InputProblem | undefined;

/** @throws InputProblem for an invalid ID or phone number */
export function toNamedContact(chosen: ChosenContact): NamedContact {
	if (chosen.contactId.mode !== 'phone') readContactId(chosen.contactId.value);
	return { chosen, key: contactKeyOf(chosen).trim().toLowerCase() };
}

/**
 * Looks up the contacts of the input with as few requests as possible: reads the pages of all contacts,
 * or each contact separately if that takes fewer. Contacts that the pages lack, e.g. because the list
 * changed, are looked up separately.
 *
 * @returns the results, by `key`
 * @throws CrmError for failures that affect every request
 */
export async function findContacts(
	api: Api,
	wanted: readonly NamedContact[],
): Promise<Map<string, LookupResult>> {
	const found = new Map<string, LookupResult>();
	const keys = new Set(wanted.map(({ key }) => key));
	const seen = new Set<string>();
	let counted = Infinity;
	const collect = ({ contacts, total }: ContactPage) => {
		if (total !== undefined) counted = counted === Infinity ? total : Math.max(counted, total);
		for (const contact of contacts) {
			seen.add(contact.id);
			for (const key of [contact.id.toLowerCase(), phoneDigits(contact.phone)]) {
				if (!keys.has(key)) continue;
				found.set(key, found.has(key) ? firstOrProblem(found.get(key), contact) : contact);
			}
		}
	};
	// A second contact may have the same phone; only the whole list rules that out.
	const isSettled = ({ chosen, key }: NamedContact) =>
		found.has(key) && (chosen.contactId.mode !== 'phone' || seen.size >= counted);
	const left = () => wanted.filter((each) => !isSettled(each));
	if (wanted.length > 1) {
		const first = await api.contactsPage(0);
		collect(first);
		const offsets = offsetsAfter(first.contacts.length, counted, left().length);
		await forEachAtOnce(offsets, ITEMS_AT_ONCE, async (offset) =>
			collect(await api.contactsPage(offset)),
		);
	}
	await forEachAtOnce(left(), ITEMS_AT_ONCE, async ({ chosen, key }) => {
		found.set(key, await findOne(api, chosen));
	});
	return found;
}

/** The offsets of the remaining pages; none if looking up the remaining contacts takes fewer requests. */
function offsetsAfter(pageSize: number, total: number, left: number): number[] {
	if (pageSize === 0 || left === 0) return [];
	const count = Math.ceil(total / pageSize) - 1;
	return count > left ? [] : Array.from({ length: count }, (_, index) => (index + 1) * pageSize);
}

/** A list that changes during the reading may show a contact twice. */
function firstOrProblem(first: LookupResult, second: Contact): LookupResult {
	if (first === undefined || first instanceof Error || first.id === second.id) return first;
	return new InputProblem(
		`Two contacts have the phone number ${second.phone}`,
		"No message was sent to either. Choose the contact 'By ID' instead.",
	);
}

async function findOne(api: Api, chosen: ChosenContact): Promise<LookupResult> {
	const finding = async () => await readWholeContact(api, await findContact(api, chosen));
	return await finding().catch(asLookupResult);
}

/** Converts a failure to the result for one contact. */
function asLookupResult(error: unknown): LookupResult {
	if (error instanceof NoSuchContact) return undefined;
	if (error instanceof InputProblem) return error;
	if (!(error instanceof CrmError) || error.concernsAll) throw error;
	return error.status === 404 ? undefined : error;
}
