import type { Api } from '../api/client';
import { readContactId } from './contactId';
import { checkJson, mergeJson, type JsonObject } from '../domain/json';
import { normalizePhone, phoneDigits } from '../domain/phone';
import { InputProblem } from '../domain/problem';
import { path } from '../api/path';
import { readContact, type Contact } from '../api/types';
import type { Reference } from '../operations/fieldKinds';

/** The list of all contacts; a query narrows it down. */
export const ALL_CONTACTS = { path: path`/v1/contacts`, isPaged: true, maxRecords: Infinity };

/** How much of a list a Get Many is to give. */
export function pageLimits({ returnAll, limit }: { returnAll: boolean; limit: number }) {
	if (!returnAll) return { maxRecords: limit };
	return {
		maxRecords: Infinity,
		ifIncomplete:
			"Run it again. If it stays so, turn off 'Return All' and set a 'Limit': then what there is comes out, with a note.",
	};
}

/**
 * The id of the contact that the user chose, by list, id or phone.
 *
 * @throws InputProblem if the id is not valid, or if not exactly one contact has the phone
 */
export async function findContactId(api: Api, reference: Reference): Promise<string> {
	if (reference.mode !== 'phone') return readContactId(reference.value);

	const phone = normalizePhone(reference.value);
	const matches = await findByPhone(api, phone);
	const [match, ...others] = matches;
	if (match && others.length === 0) return readContactId(match.id);

	throw new InputProblem(
		matches.length === 0
			? `No contact has the phone number ${phone}`
			: `${matches.length} contacts have the phone number ${phone}`,
		matches.length === 0
			? 'Check the number and its country code, or create the contact first.'
			: "Choose the contact 'By ID' instead; nothing was done.",
	);
}

/**
 * All contacts that have a phone number, stored with plus or without. "Matches contact name or phone"
 * (API reference, GET /v1/contacts) does not say whether a search for the digits finds both. One that
 * finds a number with its plus does, unless it was the name that it found.
 */
export async function findByPhone(api: Api, phone: string): Promise<Contact[]> {
	const digits = phoneDigits(phone);
	const found = new Map<string, Contact>();
	const search = async (text: string) => {
		await api.visit({ ...ALL_CONTACTS, query: { search: text } }, (record) => {
			const contact = readContact(record);
			if (phoneDigits(contact.phone) === digits) found.set(contact.id, contact);
		});
	};
	await search(digits);
	const findsBoth = [...found.values()].some(
		({ phone: stored, name }) => stored === `+${digits}` && !name?.includes(digits),
	);
	if (!findsBoth) await search(`+${digits}`);
	return [...found.values()];
}

/**
 * The concurrency key of a contact: what is done to one contact is done in order. A number is not
 * looked up, so the same contact by number and by ID are two; one node names all in the same way.
 *
 * @throws InputProblem if the number is not valid
 */
export function contactKeyOf({ mode, value }: Reference): string {
	return mode === 'phone' ? phoneDigits(normalizePhone(value)) : value;
}

/**
 * The tags that were chosen from the list and those that were typed, each once.
 *
 * @throws InputProblem if there is no tag
 */
export function chosenTags(known: string[], others: string[]): string[] {
	const tags = [...new Set([...known, ...others])];
	if (tags.length > 0) return tags;
	throw new InputProblem(
		"No tag is given: 'Tag Names or IDs' and 'New or Other Tags' are empty",
		'Choose a tag from the list, or type its name. If a field holds an expression, check that this item has the value it looks for.',
	);
}

/** The default body of a request, with what the user set under 'Options' added or in its place. */
export function chooseBody(
	defaultBody: JsonObject,
	{ body, bodyMode }: { body?: JsonObject; bodyMode?: 'merge' | 'replace' },
): { body: JsonObject; assumedBodyFields: string[] } {
	const given = checkJson(body ?? {}, 'Body');
	const merged = bodyMode === 'replace' ? given : mergeJson(defaultBody, given);
	return { body: merged, assumedBodyFields: Object.keys(merged) };
}
