import examples from 'libphonenumber-js/examples.mobile.json';
import {
	getCountries,
	getExampleNumber,
	parsePhoneNumberFromString,
	type CountryCode,
} from 'libphonenumber-js/max';

import { readOrRefuse } from '../../support/phoneNumbers';

/** @returns the number if it is valid, otherwise undefined */
function readValid(text: string, country: CountryCode): string | undefined {
	const { number, isValid } = readOrRefuse(text, country) ?? {};
	return isValid ? number : undefined;
}

/** All ways to write digits in two to five groups of two to five. */
function groupingsOf(digits: string, before: readonly string[] = []): string[][] {
	const sizes = [2, 3, 4, 5].filter((size) => digits.length - size > 1);
	const whole = [...before, digits];
	const isWhole = before.length > 0 && digits.length <= 5;
	if (whole.length === 5) return isWhole ? [whole] : [];
	return [
		...(isWhole ? [whole] : []),
		...sizes.flatMap((size) => groupingsOf(digits.slice(size), [...before, digits.slice(0, size)])),
	];
}

const JOINS: Array<[how: string, join: (groups: string[]) => string]> = [
	['blanks', (groups) => groups.join(' ')],
	['dashes', (groups) => groups.join('-')],
	['a dash at the end', (groups) => `${groups.slice(0, -1).join(' ')}-${groups.at(-1)}`],
	['a slash behind the area code', ([area, ...rest]) => `${area}/${rest.join(' ')}`],
	['a dash behind the area code', ([area, ...rest]) => `${area} - ${rest.join(' ')}`],
];

test.each(JOINS)('national numbers of all countries are read with %s', (_, join) => {
	const refused = getCountries().flatMap((country) => {
		const number = getExampleNumber(country, examples);
		if (!number || readValid(number.formatNational(), country) !== number.number) return [];
		const dialled = number.formatNational().replace(/\D/g, '');
		const texts = groupingsOf(dialled).map(join);
		const isDate = (text: string) => /^\d\d-\d\d-\d\d$/.test(text);
		const wrong = texts.filter(
			(text) => !isDate(text) && readValid(text, country) !== number.number,
		);
		return wrong.map((text) => `${country} ${text}`);
	});
	expect(refused).toEqual([]);
});

test('a mobile number with its country code, but without its last digit, is never a landline', () => {
	for (const country of getCountries()) {
		const { number = '' } = getExampleNumber(country, examples) ?? {};
		for (const before of '0123456789') {
			const lost = number.slice(1, -2) + before;
			const read = readOrRefuse(lost, country)?.number ?? `+${lost}`;
			const isMobile = parsePhoneNumberFromString(read)?.getType()?.includes('MOBILE');
			expect([country, read, read === `+${lost}` || isMobile]).toEqual([country, read, true]);
		}
	}
});
