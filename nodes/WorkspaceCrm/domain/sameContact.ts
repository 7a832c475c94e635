/** The only place that says which contact a row, an item or a record means. */
import { isInternational, phoneDigits } from './phone';

/** What identifies a contact: its ID, its phone number, or both. Blank counts as missing. */
export interface Named {
	readonly id?: string;
	readonly phone?: string;
}

/**
 * The keys of a contact: its ID, then its number in whichever form. Two with a key in common are the same
 * contact, or one subscriber of the messaging service.
 */
export function keysOf({ id = '', phone = '' }: Named): string[] {
	return [id && `id ${id.toLowerCase()}`, phoneKey(phone)].filter((key) => key !== '');
}

/**
 * Numbers with extra digits or without. Messaging services keep the form that the account was opened with.
 * Each long form has one short form, and the reverse.
 */
const TWO_FORMS = [
	// Brazil: the ninth digit of mobile numbers. https://waha.devlike.pro/docs/apps/brazilian-phone-numbers/
	twoForms('55', '9', '[6-9]\\d{7}', '\\d\\d'),
	// Mexico: the 1 of mobile numbers, until 2019. https://waha.devlike.pro/docs/apps/phone-numbers-mexico/
	twoForms('52', '1', '\\d{10}'),
	// Argentina: the 9 of mobile numbers. https://github.com/chatwoot/chatwoot/issues/11053
	twoForms('54', '9', '\\d{10}'),
	// Benin: all numbers, since November 2024. https://fr.allafrica.com/stories/202411300249.html
	twoForms('229', '01', '[24569]\\d{7}'),
	// Ivory Coast: mobile numbers by operator, since 2021. https://github.com/nyaruka/phonenumbers/issues/76
	// The old numbers of each: https://github.com/google/libphonenumber/issues/1909
	twoForms('225', '01', '(?:0[1-3]|4[0-3]|5[1-3]|71)\\d{6}'),
	twoForms('225', '05', '[04578][4-6]\\d{6}'),
	twoForms('225', '07', '[04578][7-9]\\d{6}'),
];

function twoForms(countryCode: string, extra: string, rest: string, areaCode = '') {
	const [before, behind] = [`^(${countryCode}${areaCode})`, `(${rest})$`];
	const [long, short] = [new RegExp(before + extra + behind), new RegExp(before + behind)];
	return { countryCode, long, short, extra };
}

/**
 * The key by which phone numbers are compared: for a messaging service, numbers with the same key are one
 * subscriber. The library cannot decide this, because it considers some of these forms invalid.
 *
 * @param phone in E.164, with or without the plus
 * @returns digits to compare, not to dial
 */
function phoneKey(phone: string): string {
	const digits = phoneDigits(phone);
	return TWO_FORMS.reduce(
		(key, { countryCode, long }) => (key.startsWith(countryCode) ? key.replace(long, '$1$2') : key),
		digits,
	);
}

/** The digits of the one or two numbers with the same key, the short one first. */
export function phoneForms(phone: string): string[] {
	const key = phoneKey(phone);
	const form = TWO_FORMS.find(({ short }) => short.test(key));
	return form ? [key, key.replace(form.short, `$1${form.extra}$2`)] : [key];
}

/** Whether two numbers are the same in the same form, with or without the plus. */
export function isSameNumber(one: string, other: string): boolean {
	return phoneDigits(one) === phoneDigits(other);
}

/** The last digits that a national number has in common with its international form, whatever its country. */
const KEPT_DIGITS = 6;

/**
 * The stored numbers that no key can be compared with, because they have no country code: any international
 * number with the same ending may be the same.
 */
export class IncomparableNumbers {
	private readonly endings = new Set<string>();

	add(phone: string): void {
		if (phone.trim() === '' || isInternational(phone)) return;
		// With letters in it, it may have an extension, so it may be anybody's.
		const isPlain = /^[\d\s+()./-]+$/.test(phone);
		const digits = phoneKey(phone).replace(/^0+/, '');
		this.endings.add(isPlain ? digits.slice(-KEPT_DIGITS) : '');
	}

	mayInclude(phone: string): boolean {
		const ending = phoneKey(phone).slice(-KEPT_DIGITS);
		// Some endings are shorter, and the empty one could be anybody's.
		const lengths = Array.from({ length: ending.length + 1 }, (_, length) => length);
		return lengths.some((length) => this.endings.has(ending.slice(ending.length - length)));
	}
}
