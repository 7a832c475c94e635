import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { invalid } from '../http/api-error';

/** The digits alone, which is how phones are compared. */
export const digitsOf = (phone: string) => phone.replace(/\D/g, '');

/**
 * How a service handles the numbers that it is given. The reference says only that it "upserts by phone number".
 * - `unified`: stored in E.164, compared by their digits
 * - `byNumber`: stored as they are given, compared as numbers by the library
 * - `byText`: stored as they are given, compared as texts
 */
export type PhoneRule = 'unified' | 'byNumber' | 'byText';

/** Whether two stored or given texts are one number, for a service that compares numbers. */
export function isSameNumber(one: string, other: string, homeCountry?: string): boolean {
	const [first, second] = [one, other].map((phone) => readNumber(phone, homeCountry));
	return first !== undefined && first === second;
}

function readNumber(phone: string, homeCountry?: string): string | undefined {
	for (const country of [undefined, homeCountry]) {
		try {
			return normalisePhone(phone, country);
		} catch {
			continue;
		}
	}
	return undefined;
}

/**
 * Reads a phone number and returns it in E.164 form, or fails with 422.
 *
 * Without a country, the number is read as international, even if the plus sign is missing or written as 00:
 * the reference prefers the plus sign and does not say that it is required.
 */
export function normalisePhone(phone: string, defaultCountry?: string): string {
	const country = defaultCountry?.toUpperCase();
	if (country !== undefined && !isSupportedCountry(country)) {
		throw invalid(`default_country '${defaultCountry}' is not an ISO country code`);
	}
	const text = phone.trim();
	const readable = country || text.startsWith('+') ? text : `+${text.replace(/^00/, '')}`;
	const parsed = parsePhoneNumberFromString(readable, { defaultCountry: country, extract: false });
	if (!parsed?.isValid()) throw invalid(`phone '${phone}' is not a valid phone number`);
	return parsed.number;
}
