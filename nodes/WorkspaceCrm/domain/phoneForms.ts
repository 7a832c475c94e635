/**
 * Numbers with extra digits or without. Messaging services keep the form that the account was opened with.
 * Each long form has one short form, and the reverse. The library cannot decide this, because it considers some of
 * these forms invalid.
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

/** The short form of a number: the one by which numbers are compared. */
export function shortForm(digits: string): string {
	return TWO_FORMS.reduce(
		(key, { countryCode, long }) => (key.startsWith(countryCode) ? key.replace(long, '$1$2') : key),
		digits,
	);
}

/**
 * The one or two forms of a number, the short one first.
 *
 * @param digits in E.164, without the plus
 */
export function formsOf(digits: string): string[] {
	const key = shortForm(digits);
	const form = TWO_FORMS.find(({ short }) => short.test(key));
	return form ? [key, key.replace(form.short, `$1${form.extra}$2`)] : [key];
}
