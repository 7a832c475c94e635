import {
	getCountryCallingCode,
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
	type CountryCode,
	type PhoneNumber,
} from 'libphonenumber-js/max';

import { countryName, INTERNATIONAL, isoCountryOf, type NumberPlan } from './defaultCountry';
import type { InputProblem } from './inputProblem';
import { formsOf } from './phoneForms';
import { asStored } from './sameText';
import {
	afterZeros,
	digitsOf,
	MAX_DIGITS,
	MIN_DIGITS,
	partsOf,
	phoneProblem,
	quotingTyped,
	readPhoneText,
	readWritten,
	WITH_PLUS,
} from './writtenPhone';

// The only module that others import of these three: it is bundled with the phone library.
export { countryName, isoCountryOf, readCountry, type NumberPlan } from './defaultCountry';
export { asciiDigits, digitsOf, MIN_DIGITS, readPhoneText } from './writtenPhone';

interface PhoneReading {
	/** A plus and digits: E.164 if it is valid, otherwise the digits of the input. */
	number: string;
	/** False for a number with a country code that the library does not know. */
	isValid: boolean;
	/** Another valid number that could be meant: the same digits with a plus in front. */
	otherReading?: string;
	/** Whether it was read as a national number, and is none of a mobile phone. */
	isLandline?: boolean;
}

/** Shorter runs of digits are national numbers of some country. */
const HAS_LOST_PLUS = /^\d{12,}$/;
/** The only countries whose national mobile numbers can be as long, without the zero that is dialled first. */
const WITH_LONG_MOBILES: readonly CountryCode[] = ['AT', 'ID'];
/** Ten digits are a whole number in every country whose numbers keep their zero. */
const MAY_LACK_ZERO = /^[1-9]\d{0,8}$/;
const DIGITS = '0123456789';

/**
 * Decides which number is meant. A number with a plus or 00 is never refused for being unknown: the service
 * may know it. A number without is refused if it is ambiguous, because a wrong guess would reach a stranger:
 * spreadsheets drop the plus, so "4179..." may be Swiss, whatever the country.
 *
 * @param value text or a number
 * @param plan for numbers without a plus
 * @param place where the user can set 'Default Country', such as " under 'Options'", for the error
 * @throws InputProblem if it is not a phone number, or could be two
 * @see API reference, POST /v1/contacts; https://www.itu.int/rec/T-REC-E.164
 */
export function readPhone(value: unknown, plan?: NumberPlan, place = ''): PhoneReading {
	const reading = quotingTyped(value, () => readNumber(value, plan, place));
	const { number, isValid } = reading;
	if (isValid) remembered(number, { number: digitsOf(number) });
	return reading;
}

function readNumber(value: unknown, plan?: NumberPlan, place = ''): PhoneReading {
	const country = isoCountryOf(plan);
	const text = readPhoneText(value, country && (() => withAreaCode(country)));
	const digits = digitsOf(text);
	assertNothingElse(text, hasCode(text) ? undefined : country);
	if (hasCode(text)) return readWithCode(text, plan);
	const withPlus = readValid(`+${digits}`);
	if (!country) {
		const isInternational = plan === INTERNATIONAL || HAS_LOST_PLUS.test(text);
		if (!withPlus || !isInternational) throw withoutCode(text, plan, place, withPlus);
		const national = plan ? undefined : longMobile(digits);
		if (national && national.number !== withPlus.number)
			throw twoReadings(text, withPlus, national);
		return { number: withPlus.number, isValid: true };
	}
	const national = readValid(digits, country);
	assertNoExtension(text, national);
	if (!national) throw invalidFor(country, text, withPlus);
	// Nobody has the number of a company's service, UAN, in a list of contacts.
	const withZero = MAY_LACK_ZERO.test(digits) ? readValid(`0${digits}`, country) : undefined;
	if (withZero && withZero.number !== national.number && withZero.getType() !== 'UAN')
		throw twoReadings(text, national, withZero);
	const reading = { number: national.number, isValid: true, isLandline: !isMobile(national) };
	if (hasTrunkPrefix(text, national)) return reading;
	if (!withPlus && mayLackDigit(digits, national)) {
		throw twoReadings(text, national, { number: `+${digits}` as const });
	}
	if (!withPlus || withPlus.number === national.number) return reading;
	if (isMobile(national)) return { ...reading, otherReading: withPlus.number };
	const isOwn = withPlus.countryCallingCode === national.countryCallingCode;
	if (isOwn && isMobile(withPlus)) return { number: withPlus.number, isValid: true };
	// A landline may have lost its plus if, with it, it is a mobile or of the same country.
	if (isOwn || isMobile(withPlus)) throw twoReadings(text, national, withPlus);
	return { ...reading, otherReading: withPlus.number };
}

/** The mobile number that a long run of digits is in a country. */
function longMobile(digits: string): PhoneNumber | undefined {
	const readings = WITH_LONG_MOBILES.flatMap((country) => readValid(digits, country) ?? []);
	return readings.find(isMobile);
}

/** Whether a number begins with its country code, behind a plus or 00. */
function hasCode(text: string): boolean {
	return text.includes('+') || digitsOf(text).startsWith('00');
}

/** A zero that is dialled only at home, and belongs to the number in a few countries. */
const HOME_ZERO = /\( ?0 ?\)/;

/** Reads a number with a plus or 00. */
function readWithCode(text: string, plan?: NumberPlan): PhoneReading {
	const withZero = `+${afterZeros(digitsOf(text))}`;
	const number = `+${afterZeros(digitsOf(text.replace(HOME_ZERO, '')))}`;
	const country = text.includes('+') ? undefined : isoCountryOf(plan);
	const [valid, other] = [
		readValid(number),
		...(withZero === number ? [] : [readValid(withZero)]),
		...(country ? [readValid(digitsOf(text), country)] : []),
	].filter((reading) => reading !== undefined);
	if (valid && other && valid.number !== other.number) throw twoReadings(text, valid, other);
	assertNoExtension(text, valid);
	if (!valid && number.startsWith('+0')) throw withoutCode(text, plan);
	if (number.length <= MIN_DIGITS) throw phoneProblem(text, 'is too short');
	return { number: valid?.number ?? number, isValid: valid !== undefined };
}

/** If a part of a text is a number, the rest may be a note or a second number. */
function assertNothingElse(text: string, country: CountryCode | undefined): void {
	const read = (part: string) =>
		country ? readValid(digitsOf(part), country) : readValid(`+${afterZeros(digitsOf(part))}`);
	const [number] = partsOf(text).flatMap((part) => read(part) ?? []);
	if (!number) return;
	const what = `seems to hold more than the number ${number.number}`;
	throw phoneProblem(text, what);
}

/** Landlines have extensions, as in 030 123456-0. Behind a mobile number, such a digit belongs to a note. */
function assertNoExtension(text: string, number: PhoneNumber | undefined): void {
	if (!/\d-\d$/.test(text) || number?.getType() !== 'MOBILE') return;
	throw phoneProblem(text, 'is a mobile number with an extension');
}

/** A landline that begins with the country's own code may be a mobile number with its code that has lost a digit. */
function mayLackDigit(digits: string, national: PhoneNumber): boolean {
	if (isMobile(national) || !digits.startsWith(national.countryCallingCode)) return false;
	const longer = [...DIGITS].map((digit) => readValid(`+${digits}${digit}`));
	return longer.some((number) => number !== undefined && isMobile(number));
}

/** Also of what may be one: FIXED_LINE_OR_MOBILE. */
function isMobile(number: PhoneNumber): boolean {
	return /MOBILE/.test(number.getType() ?? '');
}

/** Whether the trunk prefix is written separately, as in "8 (495) 123-45-67". Most are 0, which begins no country code. */
function hasTrunkPrefix(text: string, { nationalNumber }: PhoneNumber): boolean {
	const [prefix] = /\d+/.exec(text) ?? [];
	return prefix !== undefined && digitsOf(text) === prefix + nationalNumber;
}

function readValid(dialled: string, country?: CountryCode): PhoneNumber | undefined {
	const parsed = parsePhoneNumberFromString(dialled, country);
	// The numbering plans have longer ones, of services that nobody dials from abroad.
	const isShort = parsed !== undefined && digitsOf(parsed.number).length <= MAX_DIGITS;
	return isShort && parsed.isValid() ? parsed : undefined;
}

/**
 * Whose a phone number is, as an item or the CRM has it: this number, or perhaps anybody's, because its country is not
 * known or it is not written as a number. Undefined if it is blank: nobody's, like a text with fewer than six digits.
 */
export type Whose = ThisNumber | PerhapsAnybodys | undefined;

export interface ThisNumber {
	/** The digits in E.164, without the plus. */
	readonly number: string;
	/** The digits as they are written with neither a plus nor 00: they may also be a national number. */
	readonly bare?: string;
}

export interface PerhapsAnybodys {
	/** The numbers that it may be: digits without zeros in front, the longest last. None if it is not written as a number. */
	readonly parts: readonly string[];
}

/** The last numbers that were read. Reading one takes a fortieth of a millisecond, and a sync compares each several times. */
const lastRead = new Map<string, Whose>();
const MAX_REMEMBERED = 50_000;
const MAX_REMEMBERED_CHARACTERS = 30;

/**
 * Reads a phone number in order to compare it with others, whether it was typed or comes from the CRM: with a plus or
 * 00 as the library reads it, so that a zero behind the country code does not count, otherwise as digits that are
 * valid with a plus. It never throws.
 */
export function whoseNumber(phone: string): Whose {
	const known = lastRead.get(phone);
	return known ?? (asStored(phone) === '' ? undefined : remembered(phone, compared(phone)));
}

function remembered(phone: string, whose: Whose): Whose {
	if (phone.length > MAX_REMEMBERED_CHARACTERS) return whose;
	if (lastRead.size >= MAX_REMEMBERED) lastRead.clear();
	lastRead.set(phone, whose);
	return whose;
}

function compared(phone: string): Whose {
	const text = unlessRefused(() => readWritten(phone));
	if (text === undefined) return { parts: [] };
	const digits = digitsOf(text);
	const bare = hasCode(text) ? undefined : digits;
	const reading = unlessRefused(() => readNumber(text, INTERNATIONAL));
	if (reading) return { number: digitsOf(withoutHomeZero(reading)), bare };
	return formsOf(digits).length > 1 ? { number: digits, bare } : { parts: partsBefore(text) };
}

/** Also in a number that the library does not know, no zero is dialled behind the country code. */
function withoutHomeZero({ number, isValid }: PhoneReading): string {
	const parsed = isValid ? undefined : parsePhoneNumberFromString(number);
	if (!parsed) return number;
	const { countryCallingCode, nationalNumber } = parsed;
	return number === `+${countryCallingCode}0${nationalNumber}` ? parsed.number : number;
}

/** In a text, an area code such as 01528 is no number by itself. */
const MIN_GROUP_DIGITS = 5;

/** A number may end behind each group of digits: the rest may be an extension, a note or a second number. */
function partsBefore(text: string): string[] {
	const ends = [...text.matchAll(/\d+/g)].map(({ 0: group, index }) => index + group.length);
	const parts = ends.map((end) => digitsOf(text.slice(0, end)).replace(/^0+/, ''));
	return parts.filter(
		({ length }, index) => length >= (index < parts.length - 1 ? MIN_GROUP_DIGITS : MIN_DIGITS),
	);
}

/** For readers, which throw nothing but an InputProblem. */
export function unlessRefused<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}

/** No country code begins with 0. */
function withoutCode(text: string, plan?: NumberPlan, place = '', withPlus?: PhoneNumber) {
	const digits = digitsOf(text);
	const length = wrongLength(`+${digits}`);
	if (length === 'too long' || (plan === INTERNATIONAL && !digits.startsWith('0'))) {
		return phoneProblem(text, `is ${length ?? 'not valid with a plus'}`);
	}
	const what = withPlus
		? `can be read as ${withPlus.number} and as a national number`
		: 'has no country code';
	return phoneProblem(text, what, remedyWithoutCode(text, plan, place));
}

/** Almost every list needs a Default Country, so nothing else stands beside it. */
function remedyWithoutCode(text: string, plan: NumberPlan | undefined, place: string): string {
	if (text.includes('+')) return `${WITH_PLUS}.`;
	if (plan) return `${WITH_PLUS}, or set 'Default Country'${place} to its country.`;
	const set = `Set 'Default Country'${place} to the country of numbers like this one`;
	// No country code begins with 0.
	if (digitsOf(text).startsWith('0')) return `${set}.`;
	return `${set}, or to International if all numbers start with their country code.`;
}

function invalidFor(
	country: CountryCode,
	text: string,
	withPlus: PhoneNumber | undefined,
): InputProblem {
	const name = countryName(country);
	if (!withPlus) {
		const length = wrongLength(text, country);
		const what = length ? `${length} for ${name}` : `not valid for ${name}`;
		const maybe = length === 'too short' ? 'Its area code or other digits may be missing. ' : '';
		return phoneProblem(text, `is ${what}`, maybe + withAreaCode(country));
	}
	const what = `is not valid for ${name}, but ${withPlus.number} is valid`;
	return phoneProblem(text, what, LOST_PLUS);
}

function withAreaCode(country: CountryCode): string {
	const code = getCountryCallingCode(country);
	return `Enter the whole number with its area code, or with a plus and its country code, which is +${code} for ${countryName(country)}.`;
}

function wrongLength(text: string, country?: CountryCode): string | undefined {
	const result = validatePhoneNumberLength(text, country);
	if (result === 'TOO_SHORT') return 'too short';
	return result === 'TOO_LONG' ? 'too long' : undefined;
}

type LibraryNumber = Pick<PhoneNumber, 'number'>;

function twoReadings(text: string, one: LibraryNumber, other: LibraryNumber) {
	const what = `can be read as ${one.number} and as ${other.number}`;
	return phoneProblem(text, what, LOST_PLUS);
}

const LOST_PLUS =
	"Enter the right number with its plus. If all numbers start with their country code, set 'Default Country' to International.";
