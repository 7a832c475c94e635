import type { Api } from '../api/client';
import type { EnrollFields } from '../api/bodyFields';
import { path } from '../api/urls';
import { readContact, type Contact } from '../api/types';
import { phoneDigits, readCountry, readPhone } from '../domain/phone';
import { InputProblem } from '../domain/problem';
import type { Field, Reference } from '../operations/fieldKinds';
import { CONTACT_ID_PATTERN, readContactId } from './contactId';
import { recordField, textMode } from './recordField';

export const contactField = recordField(
	'Contact',
	'contactId',
	{ placeholder: 'Select a contact...', searchListMethod: 'searchContacts' },
	textMode('id', 'By ID', {
		placeholder: 'e.g. 3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b',
		validation: [
			{
				type: 'regex',
				properties: {
					regex: CONTACT_ID_PATTERN,
					errorMessage:
						"Not a contact ID. A contact ID looks like 3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b. Use the field 'id' of a contact.",
				},
			},
		],
	}),
	// The editor cuts off anything longer.
	textMode('phone', 'Phone', {
		placeholder: 'e.g. +49 1512 3456789',
		hint: 'Fails unless exactly one contact has this number.',
	}),
);

/** Typed and not picked: a list of all countries would be most of what a model reads of the node. */
export const defaultCountryField = {
	displayName: 'Default Country',
	name: 'defaultCountry',
	type: 'string',
	// None, as numbers of other countries would be read wrong in silence.
	default: '',
	placeholder: 'e.g. Germany or DE',
	description:
		'The country of phone numbers without a country code. Enter its name or its two-letter code.',
	// A number with its country code needs none.
	role: 'adds',
} as const satisfies Field;

/** How the user says which contact is meant. */
export const contactFields = [
	contactField,
	// From the root: a path from here keeps n8n 2.20 and older from saving the workflow (getParameterResolveOrder).
	{ ...defaultCountryField, showWhen: { '/contactId.mode': ['phone'] } },
] as const satisfies readonly Field[];

/** The values of these fields. */
export interface ChosenContact {
	contactId: Reference;
	defaultCountry: string;
}

/** Hands over all contacts, or those that a query finds, one by one: they may be too many to keep. */
export async function visitContacts(
	api: Api,
	query: Record<string, string>,
	visit: (contact: Contact) => void,
): Promise<void> {
	const list = { path: path`/v1/contacts`, query, isPaged: true, maxRecords: Infinity };
	await api.visit(list, (record) => visit(readContact(record)));
}

/** A contact of which the id is known, and the rest where it was looked up. */
export type FoundContact = Pick<Contact, 'id'> & Partial<Contact>;

/**
 * The contact that the user chose, by list, id or phone. Only by phone it is looked up.
 *
 * @throws InputProblem if the id is not valid, or if not exactly one contact has the phone
 */
export async function findContact(api: Api, chosen: ChosenContact): Promise<FoundContact> {
	const { mode, value } = chosen.contactId;
	return mode === 'phone' ? await findOneByPhone(api, chosen) : { id: readContactId(value) };
}

/**
 * The id of the contact that the user chose.
 *
 * @throws InputProblem as `findContact` does
 */
export async function findContactId(api: Api, chosen: ChosenContact): Promise<string> {
	return (await findContact(api, chosen)).id;
}

/** The number is valid, and nobody has it. */
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
 * What stands for a contact in a body that the API reference does not show.
 *
 * @throws InputProblem if that is the phone, and the contact has none
 */
export async function valueForBody(
	api: Api,
	{ id, phone }: FoundContact,
	{ contactAs }: Pick<EnrollFields, 'contactAs'>,
): Promise<string> {
	if (contactAs === 'id') return id;
	if (phone) return phone;
	const contact = await readContactById(api, id);
	if (contact.phone !== '') return contact.phone;
	throw new InputProblem(
		'This contact has no phone number',
		"Nothing was done. The credential says that the service takes contacts by phone ('Contact As'). Give the contact a phone number first.",
	);
}

/** The contact with all its fields, read from the service unless that was done to find it. */
export async function readWholeContact(api: Api, found: FoundContact): Promise<Contact> {
	return isWhole(found) ? found : await readContactById(api, found.id);
}

function isWhole(found: FoundContact): found is Contact {
	return found.record !== undefined;
}

/** @throws InputProblem if the service gives another contact */
async function readContactById(api: Api, id: string): Promise<Contact> {
	const record = await api.sendForRecord({ method: 'GET', path: path`/v1/contacts/${id}` });
	const contact = readContact(record);
	if (contact.id.toLowerCase() === id.toLowerCase()) return contact;
	throw new InputProblem(
		'The service gave another contact than the one that was asked for',
		'Nothing was done, because it would be done to the wrong contact.',
	);
}

function phoneOf({ contactId, defaultCountry }: ChosenContact): string {
	return readPhone(contactId.value, readCountry(defaultCountry)).number;
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
		await visitContacts(api, { search: text }, (contact) => {
			// An opt-out that the first search has shown counts, whatever the second one shows.
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
 * The concurrency key of a contact: what is done to one contact is done in order. A number is not
 * looked up, so the same contact by number and by ID are two; one node names all in the same way.
 *
 * @throws InputProblem if the number is not valid
 */
export function contactKeyOf(chosen: ChosenContact): string {
	const { mode, value } = chosen.contactId;
	return mode === 'phone' ? phoneDigits(phoneOf(chosen)) : value;
}
