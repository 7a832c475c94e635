import type { JsonObject } from '../../../domain/json';
import { nationalLength, phoneDigits } from '../../../domain/phone';
import { type ContactFields, contactKey, type Mention, type Row } from './row';

/** A contact as the input wants it: all rows with its phone number in one. */
export interface DesiredContact extends Row {
	/** To find it among the contacts of the CRM; undefined when only the service can read its phone. */
	digits?: string;
	/** The indexes of the input items that give it. */
	items: [number, ...number[]];
}

/** One contact for each phone number, in the order of their first rows. */
export function mergeRows(rows: ReadonlyArray<{ item: number; row: Row }>): DesiredContact[] {
	const byKey = new Map<string, { desired: DesiredContact; fields: ContactFields[] }>();
	for (const { item, row } of rows) {
		const key = contactKey(row);
		const sofar = byKey.get(key);
		if (sofar) {
			sofar.desired.items.push(item);
			sofar.fields.push(row.fields);
			// Of two ways to write the same number, the international one is certain.
			if (row.phone.startsWith('+')) sofar.desired.phone = row.phone;
		} else {
			const digits = row.country === undefined ? phoneDigits(row.phone) : undefined;
			byKey.set(key, { desired: { ...row, digits, items: [item] }, fields: [row.fields] });
		}
	}
	return Array.from(byKey.values(), ({ desired, fields }) => ({
		...desired,
		fields: mergeFields(fields),
	}));
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
	return phoneDigits(mention?.typed ?? '').length < ENDING;
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
