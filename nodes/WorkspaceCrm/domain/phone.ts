import {
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
	type CountryCode,
	type PhoneNumber,
} from 'libphonenumber-js/max';

import { countryName, INTERNATIONAL, isoCountryOf, type NumberPlan } from './defaultCountry';
import { quoted, type InputProblem } from './problem';
import {
	afterZeros,
	asciiDigits,
	digitsOf,
	MAX_DIGITS,
	MIN_DIGITS,
	partsOf,
	phoneProblem,
	readPhoneText,
	WITH_PLUS,
} from './writtenPhone';

// The only module that others import of these three: it is bundled with the phone library.
export { isoCountryOf, readCountry } from './defaultCountry';
export { readPhoneText } from './writtenPhone';

interface PhoneReading {
	/** A plus and digits: E.164 if it is valid, otherwise the digits of the input. */
	number: string;
	/** False for a number with a country code that the library does not know. */
	isValid: boolean;
	/** Another valid number that could be meant: the same digits with a plus in front. */
	otherReading?: string;
}

/** Shorter runs of digits are national numbers of some country. */
const HAS_LOST_PLUS = /^\d{12,}$/;
const DIGITS = '0123456789';

/**
 * Decides which number is meant. A number with a plus or 00 is never refused for being unknown: the service
 * may know it. A number without is refused if it is ambiguous, because a wrong guess would reach a stranger:
 * spreadsheets drop the plus, so "4179..." may be Swiss, whatever the country.
 *
 * @param value text or a number
 * @param plan for numbers without a plus
 * @param field the name of the input field, for the expression that an error suggests
 * @throws InputProblem if it is not a phone number, or could be two
 * @see API reference, POST /v1/contacts; https://www.itu.int/rec/T-REC-E.164
 */
export function readPhone(value: unknown, plan?: NumberPlan, field?: string): PhoneReading {
	const text = readPhoneText(value);
	const digits = digitsOf(text);
	const hasCode = text.includes('+') || digits.startsWith('00');
	const country = isoCountryOf(plan);
	assertNothingElse(text, hasCode ? undefined : country);
	if (hasCode) return readWithCode(text, plan, field);
	const withPlus = readValid(`+${digits}`);
	const national = country && readValid(digits, country);
	assertNoExtension(text, national);
	const differ = withPlus && national && withPlus.number !== national.number;

	if (!country) {
		const isInternational = plan === INTERNATIONAL || HAS_LOST_PLUS.test(text);
		if (!withPlus || !isInternational) throw withoutCode(text, plan, field, withPlus);
		return { number: withPlus.number, isValid: true };
	}
	if (!national) throw invalidFor(country, text, withPlus, field);
	// Italian landlines keep their zero, which spreadsheets drop. Then one looks like a mobile number.
	const lostZero = country === 'IT' && digits.length === 9 && readValid(`0${digits}`, country);
	if (lostZero) throw twoReadings(text, national, lostZero, field);
	if (hasTrunkPrefix(text, national)) return { number: national.number, isValid: true };
	if (!withPlus && mayLackDigit(digits, national)) {
		throw twoReadings(text, national, { number: `+${digits}` as const }, field);
	}
	if (!differ) return { number: national.number, isValid: true };
	if (mayHaveLostPlus(national, withPlus)) throw twoReadings(text, national, withPlus, field);
	return { number: national.number, isValid: true, otherReading: withPlus.number };
}

/** A zero that is dialled only at home, and belongs to the number in a few countries. */
const HOME_ZERO = /\( ?0 ?\)/;

/** Reads a number with a plus or 00. */
function readWithCode(text: string, plan?: NumberPlan, field?: string): PhoneReading {
	const withZero = `+${afterZeros(digitsOf(text))}`;
	const number = `+${afterZeros(digitsOf(text.replace(HOME_ZERO, '')))}`;
	const country = text.includes('+') ? undefined : isoCountryOf(plan);
	const [valid, other] = [
		readValid(number),
		...(withZero === number ? [] : [readValid(withZero)]),
		...(country ? [readValid(digitsOf(text), country)] : []),
	].filter((reading) => reading !== undefined);
	if (valid && other && valid.number !== other.number) throw twoReadings(text, valid, other, field);
	assertNoExtension(text, valid);
	if (!valid && number.startsWith('+0')) throw withoutCode(text, plan, field);
	if (number.length <= MIN_DIGITS) throw phoneProblem(text, 'is too short', `${WITH_PLUS}.`);
	return { number: valid?.number ?? number, isValid: valid !== undefined };
}

/** If a part of a text is a number, the rest may be a note or a second number. */
function assertNothingElse(text: string, country: CountryCode | undefined): void {
	const read = (part: string) =>
		country ? readValid(digitsOf(part), country) : readValid(`+${afterZeros(digitsOf(part))}`);
	const [number] = partsOf(text).flatMap((part) => read(part) ?? []);
	if (!number) return;
	const what = `seems to hold more than the number ${number.number}`;
	throw phoneProblem(text, what, `${WITH_PLUS}, and nothing else.`);
}

/** Landlines have extensions, as in 030 123456-0. Behind a mobile number, such a digit belongs to a note. */
function assertNoExtension(text: string, number: PhoneNumber | undefined): void {
	if (!/\d-\d$/.test(text) || number?.getType() !== 'MOBILE') return;
	throw phoneProblem(text, 'is a mobile number with an extension', `${WITH_PLUS}.`);
}

/** A national mobile number is certain. A landline is not if, with a plus, it is a mobile or of the same country. */
function mayHaveLostPlus(national: PhoneNumber, withPlus: PhoneNumber): boolean {
	if (isMobile(national)) return false;
	return isMobile(withPlus) || withPlus.countryCallingCode === national.countryCallingCode;
}

/** A landline that begins with the country's own code may be a mobile number with its code that has lost a digit. */
function mayLackDigit(digits: string, national: PhoneNumber): boolean {
	if (isMobile(national) || !digits.startsWith(national.countryCallingCode)) return false;
	const longer = [...DIGITS].map((digit) => readValid(`+${digits}${digit}`));
	return longer.some((number) => number !== undefined && isMobile(number));
}

function isMobile(number: PhoneNumber): boolean {
	return ['MOBILE', 'FIXED_LINE_OR_MOBILE'].includes(number.getType() ?? '');
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

/** Whether a stored number starts with its country code, with or without the plus. */
export function isInternational(phone: string): boolean {
	const number = phone.includes('(0') ? '' : phone.replace(/[\s.()-]/g, '');
	if (/^\+[1-9]\d{6,14}$/.test(number)) return true;
	return /^[1-9]\d{3,14}$/.test(number) && readValid(`+${number}`) !== undefined;
}

/** Numbers are compared by their digits, because stored ones may lack the plus. */
export function phoneDigits(phone: string): string {
	return digitsOf(/^\+?\d+$/.test(phone) ? phone : asciiDigits(phone));
}

/** No country code begins with 0. */
function withoutCode(text: string, plan?: NumberPlan, field?: string, withPlus?: PhoneNumber) {
	const digits = digitsOf(text);
	const length = wrongLength(`+${digits}`);
	if (length === 'too long' || (plan === INTERNATIONAL && !digits.startsWith('0'))) {
		return phoneProblem(text, `is ${length ?? 'not valid with a plus'}`, `${WITH_PLUS}.`);
	}
	return phoneProblem(
		text,
		withPlus ? `can be read as ${withPlus.number} and as a national number` : 'has no country code',
		`${WITH_PLUS}, or set 'Default Country': a country for national numbers, or International if all numbers start with their country code. ${mixedList(field)}`,
	);
}

function invalidFor(
	country: CountryCode,
	text: string,
	withPlus: PhoneNumber | undefined,
	field?: string,
): InputProblem {
	const name = countryName(country);
	if (!withPlus) {
		const length = wrongLength(text, country);
		const what = length ? `${length} for ${name}` : `not valid for ${name}`;
		return phoneProblem(text, `is ${what}`, `${WITH_PLUS}.`);
	}
	const what = `is not valid for ${name}, but ${withPlus.number} is valid`;
	return phoneProblem(text, what, lostPlus(field));
}

function wrongLength(text: string, country?: CountryCode): string | undefined {
	const result = validatePhoneNumberLength(text, country);
	if (result === 'TOO_SHORT') return 'too short';
	return result === 'TOO_LONG' ? 'too long' : undefined;
}

type Reading = Pick<PhoneNumber, 'number'>;

function twoReadings(text: string, one: Reading, other: Reading, field?: string) {
	return phoneProblem(text, `can be read as ${one.number} and as ${other.number}`, lostPlus(field));
}

function lostPlus(field?: string): string {
	return `Enter the right number with its plus. If all numbers start with their country code, set 'Default Country' to International. ${mixedList(field)}`;
}

/** The expression takes numbers as well as text, and leaves blank cells blank. */
function mixedList(field = 'phone'): string {
	const value = /^[A-Za-z_]\w*$/.test(field) ? `$json.${field}` : `$json[${quoted(field)}]`;
	return `If some are national and begin with 0, set their country, and use {{ ${value}?.toString().replace(/^(?=[1-9])/, '+') }} as the phone number.`;
}
