import type { Api, ListRequest } from '../api/client';
import type { EnrollFields } from '../api/assumptions';
import { path } from '../api/urls';
import { readContact, type Contact } from '../api/types';
import { phoneDigits, readCountry, readPhone } from '../domain/phone';
import { InputProblem } from '../domain/problem';
import type { Field, Params } from '../operations/fieldKinds';
import { readContactId } from './contactId';
import { recordField, textMode } from './recordField';

export const contactField = recordField(
	'Contact',
	'contactId',
	{ placeholder: 'Select a contact...', searchListMethod: 'searchContacts' },
	textMode('id', 'By ID', { placeholder: 'e.g. 3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b' }),
	// The editor cuts off longer hints.
	textMode('phone', 'Phone', {
		placeholder: 'e.g. +49 1512 3456789',
		hint: 'Fails unless exactly one contact has this number.',
	}),
);

/** Text instead of a list: all countries would make up most of the tool schema that a model reads. */
export const defaultCountryField = {
	displayName: 'Default Country',
	name: 'defaultCountry',
	type: 'string',
	// No default: it would silently misread numbers of other countries.
	default: '',
	placeholder: 'e.g. Germany or DE',
	description:
		'The country of phone numbers without a country code. Enter its name or its two-letter code.',
	// Numbers with a country code need none.
	mayBeNothing: true,
} as const satisfies Field;

/** The fields that identify a contact. */
export const contactFields = [
	contactField,
	// An absolute path: with a relative one, n8n 2.20 and older cannot save the workflow (getParameterResolveOrder).
	{ ...defaultCountryField, showWhen: { '/contactId.mode': ['phone'] } },
] as const satisfies readonly Field[];

/** The values of these fields. */
export type ChosenContact = Params<typeof contactFields>;

/**
 * Visits all contacts, or those that match a query, without keeping them. If two pages show a contact,
 * visits it twice, because its consent may have changed in between.
 */
export async function visitContacts(
	api: Api,
	list: Pick<ListRequest, 'query' | 'firstPage' | 'onSend'>,
	visit: (contact: Contact) => void,
): Promise<void> {
	const all = { path: path`/v1/contacts`, isPaged: true, maxRecords: Infinity, withCopies: true };
	await api.visit({ ...all, ...list }, (record) => visit(readContact(record)));
}

/** A contact: only its ID, or everything if it was looked up. */
export type FoundContact = Pick<Contact, 'id'> & Partial<Contact>;

/**
 * Finds the contact that the user chose by list, ID or phone. Only a phone needs a request.
 *
 * @throws InputProblem for an invalid ID, or unless exactly one contact has the phone
 */
export async function findContact(api: Api, chosen: ChosenContact): Promise<FoundContact> {
	const { mode, value } = chosen.contactId;
	return mode === 'phone' ? await findOneByPhone(api, chosen) : { id: readContactId(value) };
}

/**
 * Finds the ID of the contact that the user chose.
 *
 * @throws InputProblem as `findContact` does
 */
export async function findContactId(api: Api, chosen: ChosenContact): Promise<string> {
	return (await findContact(api, chosen)).id;
}

/** The number is valid, but no contact has it. */
export class NoSuchContact extends InputProblem {}

async function findOneByPhone(api: Api, chosen: ChosenContact): Promise<Contact> {
	const phone = phoneOf(chosen);
	const [match, ...others] = await findByPhone(api, phone);
	if (match && others.length === 0) return { ...match, id: readContactId(match.id) };
	if (match) {
		throw new InputProblem(
			`${others.length + 1} contacts have the phone number ${phone}`,
			"Nothing was done. Choose the contact 'By ID' instead.",
		);
	}
	throw new NoSuchContact(
		`No contact has the phone number ${phone}`,
		'Check the number and its country code, or create the contact first.',
	);
}

/**
 * Returns the ID or phone of a contact, for a body that the API reference does not show.
 *
 * @throws InputProblem if the body needs a phone and the contact has none
 */
export async function valueForBody(
	api: Api,
	{ id, phone: known }: FoundContact,
	{ contactAs }: Pick<EnrollFields, 'contactAs'>,
): Promise<string> {
	if (contactAs === 'id') return id;
	const phone = known || (await readWholeContact(api, { id })).phone;
	if (phone !== '') return phone;
	throw new InputProblem(
		'This contact has no phone number',
		"Nothing was done. The credential says that the service takes contacts by phone ('Contact As'). Give the contact a phone number first.",
	);
}

/** Reads the whole contact, unless the look-up already did. */
export async function readWholeContact(api: Api, found: FoundContact): Promise<Contact> {
	if (found.record !== undefined) return found as Contact;
	return readContact(
		await api.sendForRecord({ method: 'GET', path: path`/v1/contacts/${found.id}` }),
	);
}

function phoneOf({ contactId, defaultCountry }: ChosenContact): string {
	return readPhone(contactId.value, readCountry(defaultCountry)).number;
}

/**
 * Finds all contacts with a phone number, stored with or without the plus. "Matches contact name or phone"
 * (API reference, GET /v1/contacts) does not say whether a search for the digits finds both forms. If it
 * finds a number with a plus, and not by the name, it does.
 */
export async function findByPhone(api: Api, phone: string): Promise<Contact[]> {
	const digits = phoneDigits(phone);
	const found = new Map<string, Contact>();
	const search = async (text: string) => {
		await visitContacts(api, { query: { search: text } }, (contact) => {
			// An opt-out in any answer counts, whatever a later one shows.
			const hasOptedOut = found.get(contact.id)?.optInStatus === 'opted_out';
			if (phoneDigits(contact.phone) === digits && !hasOptedOut) found.set(contact.id, contact);
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
 * The concurrency key of a contact: items with the same key run in order. A contact has different keys
 * by phone and by ID; that is fine, because one node identifies all contacts the same way.
 *
 * @throws InputProblem for an invalid number or ID
 */
export function contactKeyOf(chosen: ChosenContact): string {
	const { mode, value } = chosen.contactId;
	return mode === 'phone' ? phoneDigits(phoneOf(chosen)) : readContactId(value).toLowerCase();
}
