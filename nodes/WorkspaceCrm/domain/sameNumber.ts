/** The only place that says which contact a row, an item or a record means. */
import { addTo } from './groups';
import {
	asciiDigits,
	digitsOf,
	whoseNumber,
	type PerhapsAnybodys,
	type ThisNumber,
	type Whose,
} from './phone';
import { formsOf, shortForm } from './phoneForms';

/** What identifies a contact: its ID, its phone number, or both. Blank counts as missing. */
export interface Named {
	readonly id?: string;
	readonly phone?: string;
}

/** A contact's ID in the one form in which IDs are compared and sent. UUIDs are the same in capitals (RFC 9562). */
export function idForm(id: string): string {
	return id.toLowerCase();
}

/**
 * The keys of a contact: its ID, then its number in whichever form. Two with a key in common are the same
 * contact, or one subscriber of the messaging service.
 */
export function keysOf({ id = '', phone = '' }: Named): string[] {
	return [id && `id ${idForm(id)}`, phoneKey(phone)].filter((key) => key !== '');
}

/** The key of a contact by its ID, or else by its number. Empty for nobody's. */
export function firstKey({ id = '', phone = '' }: Named): string {
	return id === '' ? phoneKey(phone) : `id ${idForm(id)}`;
}

/**
 * The key by which phone numbers are compared: for a messaging service, numbers with the same key are one subscriber.
 *
 * @returns digits to compare, not to dial. No country code begins with 0, so a number that could be anybody's has it
 * in front: it is the same as another only if both have the same digits. Empty for nobody's
 */
function phoneKey(phone: string): string {
	const whose = whoseNumber(phone);
	if (!whose) return '';
	if ('number' in whose) return shortForm(whose.number);
	const digits = whose.parts.at(-1);
	return digits === undefined ? '' : `0${digits}`;
}

/** The digits of the one or two numbers with the same key, the short one first. */
export function phoneForms(phone: string): string[] {
	const whose = whoseNumber(phone);
	return whose && 'number' in whose ? formsOf(whose.number) : [digitsOf(phone)];
}

/** Whether the CRM has a number, and not one that could be anybody's. */
export function isNumber(phone: string): boolean {
	const whose = whoseNumber(phone);
	return whose !== undefined && 'number' in whose;
}

/** Whether two numbers have the same digits, with or without the plus. A service may compare no more. */
export function hasSameDigits(one: string, other: string): boolean {
	return digitsOf(one) === digitsOf(other);
}

/** The last digits that a national number has in common with its international form, whatever its country. */
export const KEPT_DIGITS = 6;
/** Of the shortest numbers. */
const SHORTEST = 4;

/** Contacts, to find those that have or may have a number. */
export class Subscribers<T extends Named> {
	private readonly byEnding = new Map<string, Array<[T, Whose]>>();
	/** By the last digits that they have; those whose number cannot be read, by all that they may have. */
	private readonly byKeptDigits = new Map<string, Array<[T, Whose]>>();
	private readonly added = new Set<string>();

	/** Adds a contact, once for each number that it is shown with. */
	add(contact: T): void {
		const { id = '', phone = '' } = contact;
		const version = `${idForm(id)} ${phone}`;
		if (this.added.has(version)) return;
		this.added.add(version);
		const whose = whoseNumber(phone);
		for (const ending of endingsOf(whose)) addTo(this.byEnding, ending, [contact, whose]);
		for (const digits of keptDigits(phone, whose))
			addTo(this.byKeptDigits, digits, [contact, whose]);
	}

	/** Those that have or may have the number of a contact, but for itself. */
	of({ id = '', phone = '' }: Named): T[] {
		const whose = whoseNumber(phone);
		const near = endingsOf(whose).flatMap((ending) => this.byEnding.get(ending) ?? []);
		const isOther = (other: T) => id === '' || idForm(other.id ?? '') !== idForm(id);
		const same = near.filter(([, theirs]) => mayBeSame(whose, theirs));
		const kept = keptDigits(phone, whose).flatMap((digits) => this.byKeptDigits.get(digits) ?? []);
		const unread = kept.filter(([, theirs]) => isUnread(whose) || isUnread(theirs));
		const all = [...same, ...unread].map(([other]) => other);
		return [...new Set(all.filter(isOther))];
	}
}

/** Longer texts are no numbers with a note. */
const MAX_NOTED = 100;

/** The last digits of a number; of one that cannot be read, such as "whatsapp:+49…", all in a row that it has. */
function keptDigits(phone: string, whose: Whose): string[] {
	if (!whose) return [];
	if ('number' in whose) return [whose.number.slice(-KEPT_DIGITS)];
	if (!isUnread(whose)) return whose.parts.map((part) => part.slice(-KEPT_DIGITS));
	const digits = digitsOf(asciiDigits(phone.slice(0, MAX_NOTED)));
	const starts = [...digits].slice(KEPT_DIGITS - 1).keys();
	return [...new Set([...starts].map((start) => digits.slice(start, start + KEPT_DIGITS)))];
}

function isUnread(whose: Whose): boolean {
	return whose !== undefined && 'parts' in whose && whose.parts.length === 0;
}

function endingsOf(whose: Whose): string[] {
	if (!whose) return [];
	const numbers = 'number' in whose ? [whose.number] : whose.parts;
	return [...new Set(numbers.map((digits) => digits.slice(-SHORTEST)))];
}

/** Whether two numbers are the same, or may be. */
function mayBeSame(one: Whose, other: Whose): boolean {
	if (!one || !other) return false;
	if ('number' in one) {
		return 'number' in other
			? shortForm(one.number) === shortForm(other.number) ||
					mayLackCode(one, other) ||
					mayLackCode(other, one)
			: hasEndOf(one, other);
	}
	return 'number' in other ? hasEndOf(other, one) : haveSamePart(one, other);
}

/** "15123456701" is a number of Texas, and a German one without its zero. */
function mayLackCode({ bare }: ThisNumber, { number }: ThisNumber): boolean {
	return bare !== undefined && CODE_LENGTHS.some((length) => number.slice(length) === bare);
}

const CODE_LENGTHS = [1, 2, 3];

function hasEndOf({ number, bare = number }: ThisNumber, { parts }: PerhapsAnybodys): boolean {
	const endings = parts.map((part) => part.slice(-KEPT_DIGITS));
	return endings.some((ending) => number.endsWith(ending) || bare.endsWith(ending));
}

/** One of two national numbers may lack its area code, or have more in it, such as the 15 of Argentina. */
function haveSamePart(one: PerhapsAnybodys, other: PerhapsAnybodys): boolean {
	return one.parts.some((part) => other.parts.some((their) => mayBeSamePart(part, their)));
}

function mayBeSamePart(one: string, other: string): boolean {
	if (one.length === other.length) return one === other;
	return one.endsWith(other.slice(-KEPT_DIGITS)) || other.endsWith(one.slice(-KEPT_DIGITS));
}
