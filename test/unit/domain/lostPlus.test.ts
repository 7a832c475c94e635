import * as fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile.json';
import {
	getCountries,
	getExampleNumber,
	parsePhoneNumberFromString,
	type CountryCode,
	type PhoneNumber,
} from 'libphonenumber-js/max';

import { readCountry } from '../../../nodes/WorkspaceCrm/domain/defaultCountry';
import { readPhone } from '../../../nodes/WorkspaceCrm/domain/phone';
import { readOrRefuse } from '../../support/phoneNumbers';

/**
 * Numbers as sheets and people write them, and what they must become: by the numbering plans of their
 * countries, not by what the code makes of them.
 */
const cells: Array<[cell: string | number, defaultCountry: string, meant: string | RegExp]> = [
	// Mobile numbers of neighbouring countries, without their plus. All of them could be German.
	['41791234567', 'Germany', /\+41791234567$/],
	[41791234567, 'DE', /\+41791234567$/],
	['41 79 123 45 67', 'Deutschland', /\+41791234567$/],
	['436641234567', 'DE', /\+436641234567$/],
	['33612345678', 'DE', /\+33612345678$/],
	['48512345678', 'DE', /\+48512345678$/],
	['447400123456', 'DE', /\+447400123456$/],
	['393471234567', 'DE', /\+393471234567$/],
	['420601123456', 'DE', /\+420601123456$/],
	['5511987654321', 'DE', /\+5511987654321$/],
	['84912345678', 'RU', /\+84912345678$/],
	// In these countries, there are no such numbers.
	['31612345678', 'DE', /but \+31612345678 is valid$/],
	['905321234567', 'DE', /but \+905321234567 is valid$/],
	['12124567890', 'DE', /but \+12124567890 is valid$/],
	['493012345678', 'AT', /but \+493012345678 is valid$/],
	['4915112345678', 'USA', /but \+4915112345678 is valid$/],
	['919876543210', 'UK', /but \+919876543210 is valid$/],
	['353851234567', 'England', /but \+353851234567 is valid$/],
	['85291234567', 'US', /but \+85291234567 is valid$/],
	['0151 12', 'DE', /is not valid for Germany$/],
	['12345', 'DE', /is not valid for Germany$/],
	// With its country code, it has 16 digits.
	['60000000000000', 'DE', /is not valid for Germany$/],
	['+(0)400', 'DE', /is too short$/],
	// Mobile numbers that lost a digit: as national numbers, they would be landlines of strangers.
	['491512345678', 'DE', /can be read as \+49491512345678 and as \+491512345678$/],
	[49170555668, 'DE', /can be read as \+4949170555668 and as \+49170555668$/],
	['6281234567', 'ID', /can be read as \+626281234567 and as \+6281234567$/],
	// Landlines whose area code is the same as the country code.
	['48 123 45 67', 'PL', '+48481234567'],
	['36 123 456', 'HU', '+3636123456'],
	['(55) 3222-1234', 'BR', '+555532221234'],
	['491 1234567', 'DE', '+494911234567'],
	// National numbers, with and without the prefix that is dialled first.
	['0171 1234567', 'DE', '+491711234567'],
	[1711234567, 'DE', '+491711234567'],
	['(030) 901820', 'DE', '+4930901820'],
	['079 123 45 67', 'CH', '+41791234567'],
	['791234567', 'CH', '+41791234567'],
	['06 12 34 56 78', 'FR', '+33612345678'],
	['347 123 4567', 'IT', '+393471234567'],
	['612 34 56 78', 'ES', '+34612345678'],
	['1 (212) 456-7890', 'US', '+12124567890'],
	['2124567890', 'US', '+12124567890'],
	['8 (912) 345-67-89', 'RU', '+79123456789'],
	['8 (495) 123-45-67', 'RU', '+74951234567'],
	['(11) 98765-4321', 'BR', '+5511987654321'],
	['55 1234 5678', 'MX', '+525512345678'],
	['98765 43210', 'IN', '+919876543210'],
	// With their country code.
	['+41 79 123 45 67', 'DE', '+41791234567'],
	['0041 79 123 45 67', 'DE', '+41791234567'],
	['00 1 212 456 7890', 'US', '+12124567890'],
	['493012345678', 'DE', '+493012345678'],
	// Also where the digits could be a landline without its zero.
	['4915112345678', 'DE', '+4915112345678'],
	['49 1512 3456780', 'DE', '+4915123456780'],
	[6281234567890, 'ID', '+6281234567890'],
	['38343201234', 'XK', '+38343201234'],
	// Numbers that may have lost their zero, where it makes them other numbers of the country.
	[6031234, 'GA', /can be read as \+2416031234 and as \+24106031234$/],
	['7123456', 'Gabon', /can be read as \+2417123456 and as \+24107123456$/],
	['345123456', 'IT', /can be read as \+39345123456 and as \+390345123456$/],
	['345123456', 'VA', /can be read as \+39345123456 and as \+390345123456$/],
	['06 03 12 34', 'GA', '+24106031234'],
	['60312345', 'GA', '+24160312345'],
	['40123', 'AC', '+24740123'],
	// Without a country.
	['436641234567', '', '+436641234567'],
	[436641234567, '', '+436641234567'],
	// A Japanese, Korean or Taiwanese number, or an Indonesian one without its zero.
	['819012345678', '', /can be read as \+819012345678 and as \+62819012345678$/],
	[821012345678, '', /can be read as \+821012345678 and as \+62821012345678$/],
	['819012345678', 'International', '+819012345678'],
	['+819012345678', '', '+819012345678'],
	['628123456789', '', '+628123456789'],
	['41791234567', '', /can be read as \+41791234567 and as a national number$/],
	['1 212 456 7890', '', /can be read as \+12124567890 and as a national number$/],
	['+1 212 456 7890', '', '+12124567890'],
	['1 212 456 7890', 'International', '+12124567890'],
	['491729876543', 'International', '+491729876543'],
	[491729876543, 'International', '+491729876543'],
	['1705550005', '', /has no country code$/],
	['0171 1234567', '', /has no country code$/],
];

test.each(cells)('%j in a sheet, with Default Country %j', (cell, defaultCountry, meant) => {
	const read = () => readPhone(cell, readCountry(defaultCountry)).number;
	if (typeof meant === 'string') expect(read()).toBe(meant);
	else expect(read).toThrow(meant);
});

/** Countries whose people write their own mobile numbers without thinking of others. */
const homes: CountryCode[] = [
	...(['DE', 'AT', 'CH', 'FR', 'IT', 'ES', 'PT', 'GB', 'IE', 'NL', 'BE'] as const),
	...(['DK', 'SE', 'NO', 'FI', 'PL', 'CZ', 'HU', 'RO', 'GR', 'TR', 'UA'] as const),
	...(['RU', 'IL', 'AE', 'SA', 'EG', 'ZA', 'NG', 'KE', 'IN', 'ID', 'JP'] as const),
	...(['KR', 'CN', 'AU', 'NZ', 'US', 'MX', 'BR', 'AR', 'CO'] as const),
];

/** A valid mobile number: the example of a country, with any digits behind its first ones. */
const mobile: fc.Arbitrary<PhoneNumber> = fc
	.record({
		country: fc.constantFrom(...homes),
		kept: fc.nat(6),
		digits: fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 12 }),
	})
	.map(({ country, kept, digits }) => {
		const example = getExampleNumber(country, examples);
		if (!example) throw new Error(`no example for ${country}`);
		const { countryCallingCode, nationalNumber } = example;
		const changed = nationalNumber.slice(0, kept) + digits.slice(0, nationalNumber.length - kept);
		const number = parsePhoneNumberFromString(`+${countryCallingCode}${changed}`);
		const isMobile = number?.country === country && /MOBILE/.test(number.getType() ?? '');
		return isMobile ? number : example;
	});

test('a mobile number as written at home is never refused or changed', () => {
	fc.assert(
		fc.property(mobile, (number) => {
			const reading = readOrRefuse(number.formatNational(), number.country);
			expect(reading?.number).toBe(number.number);
		}),
		{ numRuns: 1_000 },
	);
});

test('a mobile number can be a JSON number without its leading zeros', () => {
	fc.assert(
		fc.property(mobile, (number) => {
			fc.pre(!number.nationalNumber.startsWith('0'));
			const reading = readOrRefuse(Number(number.nationalNumber), number.country);
			expect(reading?.number).toBe(number.number);
		}),
		{ numRuns: 1_000 },
	);
});

test('without a plus and a country, no mobile number of any country is read as that of another one', () => {
	const tail = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 13, maxLength: 13 });
	const isMobileOf = (text: string, country: CountryCode) => {
		const number = parsePhoneNumberFromString(text, country);
		// Not with a prefix that is dialled first, such as 90 for a collect call in Brazil.
		const isWhole = number?.nationalNumber === text;
		return isWhole && number.isValid() && number.getType() === 'MOBILE' ? [number.number] : [];
	};
	const run = fc
		.record({ country: fc.constantFrom(...getCountries()), kept: fc.nat(5), tail })
		.map(({ country, kept, tail: more }) => {
			const { nationalNumber = '' } = getExampleNumber(country, examples) ?? {};
			return (nationalNumber.slice(0, kept) + more).slice(0, 12 + (kept % 2));
		});
	fc.assert(
		fc.property(run, (text) => {
			const { number } = readOrRefuse(text) ?? {};
			const mobiles = getCountries().flatMap((country) => isMobileOf(text, country));
			if (number) expect([text, [...new Set([...mobiles, number])]]).toEqual([text, [number]]);
		}),
		{ numRuns: 500 },
	);
});
