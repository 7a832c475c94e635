import type { Contact } from '../../../api/types';
import { isBlank, type JsonObject } from '../../../domain/json';
import { nationalLength, phoneDigits, readPhoneText } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import {
	type ContactFields,
	readNumber,
	readRowId,
	type ReadRow,
	type Row,
	type RowOptions,
	tryRead,
} from './row';

/** A contact as the input wants it: all rows with its phone number or its ID in one. */
export interface DesiredContact extends Omit<Row, 'id'> {
	/** To find it among the contacts of the CRM; undefined for one that is known by its ID alone. */
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
export function identifyRow(row: Row, found: Contact | Error | undefined): ReadRow {
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
		return { ...row, phone, contact: found };
	}
	const problem = new InputProblem(
		`The contact with this ID does not have the phone number ${row.phone}`,
		`It has ${phone === '' ? 'none' : phone}. Nothing was sent for this item. Correct the ID or the phone number, or leave one of them blank.`,
	);
	return { problem };
}

/**
 * One contact for each phone number and each ID, in the order of their first rows.
 *
 * @param rows of all input items; those with a problem give none
 */
export function mergeRows(rows: readonly ReadRow[]): DesiredContact[] {
	const keyOf = keyFinder(rows);
	const byKey = new Map<string, { items: DesiredContact['items']; rows: [Row, ...Row[]] }>();
	for (const [item, row] of rows.entries()) {
		if ('problem' in row) continue;
		const key = keyOf(row);
		const sofar = byKey.get(key);
		sofar?.items.push(item);
		sofar?.rows.push(row);
		if (!sofar) byKey.set(key, { items: [item], rows: [row] });
	}
	return Array.from(byKey.values(), (same) => mergeSame(same.items, same.rows));
}

function mergeSame(items: DesiredContact['items'], rows: [Row, ...Row[]]): DesiredContact {
	const [{ phone, isUnverified }] = rows;
	return {
		phone,
		isUnverified,
		digits: phone === '' ? undefined : phoneDigits(phone),
		contact: rows.find(({ contact }) => contact)?.contact,
		fields: mergeFields(rows.map(({ fields }) => fields)),
		items,
	};
}

/** Gives the same key to rows of one contact, also where some have its ID and others its phone. */
function keyFinder(rows: readonly ReadRow[]): (row: Row) => string {
	const idsByPhone = new Map<string, Set<string>>();
	for (const row of rows) {
		if ('problem' in row || !row.contact || row.phone === '') continue;
		const key = phoneDigits(row.phone);
		idsByPhone.set(key, (idsByPhone.get(key) ?? new Set()).add(row.contact.id));
	}
	return ({ contact, phone }) => {
		const key = phoneDigits(phone);
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
export function readMention(values: JsonObject, options: RowOptions): Mention | undefined {
	const given = tryRead(() => readRowId(values));
	const id = given instanceof InputProblem ? undefined : given;
	if (id !== undefined && isBlank(values.phone)) return { typed: '', id };
	const typed = tryRead(() => readPhoneText(values.phone));
	if (typed instanceof InputProblem) return undefined;
	const read = tryRead(() => readNumber(values, options));
	return read instanceof InputProblem || read.isUnverified
		? { typed, id }
		: { typed, number: read.phone, id };
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
