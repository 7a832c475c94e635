import * as fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile.json';
import {
	getCountries,
	getExampleNumber,
	parsePhoneNumberFromString,
	type CountryCode,
} from 'libphonenumber-js/max';

import { readPhone, readPhoneText } from '../../../nodes/WorkspaceCrm/domain/phone';
import type { NumberPlan } from '../../../nodes/WorkspaceCrm/domain/defaultCountry';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { isNumber, keysOf } from '../../../nodes/WorkspaceCrm/domain/sameNumber';
import { asciiDigits, digitsOf } from '../../../nodes/WorkspaceCrm/domain/writtenPhone';
import { fs, runInNewContext } from '../../../tools/support/platform';
import { thrownBy } from '../../support/thrownBy';
import { anyCharacter } from '../../support/anyCharacter';
import { validNumber } from '../../support/phoneNumbers';

/** Puts separators after the first two digits, and then after every three; the last group has up to five. */
function withSeparators(text: string): fc.Arbitrary<string> {
	const groups = text.match(/^\+?\d\d|\d{3}(?=\d{3})|\d+/g) ?? [];
	return fc
		.array(fc.constantFrom(' ', '-', ' - ', '\u00a0', '\u2013', '\u200e \u200b'), {
			minLength: groups.length,
			maxLength: groups.length,
		})
		.map((separators) => groups.map((group, at) => (at ? separators[at] : '') + group).join(''));
}

const numberOf = (value: unknown, country?: CountryCode) => readPhone(value, country).number;

function outcomeOf(value: unknown, country?: CountryCode): string {
	try {
		return numberOf(value, country);
	} catch (error) {
		return error instanceof InputProblem ? 'refused' : `threw ${error}`;
	}
}

describe('a phone number with its country code', () => {
	it('becomes E.164, however it is written and whatever the Default Country is', () => {
		const written = validNumber.chain((number) =>
			fc.record({
				number: fc.constant(number),
				country: fc.option(fc.constantFrom(...getCountries()), { nil: undefined }),
				text: fc.oneof(
					fc.constantFrom(number.number, number.formatInternational(), number.getURI()),
					fc.constant(number.getURI().toUpperCase()),
					withSeparators(number.number),
					withSeparators(number.number).map((text) => `\n ${text} \u200b`),
				),
			}),
		);
		fc.assert(
			fc.property(written, ({ number, text, country }) => {
				expect(numberOf(text, country)).toBe(number.number);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('becomes E.164 if it starts with 00 and there is no Default Country', () => {
		const written = validNumber.chain((number) =>
			fc.tuple(fc.constant(number), withSeparators(`00${number.number.slice(1)}`)),
		);
		fc.assert(
			fc.property(written, ([number, text]) => {
				expect(numberOf(text)).toBe(number.number);
			}),
			{ numRuns: 500 },
		);
	});

	it.each<[CountryCode, string, string]>([
		['DE', '00 44 7400 123456', '+447400123456'],
		['US', '011 44 7400 123456', '+447400123456'],
		['AU', '0011 44 7400 123456', '+447400123456'],
	])('is read with the international prefix of %s', (country, text, expected) => {
		expect(numberOf(text, country)).toBe(expected);
	});

	it('can contain the zero that is only dialled at home', () => {
		expect(numberOf('+44 (0) 7400 123456')).toBe('+447400123456');
		expect(numberOf('+49 (0)1512 3456789')).toBe('+4915123456789');
	});

	it('keeps a zero that belongs to the number', () => {
		expect(numberOf('+39 06 1234 5678')).toBe('+390612345678');
	});

	it.each(['+４９ １５１２ ３４５６７８９', '+٤٩ ١٥١٢ ٣٤٥٦٧٨٩', '+۴۹ ۱۵۱۲ ۳۴۵۶۷۸۹'])(
		'can be written in the digits of another script: %s',
		(text) => {
			expect(numberOf(text)).toBe('+4915123456789');
		},
	);
});

describe('a national phone number', () => {
	it('can have separators between its digits', () => {
		const written = validNumber
			.map((number) => ({ number, digits: number.formatNational().replace(/\D/g, '') }))
			.chain(({ number, digits }) =>
				fc.record({ number: fc.constant(number), text: withSeparators(digits) }),
			);
		fc.assert(
			fc.property(written, ({ number, text }) => {
				fc.pre(text.startsWith('0'));
				expect(outcomeOf(text, number.country)).toBe(number.number);
			}),
			{ numRuns: 500 },
		);
	});

	it('is read as people of its country write it', () => {
		for (const country of getCountries()) {
			const example = getExampleNumber(country, examples);
			const written = example?.formatNational() ?? '';
			// With dashes, six digits can be a date.
			const dashed = /^\d\d \d\d \d\d$/.test(written) ? written : written.replace(/\s/g, '-');
			const read = [written, dashed].map((text) => numberOf(text, country));
			expect(read).toEqual([example?.number, example?.number]);
		}
	});

	it('is refused without a Default Country', () => {
		fc.assert(
			fc.property(validNumber, (number) => {
				const text = number.formatNational();
				fc.pre(/^\D*0[^0]/.test(text));
				expect(() => readPhone(text)).toThrow('has no country code');
			}),
			{ numRuns: 500 },
		);
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
				expect(numberOf(once, country)).toBe(once);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('comes out as a valid number, or with a plus in front of its digits', () => {
		fc.assert(
			fc.property(phoneLike, anyCountry, (value, country) => {
				fc.pre(outcomeOf(value, country) !== 'refused');
				const { number, isValid } = readPhone(value, country);
				const digits = asciiDigits(String(value)).replace(/\D/g, '');
				expect(parsePhoneNumberFromString(number)?.isValid() ?? false).toBe(isValid);
				// The end of a number is never touched, only what is dialled in front of it.
				expect(number.slice(-4)).toBe(`+${digits}`.slice(-4));
				const forms = [digits, digitsOf(asciiDigits(String(value)).replace(/\(\s*0\s*\)/, ''))];
				// A zero in brackets is dialled only at home.
				const plain = forms.map((each) => `+${each.replace(/^00+/, '')}`);
				if (!isValid) expect(plain).toContain(number);
			}),
			{ numRuns: 1_000 },
		);
	});

	it.each([
		['+49 1512 345', '+491512345'],
		['+999 123456789', '+999123456789'],
		['00999 123456789', '+999123456789'],
		['+49 199 123456', '+49199123456'],
	])(
		'%s has a plus or 00, so it is left to the service, although it is unknown',
		(text, number) => {
			for (const country of [undefined, 'DE', 'US'] as const) {
				expect(readPhone(text, country)).toEqual({ number, isValid: false });
			}
		},
	);

	it('is only ever shortened by blanks, invisible characters and tel:', () => {
		expect(readPhoneText(' tel: 12345 \u200b')).toBe('12345');
		expect(readPhoneText('\u202a+49 1512 3456789\u202c')).toBe('+49 1512 3456789');
	});

	it('has at least one digit to compare with others', () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom(...' 1٣۴५５') }), (value) => {
				const outcome = outcomeOf(`+${value}`);
				fc.pre(outcome !== 'refused');
				expect(keysOf({ phone: outcome })[0]).toMatch(/^[0-9]{4,}$/);
			}),
		);
	});
});

describe('text that is not a phone number', () => {
	const digits = '1512345678';

	it('is refused with a remedy, and never turned into one', () => {
		const character = fc
			.string({ unit: anyCharacter, minLength: 1, maxLength: 1 })
			.filter((text) => /[\p{L}\p{S}\p{Sc}#*,;:!?&%$@"'=_[\]{}<>|\\^`]/u.test(text))
			// A minus is a dash, and fillers of Hangul are blanks.
			.filter((text) => !/[+\u2212\u115f\u1160\u3164\uffa0]/.test(text));
		fc.assert(
			fc.property(character, fc.nat(digits.length), (wrong, at) => {
				const text = digits.slice(0, at) + wrong + digits.slice(at);
				expect(() => numberOf(text, 'DE')).toThrow(InputProblem);
				expect(() => numberOf(text)).toThrow('is not a phone number');
			}),
			{ numRuns: 500 },
		);
	});

	it.each([
		['a letter in front', 'x15123456789', 'is not a phone number'],
		['an extension', '+49 30 1234567 ext. 5', 'is not a phone number'],
		['a word inside', '+49 tel: 1512 3456789', 'is not a phone number'],
		['two numbers', '+4915123456789 +4915123456780', 'is not a phone number'],
		['a vanity number', '1-800-FLOWERS', 'is not a phone number'],
		['a date', '2024-01-01T00:00', 'is not a phone number'],
		['three digits', '+491', 'is too short'],
		['only punctuation', '(+) - - -', 'is not a phone number'],
		['only blanks and dots', '. . . . .', 'is not a phone number'],
		['16 digits', '+4915123456789012', 'is too long'],
		['an empty text', '', 'is empty'],
		['blanks', ' \u200b\n', 'is empty'],
		['nothing', undefined, 'is empty'],
		['null', null, 'is empty'],
		['true', true, 'is not a phone number'],
		['an object', { phone: '+4915123456789' }, 'is not a phone number'],
		['an array', ['+4915123456789'], 'is not a phone number'],
		['NaN', NaN, 'is not a phone number'],
		['infinity', Infinity, 'is not a phone number'],
		['a fraction', 15123456789.5, 'is not a phone number'],
		['a raised dot and a zero', '436641234567·0', 'is not a phone number'],
		['a negative number', -15123456789, 'is not a phone number'],
		['a number that has lost digits', 2 ** 53, 'is not a phone number'],
		['a number of three digits', 123, 'is too short'],
		['zero', 0, 'is not a phone number'],
	])('%s is refused', (_, value, why) => {
		const read = () => numberOf(value, 'DE');
		expect(read).toThrow(InputProblem);
		expect(read).toThrow(why);
		expect(() => readPhoneText(value)).toThrow(why);
	});

	it('can have 4 digits and 18 digits, but no fewer and no more', () => {
		fc.assert(
			fc.property(fc.nat(40), (count) => {
				const read = () => readPhoneText('7'.repeat(count));
				if (count >= 4 && count <= 18) expect(read()).toHaveLength(count);
				else expect(read).toThrow(InputProblem);
			}),
		);
	});
});

describe('the error of a phone number', () => {
	const problemOf = (read: () => unknown) => {
		const { message, description } = thrownBy(InputProblem, read);
		return [message, description];
	};

	it('shows the value, and says how to enter a number', () => {
		const remedy = 'Enter the number with a plus and its country code, such as +49 170 5556677.';
		expect(problemOf(() => readPhoneText(' 12x'))).toEqual([
			'" 12x" is not a phone number',
			remedy,
		]);
		expect(problemOf(() => readPhoneText(0.5))).toEqual(['0.5 is not a phone number', remedy]);
		for (const nothing of [undefined, null, ' ']) {
			expect(problemOf(() => readPhone(nothing))).toEqual(['The phone number is empty', remedy]);
		}
	});

	it.each<[string, NumberPlan | undefined, string]>([
		['٠١٠٠٠', 'EG', 'is too short for Egypt'],
		['०१२', 'IN', 'is too short'],
		['+٢٠١', undefined, 'is too short'],
		['٠١٠ ١٢٣٤ ٥٦٧٨', undefined, 'has no country code'],
		['+９９９９９９９９９９９９９９９９９９', undefined, 'is too long'],
		['０１７１\u2013１２３４５６７\u2013８', 'DE', 'is a mobile number with an extension'],
	])('quotes a number as it was typed: %s', (text, plan, why) => {
		expect(problemOf(() => readPhone(` ${text}`, plan))[0]).toBe(
			`The phone number "${text}" ${why}`,
		);
	});

	it('leads to Default Country, and to nothing else', () => {
		const remedy = "Set 'Default Country' under 'Options' to the country of numbers like this one";
		const place = " under 'Options'";
		expect(problemOf(() => readPhone('0170 5556677', undefined, place))).toEqual([
			'The phone number "0170 5556677" has no country code',
			`${remedy}.`,
		]);
		expect(problemOf(() => readPhone('(479) 678-5678', undefined, place))).toEqual([
			'The phone number "(479) 678-5678" can be read as +4796785678 and as a national number',
			`${remedy}, or to International if all numbers start with their country code.`,
		]);
	});

	it.each([
		['0170 5556677', ", or set 'Default Country' to its country."],
		['+0170 5556677', '.'],
	])('says what %s lacks if numbers are international', (text, more) => {
		expect(problemOf(() => readPhone(text, 'International'))).toEqual([
			`The phone number "${text}" has no country code`,
			`Enter the number with a plus and its country code, such as +49 170 5556677${more}`,
		]);
	});

	it('does not ask for a Default Country that is set', () => {
		const [message, remedy] = problemOf(() => readPhone('(0)0170 5556677', 'DE'));
		expect(message).toBe('The phone number "(0)0170 5556677" has no country code');
		expect(remedy).toMatch(/^Enter the number with a plus and its country code/);
	});

	it('names the possible numbers, and says how to choose', () => {
		const remedy =
			"Enter the right number with its plus. If all numbers start with their country code, set 'Default Country' to International.";
		expect(problemOf(() => readPhone(' 41 79 1234567', 'DE'))).toEqual([
			'The phone number "41 79 1234567" can be read as +4941791234567 and as +41791234567',
			remedy,
		]);
		expect(problemOf(() => readPhone('31612345678', 'DE'))).toEqual([
			'The phone number "31612345678" is not valid for Germany, but +31612345678 is valid',
			remedy,
		]);
	});

	it.each<[string, NumberPlan | undefined, string]>([
		['9 171 1234567 8901234', undefined, 'is too long'],
		['12345', 'International', 'is too short'],
		['49 199 1234567', 'International', 'is not valid with a plus'],
		['9191701234567890', 'International', 'is too long'],
	])('says what is wrong with %s in %s', (text, plan, why) => {
		expect(problemOf(() => readPhone(text, plan))).toEqual([
			`The phone number "${text}" ${why}`,
			'Enter the number with a plus and its country code, such as +49 170 5556677.',
		]);
	});

	it.each<[string, NumberPlan, string, string]>([
		['0199 123456', 'DE', 'is not valid for Germany', '+49 for Germany'],
		['9 8765-4321', 'BR', 'is not valid for Brazil', '+55 for Brazil'],
		['0171 12345678901234', 'DE', 'is too long for Germany', '+49 for Germany'],
		['555 0123', 'US', 'is too short for United States', '+1 for United States'],
	])('names the area code and the code of the country: %s in %s', (text, plan, why, code) => {
		const [message, remedy] = problemOf(() => readPhone(text, plan));
		expect(message).toBe(`The phone number "${text}" ${why}`);
		expect(remedy).toBe(
			`${why.includes('short') ? 'Its area code or other digits may be missing. ' : ''}Enter the whole number with its area code, or with a plus and its country code, which is ${code}.`,
		);
	});

	it.each(['a confirmar', '12'])('names no other country in the error of %s', (text) => {
		const [, remedy] = problemOf(() => readPhone(text, 'BR'));
		expect(remedy).toContain('+55 for Brazil');
		expect(remedy).not.toContain('+49');
	});

	it('says that no country code begins with 0', () => {
		expect(() => readPhone('+0151 23456789', 'DE')).toThrow('has no country code');
	});

	it('is avoided by the expression in the docs, for text, numbers and blank cells', () => {
		const page = fs.readFileSync('docs/action-node.md', 'utf8');
		const expression = /{{ (\$json\.phone.*) }}/.exec(page)?.[1] ?? '';
		const evaluate = (json: object): unknown => runInNewContext(expression, { $json: json });
		const cells = [491701234567, '491701234567', '+491701234567', '0170 1234567', '', null];
		expect(cells.map((phone) => evaluate({ phone }))).toEqual([
			...['+491701234567', '+491701234567', '+491701234567', '0170 1234567', '', undefined],
		]);
	});
});

describe('a number without a plus and a country', () => {
	it('is international only as a plain run of at least 12 digits', () => {
		fc.assert(
			fc.property(validNumber, fc.boolean(), ({ number }, isSpaced) => {
				const digits = number.slice(1);
				const text = isSpaced ? `${digits.slice(0, 3)} ${digits.slice(3)}` : digits;
				const isLongMobile = (['AT', 'ID'] as const).some((country) => {
					const national = parsePhoneNumberFromString(digits, country);
					return national?.getType() === 'MOBILE' && national.number !== number;
				});
				const isRun = digits.length >= 12 && !isSpaced && !isLongMobile;
				expect(outcomeOf(text)).toBe(isRun ? number : 'refused');
			}),
			{ numRuns: 500 },
		);
	});
});

test.each([
	['4915123456789', true],
	['+49 1512 3456789', true],
	['29022158', true],
	['49', false],
	['999123456789', false],
	['0151 23456789', false],
	['', false],
])('the stored number %j starts with its country code: %s', (phone, isSo) => {
	expect(isNumber(phone)).toBe(isSo);
});
