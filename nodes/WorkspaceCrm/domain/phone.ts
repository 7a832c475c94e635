import {
	isSupportedCountry,
	parseDigits,
	parsePhoneNumberFromString,
	type CountryCode,
	type PhoneNumber,
} from 'libphonenumber-js/max';

import { countryCalled, countryName } from './countryNames';
import { InputProblem, shown } from './problem';

/** E.164 allows 15 digits; people may add an international prefix such as 00 or 011. */
const MAX_DIGITS = 18;
/** As many as the numbers of the smallest countries. */
const MIN_DIGITS = 4;

/** The digits that `parseDigits` reads: ASCII, full-width, and both Arabic kinds. */
const LOOKS_LIKE_PHONE =
	/^[\s(]*\+?[0-9\uff10-\uff19\u0660-\u0669\u06f0-\u06f9\s().\-\u2010-\u2015\u2212/·]+$/;

/**
 * Reads a country from its ISO code, its English name, its own name or a usual short form, in any case.
 *
 * @returns undefined for blank text
 * @throws InputProblem if there is no such country
 */
export function readCountry(text = ''): CountryCode | undefined {
	if (text.trim() === '') return undefined;
	const code = text.trim().toUpperCase();
	if (isSupportedCountry(code)) return code;
	const found = countryCalled(text);
	if (found) return found;
	throw new InputProblem(
		`'Default Country' is ${shown(text)}, which is not a country`,
		'Enter its name, such as Germany, or its two-letter code, such as DE. If all numbers have a country code, leave the field blank.',
	);
}

export interface PhoneReading {
	/** A plus and digits: E.164 if it is valid, otherwise the digits of the input. */
	number: string;
	/** False for a number with a country code that the library does not know. */
	isValid: boolean;
	/** Another valid number that could be meant: the same digits with a plus in front. */
	otherReading?: string;
}

/**
 * Decides which number is meant. A number with a plus or 00 is never refused for being unknown: the service
 * may know it. A number without is refused if it is ambiguous, because a wrong guess would reach a stranger:
 * spreadsheets drop the plus, so "4179..." may be Swiss, whatever the country.
 *
 * @param value text or a number, with any punctuation
 * @param country for numbers without a country code
 * @throws InputProblem if it is not a phone number, or could be two
 * @see API reference, POST /v1/contacts; https://www.itu.int/rec/T-REC-E.164
 */
export function readPhone(value: unknown, country?: CountryCode): PhoneReading {
	const text = readPhoneText(value);
	const digits = phoneDigits(text);
	const hasPlus = text.includes('+');
	const number = `+${afterZeros(digits)}`;
	const withPlus = readValid(number);
	const national = country && !hasPlus ? readValid(digits, country) : undefined;
	const differ = withPlus && national && withPlus.number !== national.number;

	if (hasPlus || digits.startsWith('00')) {
		if (differ) throw twoReadings(text, national, withPlus);
		const valid = withPlus ?? national;
		return { number: valid?.number ?? number, isValid: valid !== undefined };
	}
	if (!country) {
		if (withPlus) return { number: withPlus.number, isValid: true };
		throw phoneProblem(text, 'has no country code', `${WITH_PLUS}, or set 'Default Country'.`);
	}
	if (!national) {
		const but = withPlus ? `, but ${withPlus.number} is valid` : '';
		throw phoneProblem(text, `is not valid for ${countryName(country)}${but}`, RIGHT_ONE);
	}
	if (!differ || hasTrunkPrefix(text, national)) return { number: national.number, isValid: true };
	if (mayHaveLostPlus(national, withPlus)) throw twoReadings(text, national, withPlus);
	return { number: national.number, isValid: true, otherReading: withPlus.number };
}

/** A national mobile number is certain. A landline is not if, with a plus, it is a mobile or of the same country. */
function mayHaveLostPlus(national: PhoneNumber, withPlus: PhoneNumber): boolean {
	if (isMobile(national)) return false;
	return isMobile(withPlus) || withPlus.countryCallingCode === national.countryCallingCode;
}

function isMobile(number: PhoneNumber): boolean {
	return ['MOBILE', 'FIXED_LINE_OR_MOBILE'].includes(number.getType() ?? '');
}

/** Whether the trunk prefix is written separately, as in "8 (495) 123-45-67". Most are 0, which begins no country code. */
function hasTrunkPrefix(text: string, { nationalNumber }: PhoneNumber): boolean {
	const [prefix] = /\d+/.exec(text) ?? [];
	return prefix !== undefined && phoneDigits(text) === prefix + nationalNumber;
}

/** 00 means a plus in every country, even where another prefix is dialled: people copy numbers from abroad. */
function afterZeros(digits: string): string {
	return digits.replace(/^00+/, '');
}

function readValid(dialled: string, country?: CountryCode): PhoneNumber | undefined {
	const parsed = parsePhoneNumberFromString(dialled, country);
	return parsed?.isValid() ? parsed : undefined;
}

/**
 * Checks that a value looks like a phone number, without normalising it.
 *
 * @throws InputProblem if it cannot be a phone number
 */
export function readPhoneText(value: unknown): string {
	const given = value ?? '';
	// An unsafe integer has lost digits.
	const isWhole = Number.isSafeInteger(given) && Number(given) >= 0;
	const phone = String(typeof given === 'string' || isWhole ? given : '?')
		// Invisible characters of numbers copied from a chat or a web page.
		.replace(/\p{Cf}/gu, '')
		.trim()
		.replace(/^tel:\s*/i, '');
	if (phone === '') throw new InputProblem('The phone number is empty', `${WITH_PLUS}.`);
	const digits = phoneDigits(phone);
	const isLong = afterZeros(digits).length >= MIN_DIGITS;
	if (isLong && digits.length <= MAX_DIGITS && LOOKS_LIKE_PHONE.test(phone)) return phone;
	throw new InputProblem(`${shown(value)} is not a phone number`, `${WITH_PLUS}.`);
}

/** Whether digits are a valid number with a plus in front. */
export function isValidWithPlus(digits: string): boolean {
	return readValid(`+${digits}`) !== undefined;
}

/** Whether a stored number starts with its country code, with or without the plus. */
export function isInternational(phone: string): boolean {
	const number = phone.includes('(0') ? '' : phone.replace(/[\s.()-]/g, '');
	if (/^\+[1-9]\d{6,14}$/.test(number)) return true;
	return /^[1-9]\d+$/.test(number) && isValidWithPlus(number);
}

/** Whether two numbers are the same in the same form, with or without the plus. */
export function isSameNumber(one: string, other: string): boolean {
	return phoneDigits(one) === phoneDigits(other);
}

/** Phone numbers are compared by their digits, because stored ones may lack the plus. */
export function phoneDigits(phone: string): string {
	return parseDigits(phone);
}

/** Numbers with an extra digit or without. Messaging services keep the form that the account was opened with. */
const TWO_FORMS = [
	// Brazil: the ninth digit of mobile numbers. https://waha.devlike.pro/docs/apps/brazilian-phone-numbers/
	{ long: /^(55\d\d)9([6-9]\d{7})$/, short: /^(55\d\d)([6-9]\d{7})$/, extra: '9' },
	// Mexico: the 1 of mobile numbers, until 2019. https://waha.devlike.pro/docs/apps/phone-numbers-mexico/
	{ long: /^(52)1(\d{10})$/, short: /^(52)(\d{10})$/, extra: '1' },
	// Argentina: the 9 of mobile numbers. https://github.com/chatwoot/chatwoot/issues/11053
	{ long: /^(54)9(\d{10})$/, short: /^(54)(\d{10})$/, extra: '9' },
];

/**
 * The key by which phone numbers are compared: for a messaging service, numbers with the same key are one
 * subscriber. The library cannot decide this, because it considers some of these forms invalid.
 *
 * @param phone in E.164, with or without the plus
 * @returns digits to compare, not to dial
 */
export function phoneKey(phone: string): string {
	return TWO_FORMS.reduce((key, { long }) => key.replace(long, '$1$2'), phoneDigits(phone));
}

/** The digits of the one or two numbers with the same key, the short one first. */
export function phoneForms(phone: string): string[] {
	const key = phoneKey(phone);
	const form = TWO_FORMS.find(({ short }) => short.test(key));
	return form ? [key, key.replace(form.short, `$1${form.extra}$2`)] : [key];
}

const WITH_PLUS = 'Enter the number with a plus and its country code, such as +49 170 5556677';
const RIGHT_ONE =
	'Enter the right number with its plus. In an expression, put a plus in front of numbers that start with their country code.';

function phoneProblem(phone: string, what: string, remedy: string): InputProblem {
	return new InputProblem(`The phone number ${shown(phone)} ${what}`, remedy);
}

function twoReadings(phone: string, one: PhoneNumber, other: PhoneNumber): InputProblem {
	return phoneProblem(phone, `can be read as ${one.number} and as ${other.number}`, RIGHT_ONE);
}
