import type { Api } from '../../crm/client';
import type { EnrollFields } from '../../crm/assumptions';
import type { Contact } from '../../crm/records';
import { readCountry, readPhone } from '../../domain/phone';
import { InputProblem, quoted } from '../../domain/inputProblem';
import { idForm, keysOf, type Named } from '../../domain/sameNumber';
import type { ItemMemory } from '../../operations/define';
import { text } from '../../operations/fieldBuilders';
import type { Field, Params } from '../../operations/fieldKinds';
import { contactsWith, onlyOf, readWholeContact, type FoundContact } from '../../crm/lookUp';
import { recordField, textMode } from './recordField';

/** A UUID, in upper or lower case. */
const PATTERN = /^\s*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\s*$/i;

export const isContactId = (text: string): boolean => PATTERN.test(text);

/**
 * Checks a contact's ID before any request: a UUID (API reference, contact).
 *
 * @param otherwise what to do instead, for an ID that comes from a field without a drop-down
 * @throws InputProblem for anything else
 */
export function readContactId(
	text: string,
	otherwise = "To find the contact by its phone number instead, choose 'Phone' in the drop-down in front of the field.",
): string {
	const id = text.trim();
	if (isContactId(id)) return id;
	const example =
		"A contact ID looks like 3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b. Use the field 'id' of a contact of this CRM.";
	throw new InputProblem(
		`${quoted(text)} is not a contact ID`,
		LIKE_PHONE.test(id) ? `${otherwise} ${example}` : `${example} ${otherwise}`,
		"Nothing was done. Use the field 'id' of a contact that a tool has returned. Do not make up IDs.",
	);
}

/** Also one that is not valid: it only decides which advice is first. */
const LIKE_PHONE = /^[+(\d][\d\s()./-]{5,}$/;

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
export const defaultCountryField = text('Default Country', 'defaultCountry', {
	// No default: it would silently misread numbers of other countries.
	placeholder: 'e.g. Germany, DE or International',
	description:
		'How to read phone numbers without a plus: enter their country, by name or two-letter code, or International if all start with their country code',
	// Numbers with a plus need none.
	mayBeNothing: true,
});

/** The fields that identify a contact. */
export const contactFields = [
	contactField,
	// An absolute path: with a relative one, n8n 2.20 and older cannot save the workflow (getParameterResolveOrder).
	{ ...defaultCountryField, showWhen: { '/contactId.mode': ['phone'] } },
] as const satisfies readonly Field[];

/** The values of these fields. */
type ChosenContact = Params<typeof contactFields>;

/**
 * The ID or the number of the contact that the user chose.
 *
 * @param place see `readPhone`
 * @throws InputProblem if it is not valid
 */
export function namedBy(
	{ contactId: { mode, value }, defaultCountry }: ChosenContact,
	place = ' (below the phone number)',
): Named {
	if (mode !== 'phone') return { id: idForm(readContactId(value)) };
	return { phone: readPhone(value, readCountry(defaultCountry), place).number };
}

/**
 * Finds the contact that the user chose by list, ID or phone. Only a phone needs a request.
 *
 * @throws InputProblem for an invalid ID, or unless exactly one contact has the phone
 */
export async function findContact(api: Api, chosen: ChosenContact): Promise<FoundContact> {
	const { id, phone = '' } = namedBy(chosen);
	if (id !== undefined) return { id };
	const found = await findByPhone(api, phone);
	if (found) return { ...found, id: readContactId(found.id) };
	throw new InputProblem(
		`No contact has the phone number ${phone}`,
		'Check the number and its country code, or create the contact first.',
	);
}

/** @throws InputProblem if several contacts have the phone number, in whichever form */
export async function findByPhone(api: Api, phone: string): Promise<Contact | undefined> {
	return onlyOf(await contactsWith(api, phone), phone, CHOOSE_BY_ID);
}

const CHOOSE_BY_ID = "Nothing was done. Choose the contact 'By ID' instead.";

/**
 * Finds the ID of the contact that the user chose.
 *
 * @param memory remembers the ID for another try: after a deletion, nobody finds the contact by its phone
 * @throws InputProblem as `findContact` does
 */
export async function findContactId(
	api: Api,
	chosen: ChosenContact,
	memory: ItemMemory = {},
): Promise<string> {
	memory.contactId ??= (await findContact(api, chosen)).id;
	return memory.contactId;
}

/**
 * Returns the ID or phone of a contact, for a body that the API reference does not show.
 *
 * @throws InputProblem if the body needs a phone and the contact has none
 */
export async function contactForBody(
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

/**
 * The concurrency key of a contact: items with the same key run in order. A contact has different keys
 * by phone and by ID; that is fine, because one node identifies all contacts the same way.
 *
 * @throws InputProblem for an invalid number or ID
 */
export function contactKeyOf(chosen: ChosenContact): string | undefined {
	return keysOf(namedBy(chosen))[0];
}
