import {
	getCountries,
	isSupportedCountry,
	parseDigits,
	parsePhoneNumberFromString,
	type CountryCode,
	type PhoneNumber,
} from 'libphonenumber-js/max';

import { countryCalled } from './countryNames';
import { InputProblem, shown } from './problem';

/** E.164 allows 15 digits; a national number may add an international prefix such as 00 or 011. */
const MAX_DIGITS = 18;
const MIN_DIGITS = 5;

/** Invisible characters that come along when a number is copied from a chat or a web page. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** Digits are those that `parseDigits` knows: ASCII, full-width, and both Arabic kinds. */
const LOOKS_LIKE_PHONE =
	/^[\s(]*\+?[0-9\uff10-\uff19\u0660-\u0669\u06f0-\u06f9\s().\-\u2010-\u2015\u2212/·]+$/;

/**
 * The ISO code of a country, given by its code, its English name, its own name or a usual short form,
 * in any case.
 *
 * @returns undefined if none is given
 * @throws InputProblem if there is no such country
 */
export function readCountry(text = ''): CountryCode | undefined {
	if (text.trim() === '') return undefined;
	const code = text.trim().toUpperCase();
	if (isSupportedCountry(code)) return code;
	const found = countryCalled(text, getCountries());
	if (found) return found;
	throw new InputProblem(
		`'Default Country' is ${shown(text)}, which is not a country`,
		'Enter its name, such as Germany, or its two-letter code, such as DE. If all numbers have a country code, leave the field blank.',
	);
}

/**
 * A phone number as the service prefers it: E.164, such as +4915123456789.
 *
 * A number that can be read is normalised. One that looks like a phone number but cannot be read
 * for certain is returned as it was typed, for the service to judge; nothing is guessed, because a
 * wrong guess would reach a stranger.
 *
 * @param value what the user gave, text or a number, with any punctuation
 * @param country ISO code in which a national number is read
 * @throws InputProblem for what cannot be a phone number, or can be two different ones
 * @see API reference, POST /v1/contacts; https://www.itu.int/rec/T-REC-E.164
 */
export function normalizePhone(value: unknown, country?: string): string {
	const text = readPhoneText(value, country);
	// Without what stands between the digits, because the library does not know all kinds of blanks.
	const dialled = `${text.includes('+') ? '+' : ''}${phoneDigits(text)}`;
	// 00 stands for a plus, also in countries that dial something else: people write what they see abroad.
	const afterZeros = dialled.startsWith('00') ? readValid(dialled.replace('00', '+')) : undefined;
	const parsed = (country && readValid(dialled, country)) ?? afterZeros ?? readValid(dialled);
	if (!parsed) return text;

	// 4915... can be a number of area code 04915, or a mobile number that has lost its plus.
	const other = /^(\+|00)/.test(dialled) ? afterZeros : readValid(`+${dialled}`);
	const isSameCountry = parsed.countryCallingCode === other?.countryCallingCode;
	if (other && (isSameCountry || afterZeros) && parsed.number !== other.number) {
		throw new InputProblem(
			`The phone number ${shown(text)} can be read as ${parsed.number} and as ${other.number}`,
			'Enter the right one of these two numbers, with its plus. In an expression, put a plus in front of a number that starts with its country code.',
		);
	}
	return parsed.number;
}

function readValid(dialled: string, country?: string): PhoneNumber | undefined {
	const parsed = parsePhoneNumberFromString(dialled, country as CountryCode | undefined);
	return parsed?.isValid() ? parsed : undefined;
}

/**
 * The text of a phone number, checked to be one but not normalised.
 *
 * @param country ISO code of the country that it may be a national number of; some have short ones
 * @throws InputProblem for what cannot be a phone number
 */
export function readPhoneText(value: unknown, country?: string): string {
	const text = (typeof value === 'number' ? numberText(value) : value) ?? '';
	if (typeof text !== 'string') throw notAPhone('is neither text nor a number', value);

	const phone = text
		.replace(INVISIBLE, '')
		.trim()
		.replace(/^tel:\s*/i, '');
	if (phone === '') throw notAPhone('is empty', value);
	if (!LOOKS_LIKE_PHONE.test(phone)) {
		throw notAPhone('contains characters that no phone number has', value);
	}
	const digits = phoneDigits(phone);
	const isShort = digits.length < MIN_DIGITS && !(country && readValid(digits, country));
	if (isShort) throw notAPhone('has too few digits', value);
	if (digits.length > MAX_DIGITS) throw notAPhone('has too many digits', value);
	return phone;
}

/** How many digits a number has behind its country code; 0 for digits that are no valid number. */
export function nationalLength(digits: string): number {
	const parsed = parsePhoneNumberFromString(`+${digits.replace(/^00/, '')}`);
	return parsed?.isValid() ? parsed.nationalNumber.length : 0;
}

/** Two phone numbers are the same when their digits are; stored ones may lack the plus. */
export function phoneDigits(phone: string): string {
	return parseDigits(phone);
}

function numberText(value: number): string {
	// Beyond this, the digits that the user had are already lost.
	if (!Number.isSafeInteger(value) || value < 0) throw notAPhone('is not a whole number', value);
	return String(value);
}

/** For a national number, where nobody said of which country. */
export function noCountryCode(phone: string): InputProblem {
	return new InputProblem(
		`The phone number ${shown(phone)} has no country code`,
		"Write it with a plus and its country code, such as +49 170 5556677, or choose a 'Default Country'.",
	);
}

function notAPhone(why: string, value: unknown): InputProblem {
	return new InputProblem(
		`The phone number ${why}${value === undefined ? '' : ` (${shown(value)})`}`,
		"Give it with country code, e.g. +49 1512 3456789, or set 'Default Country' for national numbers.",
	);
}
