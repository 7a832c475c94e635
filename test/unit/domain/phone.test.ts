import * as fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile.json';
import {
	getCountries,
	getExampleNumber,
	parsePhoneNumberFromString,
	type PhoneNumber,
} from 'libphonenumber-js/max';

import {
	nationalLength,
	normalizePhone,
	phoneDigits,
	readPhoneText,
} from '../../../nodes/WorkspaceCrm/domain/phone';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { thrownBy } from '../../support/thrownBy';
import { anyCharacter } from '../../support/anyCharacter';

/** A valid number of some country: its example, with the last digits changed where that stays valid. */
const validNumber: fc.Arbitrary<PhoneNumber> = fc
	.tuple(fc.constantFrom(...getCountries()), fc.array(fc.nat(9), { maxLength: 5 }))
	.map(([country, ending]) => {
		const example = getExampleNumber(country, examples);
		if (!example) throw new Error(`no example for ${country}`);
		const kept = example.number.slice(0, example.number.length - ending.length);
		const changed = parsePhoneNumberFromString(kept + ending.join(''));
		return changed?.isValid() && changed.country === country ? changed : example;
	});

/** What people and programs put between digits. */
const separator = fc.constantFrom(
	...['', '', '', ' ', '-', '.', '/', '(', ')', ' - ', '·', '\t', '\n'],
	...['\u00a0', '\u2009', '\u202f', '\u2007', '\u3000', '\u2010', '\u2013', '\u2212'],
	...['\u200b', '\u200e', '\u202a', '\u202c', '\u2060', '\u2066', '\ufeff'],
);

function withSeparators(text: string): fc.Arbitrary<string> {
	const characters = [...text];
	return fc
		.array(separator, { minLength: characters.length, maxLength: characters.length })
		.map((separators) =>
			characters.map((character, index) => character + separators[index]).join(''),
		);
}

/** Whether a number without plus can also be read as one that has lost its plus. */
function hasOtherReading(number: PhoneNumber, typed: string): boolean {
	const other = parsePhoneNumberFromString(`+${typed.replace(/\D/g, '')}`);
	return (
		other !== undefined &&
		other.isValid() &&
		other.countryCallingCode === number.countryCallingCode &&
		other.number !== number.number
	);
}

function outcomeOf(value: unknown, country?: string): string {
	try {
		return normalizePhone(value, country);
	} catch (error) {
		return error instanceof InputProblem ? 'refused' : `threw ${error}`;
	}
}

describe('a phone number with its country code', () => {
	it('comes out as E.164, however it is written and whatever the default country is', () => {
		const written = validNumber.chain((number) =>
			fc.record({
				number: fc.constant(number),
				country: fc.option(fc.constantFrom(...getCountries()), { nil: undefined }),
				text: fc.oneof(
					fc.constantFrom(number.number, number.formatInternational(), number.getURI()),
					fc.constant(number.getURI().toUpperCase()),
					withSeparators(number.number),
					withSeparators(number.number).map((text) => `\n (${text}`),
				),
			}),
		);
		fc.assert(
			fc.property(written, ({ number, text, country }) => {
				expect(normalizePhone(text, country)).toBe(number.number);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('comes out as E.164 when it starts with 00 and there is no default country', () => {
		const written = validNumber.chain((number) =>
			fc.tuple(fc.constant(number), withSeparators(`00${number.number.slice(1)}`)),
		);
		fc.assert(
			fc.property(written, ([number, text]) => {
				expect(normalizePhone(text)).toBe(number.number);
			}),
			{ numRuns: 500 },
		);
	});

	it.each([
		['DE', '00 44 7400 123456', '+447400123456'],
		['US', '011 44 7400 123456', '+447400123456'],
		['AU', '0011 44 7400 123456', '+447400123456'],
	])('is read with the international prefix of %s', (country, text, expected) => {
		expect(normalizePhone(text, country)).toBe(expected);
	});

	it('may show the zero that is only dialled at home', () => {
		expect(normalizePhone('+44 (0) 7400 123456')).toBe('+447400123456');
		expect(normalizePhone('+49 (0)1512 3456789')).toBe('+4915123456789');
	});

	it('keeps a zero that belongs to the number', () => {
		expect(normalizePhone('+39 06 1234 5678')).toBe('+390612345678');
	});

	it.each(['+４９ １５１２ ３４５６７８９', '+٤٩ ١٥١٢ ٣٤٥٦٧٨٩', '+۴۹ ۱۵۱۲ ۳۴۵۶۷۸۹'])(
		'can be written in the digits of another script: %s',
		(text) => {
			expect(normalizePhone(text)).toBe('+4915123456789');
		},
	);
});

describe('a national phone number', () => {
	it('comes out as E.164 of the default country, or is refused when it has two readings', () => {
		const written = validNumber.chain((number) =>
			fc.tuple(
				fc.constant(number),
				fc.oneof(
					fc.constant(number.formatNational()),
					withSeparators(number.formatNational().replace(/\D/g, '')),
				),
			),
		);
		fc.assert(
			fc.property(written, ([number, text]) => {
				const isRefused = hasOtherReading(number, text);
				expect(outcomeOf(text, number.country)).toBe(isRefused ? 'refused' : number.number);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('can be a number in the sense of JSON, which has lost its leading zeros', () => {
		fc.assert(
			fc.property(validNumber, (number) => {
				const value = Number(number.nationalNumber);
				fc.pre(String(value) === number.nationalNumber && value >= 10_000);
				const readBack = parsePhoneNumberFromString(number.nationalNumber, number.country);
				fc.pre(readBack?.number === number.number);
				const expected = hasOtherReading(number, String(value)) ? 'refused' : number.number;
				expect(outcomeOf(value, number.country)).toBe(expected);
			}),
			{ numRuns: 500 },
		);
	});

	it('is left as it was typed when there is no default country', () => {
		fc.assert(
			fc.property(validNumber, (number) => {
				const text = number.formatNational();
				fc.pre(!text.startsWith('00') && phoneDigits(text).length >= 5);
				expect(normalizePhone(text)).toBe(text);
			}),
			{ numRuns: 500 },
		);
	});

	it.each([
		['4915123456780', 'DE'],
		[4915123456780, 'DE'],
		['(49) 1512-3456780', 'DE'],
		// With two zeros that are no prefix.
		['4915123400780', 'DE'],
	])('is refused when it may have lost its plus: %p in %s', (value, country) => {
		const digits = phoneDigits(String(value));
		expect(() => normalizePhone(value, country)).toThrow(
			`can be read as +49${digits} and as +${digits}`,
		);
	});

	it.each(['+49 1512 3456780', '0049 1512 3456780', '01512 3456780'])(
		'is certain once it says which it is: %s',
		(text) => {
			expect(normalizePhone(text, 'DE')).toBe('+4915123456780');
		},
	);

	it('without its plus is no other reading when both readings agree', () => {
		expect(normalizePhone('49 1512 3456789 0', 'FR')).toBe('49 1512 3456789 0');
		expect(normalizePhone('1 201 555 0123', 'US')).toBe('+12015550123');
	});
});

describe('any phone number', () => {
	const phoneLike = fc.oneof(
		validNumber.chain((number) => withSeparators(number.number)),
		fc.string({
			unit: fc.constantFrom(...'0123456789', '0', '4', '9', ' ', '-', '(', ')', '/', '+', '·'),
			minLength: 5,
			maxLength: 22,
		}),
		fc.string({ unit: fc.constantFrom(...'tel:+49 15\u200b٠') }),
	);
	const anyCountry = fc.option(fc.constantFrom(...getCountries()), { nil: undefined });

	it('stays as it is when it is normalised again', () => {
		fc.assert(
			fc.property(phoneLike, anyCountry, (value, country) => {
				const once = outcomeOf(value, country);
				fc.pre(once !== 'refused');
				expect(normalizePhone(once, country)).toBe(once);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('comes out as a valid number of the same digits, or as it was typed', () => {
		fc.assert(
			fc.property(phoneLike, anyCountry, (value, country) => {
				const outcome = outcomeOf(value, country);
				fc.pre(outcome !== 'refused');
				if (outcome === readPhoneText(value, country)) return;
				expect(parsePhoneNumberFromString(outcome)?.isValid()).toBe(true);
				// The end of a number is never touched, only what is dialled in front of it.
				expect(outcome.slice(-4)).toBe(`+${phoneDigits(value)}`.slice(-4));
			}),
			{ numRuns: 2_000 },
		);
	});

	it.each([
		['+49 1512 345', undefined],
		['+999 123456789', undefined],
		['12345', undefined],
		['12345', 'DE'],
		['0151 0044 7400 123456', undefined],
		['49 0015 1234567', undefined],
	])('%p that cannot be read (default country %p) is left as it was typed', (text, country) => {
		expect(normalizePhone(text, country)).toBe(text);
	});

	it('is only ever shortened by blanks, invisible characters and tel:', () => {
		expect(readPhoneText(' tel: 12345 \u200b')).toBe('12345');
		expect(readPhoneText('\u202a+49 1512 3456789\u202c')).toBe('+49 1512 3456789');
	});

	it('has at least one digit to compare with others', () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom(...'+ 1٣۴५５') }), (value) => {
				const outcome = outcomeOf(value);
				fc.pre(outcome !== 'refused');
				expect(phoneDigits(outcome)).toMatch(/^[0-9]{5,}$/);
			}),
		);
	});
});

describe('what is no phone number', () => {
	const digits = '1512345678';

	it('is refused with a remedy, and never made into one', () => {
		const character = fc
			.string({ unit: anyCharacter, minLength: 1, maxLength: 1 })
			.filter((text) => /[\p{L}\p{S}\p{Sc}#*,;:!?&%$@"'=_[\]{}<>|\\^`]/u.test(text))
			.filter((text) => text !== '+');
		fc.assert(
			fc.property(character, fc.nat(digits.length), (wrong, at) => {
				const text = digits.slice(0, at) + wrong + digits.slice(at);
				expect(() => normalizePhone(text, 'DE')).toThrow(InputProblem);
				expect(() => normalizePhone(text)).toThrow('no phone number has');
			}),
			{ numRuns: 500 },
		);
	});

	it.each([
		['a letter in front', 'x15123456789', 'characters that no phone number has'],
		['an extension', '+49 30 1234567 ext. 5', 'characters that no phone number has'],
		['a word inside', '+49 tel: 1512 3456789', 'characters that no phone number has'],
		['two numbers', '+4915123456789 +4915123456780', 'characters that no phone number has'],
		['a vanity number', '1-800-FLOWERS', 'characters that no phone number has'],
		['a date', '2024-01-01T00:00', 'characters that no phone number has'],
		['four digits', '+4915', 'too few digits'],
		['only punctuation', '(+) - - -', 'too few digits'],
		['only blanks and dots', '. . . . .', 'too few digits'],
		['19 digits', '+4915123456789012345', 'too many digits'],
		['an empty text', '', 'is empty'],
		['blanks', ' \u200b\n', 'is empty'],
		['nothing', undefined, 'is empty'],
		['null', null, 'is empty'],
		['true', true, 'neither text nor a number'],
		['an object', { phone: '+4915123456789' }, 'neither text nor a number'],
		['an array', ['+4915123456789'], 'neither text nor a number'],
		['NaN', NaN, 'not a whole number'],
		['infinity', Infinity, 'not a whole number'],
		['a fraction', 15123456789.5, 'not a whole number'],
		['a negative number', -15123456789, 'not a whole number'],
		['a number that has lost digits', 2 ** 53, 'not a whole number'],
		['a number of four digits', 1234, 'too few digits'],
		['zero', 0, 'too few digits'],
	])('%s is refused', (_, value, why) => {
		const read = () => normalizePhone(value, 'DE');
		expect(read).toThrow(InputProblem);
		expect(read).toThrow(why);
		expect(() => readPhoneText(value)).toThrow(why);
	});

	it('can have 5 digits and 18 digits, but no fewer and no more', () => {
		fc.assert(
			fc.property(fc.nat(40), (count) => {
				const read = () => readPhoneText('7'.repeat(count));
				if (count >= 5 && count <= 18) expect(read()).toHaveLength(count);
				else expect(read).toThrow(InputProblem);
			}),
		);
	});
});

describe('the error of a phone number', () => {
	const problemOf = (read: () => unknown) => {
		const { message, remedy } = thrownBy(InputProblem, read);
		return [message, remedy];
	};

	it('shows what was given, where something was, and says how to give a number', () => {
		const remedy =
			"Give it with country code, e.g. +49 1512 3456789, or set 'Default Country' for national numbers.";
		expect(problemOf(() => readPhoneText(' 12x'))).toEqual([
			'The phone number contains characters that no phone number has (" 12x")',
			remedy,
		]);
		expect(problemOf(() => readPhoneText(0.5))).toEqual([
			'The phone number is not a whole number (0.5)',
			remedy,
		]);
		expect(problemOf(() => readPhoneText(undefined))).toEqual([
			'The phone number is empty',
			remedy,
		]);
		expect(problemOf(() => readPhoneText(null))).toEqual([
			'The phone number is empty (null)',
			remedy,
		]);
	});

	it('tells both readings, and how to say which it is', () => {
		expect(problemOf(() => normalizePhone(' 49 1512 3456780', 'DE'))).toEqual([
			'The phone number "49 1512 3456780" can be read as +494915123456780 and as +4915123456780',
			'Enter the right one of these two numbers, with its plus. In an expression, put a plus in front of a number that starts with its country code.',
		]);
	});
});

describe('how many digits a number has behind its country code', () => {
	it.each([
		['4915123456789', 11],
		['004915123456789', 11],
		['4915123400789', 11],
		['298211234', 6],
		['29022158', 5],
		['49', 0],
		['999123456789', 0],
		['', 0],
	])('is told where it is valid: %s', (digits, length) => {
		expect(nationalLength(digits)).toBe(length);
	});
});
