import type { Contact } from '../../../api/types';
import { isBlank, type JsonObject } from '../../../domain/json';
import { nationalLength, phoneDigits, readPhoneText } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import {
	type ContactFields,
	type ItemRow,
	readNumber,
	readRowId,
	type Row,
	type RowSource,
	tryRead,
} from './row';

/** A contact as the input wants it: all rows with its phone number or its ID in one. */
export interface DesiredContact extends Row {
	/** To find it among the contacts of the CRM; undefined when only the service can read its phone. */
	digits?: string;
	/** As the CRM has it, where a row gives its ID. It is changed by its ID, so that none is created. */
	contact?: Contact;
	/** The indexes of the input items that give it. */
	items: [number, ...number[]];
}

/**
 * A row that gives an ID, with the contact that has this ID; or why it cannot be done.
 *
 * @param found undefined if there is no such contact, and the failure if it could not be read
 */
export function identifyRow(row: Row, found: Contact | Error | undefined): ItemRow {
	if (found instanceof Error) return { problem: found };
	if (!found) {
		const problem = new InputProblem(
			`No contact has the ID ${row.id}`,
			'It may have been erased. Nothing was sent for this item, and no contact was created. Correct the ID; without an ID, the contact is found or created by its phone number.',
		);
		return { problem };
	}
	const { phone } = found;
	if (row.phone === '' || phoneDigits(row.phone) === phoneDigits(phone)) {
		return { row: { ...row, phone, country: undefined }, contact: found };
	}
	const problem = new InputProblem(
		`The contact with this ID does not have the phone number ${row.phone}`,
		`It has ${phone === '' ? 'none' : phone}. Nothing was sent for this item. Correct the ID or the phone number, or leave one of them blank.`,
	);
	return { problem };
}

/** A row, and the contact of its ID if it has one. */
interface FoundRow {
	item: number;
	row: Row;
	contact?: Contact;
}

/** One contact for each phone number and each ID, in the order of their first rows. */
export function mergeRows(rows: readonly FoundRow[]): DesiredContact[] {
	const keyOf = keyFinder(rows);
	const byKey = new Map<string, { desired: DesiredContact; fields: ContactFields[] }>();
	for (const found of rows) {
		const { item, row, contact } = found;
		const key = keyOf(found);
		const sofar = byKey.get(key);
		if (sofar) {
			sofar.desired.items.push(item);
			sofar.fields.push(row.fields);
			sofar.desired.contact ??= contact;
			// Of two ways to write the same number, the international one is certain.
			if (row.phone.startsWith('+')) sofar.desired.phone = row.phone;
		} else {
			const { fields, phone, country } = row;
			const digits = country === undefined && phone !== '' ? phoneDigits(phone) : undefined;
			const desired = { phone, country, digits, contact, fields, items: [item] as [number] };
			byKey.set(key, { desired, fields: [fields] });
		}
	}
	return Array.from(byKey.values(), ({ desired, fields }) => ({
		...desired,
		fields: mergeFields(fields),
	}));
}

/**
 * What tells a contact from others: the digits of its number. A number that only the service can
 * read, in some country, is compared with none but its like.
 */
export function contactKey({ phone, country }: Pick<Row, 'phone' | 'country'>): string {
	const digits = phoneDigits(phone);
	return country === undefined ? digits : `${country} ${digits}`;
}

/** Gives the same key to rows of one contact, also where some have its ID and others its phone. */
function keyFinder(rows: readonly FoundRow[]): (row: FoundRow) => string {
	const idsByPhone = new Map<string, Set<string>>();
	for (const { row, contact } of rows) {
		if (!contact || row.phone === '') continue;
		const key = contactKey({ phone: row.phone });
		idsByPhone.set(key, (idsByPhone.get(key) ?? new Set()).add(contact.id));
	}
	return ({ row, contact }) => {
		const key = contactKey(row);
		const ids = contact ? [contact.id] : [...(idsByPhone.get(key) ?? [])];
		// Two contacts may have a number, stored with plus and without: then it tells neither.
		return ids.length === 1 ? `id ${ids[0]}` : key;
	};
}

/**
 * Rows of the same contact as one: what a later one gives counts, attributes one by one, and tags
 * are those of all.
 */
export function mergeFields(rows: readonly ContactFields[]): ContactFields {
	const merged: ContactFields = {};
	const attributes = new Map<string, unknown>();
	const tags = new Set<string>();
	for (const row of rows) {
		const isOtherConsent = row.opt_in !== undefined && row.opt_in !== merged.opt_in;
		// How somebody once agreed is no proof for what a later row says.
		if (isOtherConsent && merged.opt_in !== undefined) delete merged.consent_proof;
		Object.assign(merged, row);
		for (const [name, value] of Object.entries(row.attributes ?? {})) attributes.set(name, value);
		for (const tag of row.tags ?? []) tags.add(tag);
	}
	if (merged.attributes) merged.attributes = Object.fromEntries(attributes) as JsonObject;
	if (merged.tags) merged.tags = [...tags];
	return merged;
}

/** Whom an input item is about. */
export interface Mention {
	/** The phone as it was typed. */
	typed: string;
	/** In E.164, where it can be read. */
	number?: string;
	id?: string;
}

/** Whom an item is about, also one that gives no row; undefined when it cannot be read. */
export function readMention(source: RowSource): Mention | undefined {
	const given = tryRead(() => readRowId(source));
	const id = given instanceof InputProblem ? undefined : given;
	if (id !== undefined && isBlank(source.values.phone)) return { typed: '', id };
	const typed = tryRead(() => readPhoneText(source.values.phone));
	if (typed instanceof InputProblem) return undefined;
	const read = tryRead(() => readNumber(source).phone);
	const isNumber = typeof read === 'string' && read.startsWith('+');
	return isNumber && nationalLength(phoneDigits(read)) > 0
		? { typed, number: read, id }
		: { typed, id };
}

/** Whether the input has a contact of the CRM; `unclear` when it may have. */
export type Presence = 'present' | 'unclear' | 'missing';

/** How many digits two numbers must have in common at their ends to be possibly the same. */
const ENDING = 6;
const MAX_EXTENSION = 5;

/**
 * Tells by its phone whether the input has a contact of the CRM. Contacts that are missing may be
 * erased, so this errs on the side of `unclear`: of 10,000 numbers, about 1 in 100 others has an end.
 *
 * @param mentions of all input items; undefined for a number that cannot be read
 */
export function presenceTest(
	mentions: ReadonlyArray<Mention | undefined>,
): (phone: string) => Presence {
	const known = mentions.filter((mention) => mention !== undefined);
	const numbers = new Set(known.map(({ typed, number }) => phoneDigits(number ?? typed)));
	const endings = new Set(known.flatMap(endingsOf));
	const mayBeAnyone = mentions.some(isUnreadable);

	return (phone) => {
		const digits = phoneDigits(phone);
		if (digits.length < ENDING) return 'unclear';
		if (numbers.has(digits)) return 'present';
		const length = nationalLength(digits);
		// A few islands have shorter numbers, which would be the end of too many others.
		if (mayBeAnyone || (length > 0 && length < ENDING)) return 'unclear';
		return partsOf(phone).some((part) => endings.has(part)) ? 'unclear' : 'missing';
	};
}

/** Whether a mention tells nothing about whom it is of. */
export function isUnreadable(mention: Mention | undefined): boolean {
	return mention?.id === undefined && phoneDigits(mention?.typed ?? '').length < ENDING;
}

function endingsOf({ typed, number }: Mention): string[] {
	return number === undefined ? partsOf(typed) : withoutExtensions(typed).map(endOf);
}

function endOf(phone: string): string {
	return phoneDigits(phone).slice(-ENDING);
}

/** A number as it is, and without its last groups of digits, as far as they may be an extension. */
function withoutExtensions(typed: string): string[] {
	const shorter = typed.replace(/[^0-9]+[0-9]*$/, '');
	const isExtension = phoneDigits(typed).length - phoneDigits(shorter).length <= MAX_EXTENSION;
	return [typed, ...(shorter !== typed && isExtension ? withoutExtensions(shorter) : [])];
}

/** The end of a number; where it is not certain what the number is, all of its parts. */
function partsOf(phone: string): string[] {
	const digits = phoneDigits(phone);
	const isPlain = phone.replace('+', '') === digits && nationalLength(digits) > 0;
	if (isPlain) return [endOf(digits)];
	const count = Math.max(0, digits.length - ENDING + 1);
	return Array.from({ length: count }, (_, at) => digits.slice(at, at + ENDING));
}
