import * as fc from 'fast-check';
import type { PhoneNumber } from 'libphonenumber-js/max';

import { readCountry, type NumberPlan } from '../../../nodes/WorkspaceCrm/domain/defaultCountry';
import { readPhone } from '../../../nodes/WorkspaceCrm/domain/phone';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { repositoryFolder } from '../../../tools/n8n/paths';
import { validNumber } from '../../support/phoneNumbers';
import { thrownBy } from '../../support/thrownBy';
import { fs, path } from '../../../tools/support/platform';

/** @returns the number if it is valid, otherwise undefined */
function readOrNot(value: unknown, plan?: NumberPlan): string | undefined {
	try {
		const { number, isValid } = readPhone(value, plan);
		return isValid ? number : undefined;
	} catch (error) {
		expect(error).toBeInstanceOf(InputProblem);
		return undefined;
	}
}

/** The digits in groups of two or three, and the last of up to five. */
const groupsOf = (digits: string): fc.Arbitrary<string[]> =>
	fc.array(fc.integer({ min: 2, max: 3 }), { minLength: 8, maxLength: 8 }).map((sizes) => {
		const groups: string[] = [];
		let rest = digits;
		for (const size of sizes) {
			if (rest.length <= 5) break;
			groups.push(rest.slice(0, size));
			rest = rest.slice(size);
		}
		return [...groups, rest];
	});

const BLANKS = [' ', '  ', '\t', '\u00a0', '\u202f', ' \u200e'];
const DASHES = ['-', '\u2010', '\u2011', '\u2013', '\u2212', '\uff0d', ' - ', ' \u2013 '];
const MARKS = ['.', '/', ' / ', '. ', '·'];
/** Blanks and dashes mix freely; a number with dots or slashes has only one kind of them. */
const joined = (groups: string[]): fc.Arbitrary<string> =>
	fc.oneof(
		fc
			.array(fc.constantFrom(...BLANKS, ...DASHES), { minLength: 20, maxLength: 20 })
			.map((marks) => groups.map((group, at) => (at ? marks[at] : '') + group).join('')),
		fc.constantFrom(...MARKS).map((mark) => groups.join(mark)),
	);
const spaced = (digits: string) => groupsOf(digits).chain(joined);

const inDigitsFrom = (zero: number) => (text: string) =>
	text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const codeOf = (number: PhoneNumber) => String(number.countryCallingCode);

/** A number with its country code, as people and programs write it. */
const international = (number: PhoneNumber): fc.Arbitrary<string> => {
	const code = codeOf(number);
	const rest = number.nationalNumber;
	const before = fc.constantFrom(`+${code}`, `00${code}`, `+ ${code}`, `00 ${code}`);
	const beforeOrBracketed = fc.oneof(before, fc.constantFrom(`(+${code})`, `+(${code})`));
	const area = rest.slice(0, rest.length > 5 ? 2 : 1);
	return fc.oneof(
		fc.constantFrom(
			...[number.number, number.formatInternational(), number.getURI()],
			...[`TEL: ${number.number}`, ` ${number.number}\n`, `\u202a${number.number}\u202c`],
			...['.0', '.00', ',0', '.'].map((fraction) => number.number + fraction),
			...[0x660, 0x6f0, 0xff10].map((zero) => inDigitsFrom(zero)(number.number)),
			`＋${number.number.slice(1)}`,
		),
		groupsOf(rest).chain((groups) => before.chain((first) => joined([first, ...groups]))),
		fc.tuple(beforeOrBracketed, fc.constantFrom(' ', '-'), spaced(rest)).map((all) => all.join('')),
		fc
			.tuple(before, fc.constantFrom('', ' ', '-'), fc.constantFrom('', ' ', '-', '.'))
			.map(([first, one, two]) => `${first}${one}(${area})${two}${rest.slice(area.length)}`),
	);
};

const written = validNumber.chain((number) =>
	fc.record({ number: fc.constant(number), text: international(number) }),
);

describe('a written phone number', () => {
	test('with its country code is read in any country and without one', () => {
		fc.assert(
			fc.property(written, ({ number, text }) => {
				const plans = [undefined, number.country, 'International' as const];
				expect([text, ...plans.map((plan) => readOrNot(text, plan))]).toEqual([
					text,
					...plans.map(() => number.number),
				]);
			}),
			{ numRuns: 1_000, endOnFailure: true },
		);
	});

	test('with a zero in brackets is never another number', () => {
		const withZero = validNumber.chain((number) =>
			fc
				.tuple(fc.constantFrom('+', '00'), fc.constantFrom('(0)', ' (0) ', '(0) ', ' (0)'))
				.map(([plus, zero]) => ({
					number,
					text: plus + codeOf(number) + zero + number.nationalNumber,
				})),
		);
		const isRefused = ['AC', 'IT', 'VA'];
		fc.assert(
			fc.property(withZero, ({ number, text }) => {
				const expected = isRefused.includes(number.country ?? '')
					? [undefined, number.number]
					: [number.number];
				expect(expected).toContain(readOrNot(text));
			}),
			{ numRuns: 200, endOnFailure: true },
		);
	});

	test('without a plus is international if the plan says so, also as a JSON number', () => {
		const bare = validNumber.chain((number) =>
			fc.record({
				number: fc.constant(number),
				value: fc.oneof(
					fc.constantFrom<unknown>(
						number.number.slice(1),
						Number(number.number.slice(1)),
						`${number.number.slice(1)}.0`,
					),
					spaced(number.nationalNumber).map((rest) => `${codeOf(number)} ${rest}`),
					spaced(number.nationalNumber).map((rest) => `(${codeOf(number)}) ${rest}`),
				),
			}),
		);
		fc.assert(
			fc.property(bare, ({ number, value }) => {
				const read = readOrNot(value, 'International');
				// Four groups with dots may be an IP address, and three a date.
				const isOther = /^[\d.]+$/.test(String(value)) && read === undefined;
				if (!isOther) expect([value, read]).toEqual([value, number.number]);
			}),
			{ numRuns: 500, endOnFailure: true },
		);
	});

	test.each<[string, NumberPlan, string]>([
		['06.12.34.56.78', 'FR', '+33612345678'],
		['06/12/34/56/78', 'FR', '+33612345678'],
		['089 / 12 34 56 78', 'DE', '+498912345678'],
		['0475/12.34.56', 'BE', '+32475123456'],
		['(0)15123456789', 'DE', '+4915123456789'],
		['030 12345-0', 'DE', '+4930123450'],
		['0664/1234567', 'AT', '+436641234567'],
		['8 (495) 123-45-67', 'RU', '+74951234567'],
		['(0 612) 34567', 'LT', '+37061234567'],
		['0 (212) 345 67 89', 'TR', '+902123456789'],
		['+44 (0)20 7946 0958', 'GB', '+442079460958'],
		['+39 (0)6 1234 5678', 'IT', '+390612345678'],
		['(11) 9 8765-4321', 'BR', '+5511987654321'],
		['+49.1701234567', 'International', '+491701234567'],
		['４９１７０１２３４５６７', 'International', '+491701234567'],
		['4.36641234567E11', 'International', '+436641234567'],
		['436641234567,00', 'International', '+436641234567'],
		['06641234567.0', 'AT', '+436641234567'],
		['+1 (0) 212 456 7890', 'US', '+12124567890'],
	])('%s in %s is %s', (text, plan, number) => {
		expect(readOrNot(text, plan)).toBe(number);
	});
});

/** Ways in which a number and something else become one text. */
const SPOILED: Array<[what: string, spoil: (text: string, digit: number) => string]> = [
	['a note in brackets', (text, digit) => `${text} (${digit})`],
	['a longer note in brackets', (text, digit) => `${text}(${digit}2)`],
	['a note behind a slash', (text, digit) => `${text}/${digit}`],
	['a longer note behind a slash', (text, digit) => `${text}/${digit}3`],
	['a note behind a dash', (text, digit) => `${text} - ${digit}`],
	['a digit behind a blank', (text, digit) => `${text} ${digit}`],
	['a fraction', (text, digit) => `${text}.${digit || 1}`],
	['a longer fraction', (text, digit) => `${text}.${digit}5`],
	['a fraction behind a comma', (text, digit) => `${text},${digit || 1}`],
	['an extension', (text, digit) => `${text} ext. ${digit}`],
	['an extension by x', (text, digit) => `${text}x${digit}`],
	['an extension in a URI', (text, digit) => `${text};ext=${digit}`],
	['the same number again', (text) => `${text} ${text}`],
	['a number behind a slash', (text) => `${text} / ${text}`],
	['a number in another line', (text) => `${text}\n${text}`],
	['a number behind a comma', (text) => `${text}, ${text}`],
	['a letter', (text, digit) => `${text.slice(0, -digit - 1)}O${text.slice(-digit - 1)}`],
	['a name', (text) => `Anna ${text}`],
	['another plus', (text) => `+${text}+`],
	['a power of ten', (text) => `${text}E2`],
	['a time', (text) => `${text} 10:30`],
];

test.each(SPOILED)('%s never makes it another valid number', (_, spoil) => {
	const plain = validNumber.chain((number) =>
		fc.record({
			number: fc.constant(number),
			text: fc.constantFrom(
				...[number.number, number.formatInternational(), number.formatNational()],
				...[number.number.slice(1), number.nationalNumber],
			),
			digit: fc.nat(9),
		}),
	);
	fc.assert(
		fc.property(plain, ({ number, text, digit }) => {
			const isNational = [number.formatNational(), number.nationalNumber].includes(text);
			for (const plan of [undefined, isNational ? number.country : 'International'] as const) {
				const spoiled = spoil(text, digit);
				expect([spoiled, plan, readOrNot(spoiled, plan) ?? number.number]).toEqual([
					spoiled,
					plan,
					number.number,
				]);
			}
		}),
		{ numRuns: 200, endOnFailure: true },
	);
});

test('dates, years, prices and IP addresses are refused in every country', () => {
	const two = (value: number) => String(value).padStart(2, '0');
	const day = fc
		.date({ min: new Date('1901-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
		.map((date) => [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()] as const);
	const mark = fc.constantFrom('.', '/', '-', '. ', ' - ', '\u2013');
	const time = fc.constantFrom('', ' 10.30', ' 8.15 - 9.00');
	const date = fc
		.tuple(day, mark, fc.boolean(), fc.nat(6), time)
		.map(([[year, month, of], by, isPadded, order, at]) => {
			const [m, d] = [month, of].map((part) => (isPadded ? two(part) : String(part)));
			const orders = [
				...[
					[year, m, d],
					[d, m, year],
					[m, d, year],
					[d, m, two(year % 100)],
				],
				...[
					[two(month), year],
					[year, two(month)],
					[year - 1, year],
				],
			];
			const parts = orders[order] ?? [];
			return parts.join(by) + (parts.length === 3 ? at : '');
		});
	const price = fc
		.tuple(fc.nat(999), fc.nat(99))
		.map(([whole, hundredths]) => `${whole}.${two(hundredths)}`);
	const prices = fc
		.tuple(price, fc.constantFrom('-', ' - ', '\u2013'), price)
		.map((parts) => parts.join(''));
	const address = fc.ipV4().filter((text) => text !== '0.0.0.0');
	fc.assert(
		fc.property(fc.oneof(date, address, price, prices), validNumber, (text, { country }) => {
			for (const plan of [undefined, country, 'International'] as const) {
				expect(() => readPhone(text, plan)).toThrow(
					/looks like (a date|an IP address), not a phone number|is not a phone number/,
				);
			}
		}),
		{ numRuns: 500, endOnFailure: true },
	);
});

test.each([
	['2026-01-15', 'looks like a date, not a phone number'],
	['12.03.1985', 'looks like a date, not a phone number'],
	['15/01/2026', 'looks like a date, not a phone number'],
	['15.01.2026 10.30', 'looks like a date, not a phone number'],
	['192.168.100.200', 'looks like an IP address, not a phone number'],
	['10.20.30.40/24', 'looks like an IP address, not a phone number'],
	['4.91512E+11', 'was rounded by a spreadsheet'],
	['4,91512E+11', 'was rounded by a spreadsheet'],
	['1e+21', 'was rounded by a spreadsheet'],
	['+491', 'is too short'],
	['+49151234567890123', 'is too long'],
	['0049151234567890123', 'is too long'],
	['-15123456789', 'is not a phone number'],
	['1.234.567,00', 'is not a phone number'],
	[`+49 170 ${' - '.repeat(30)}1234567`, 'is not a phone number'],
])('%j %s', (text, why) => {
	for (const plan of [undefined, 'DE', 'International'] as const) {
		expect(() => readPhone(text, plan)).toThrow(why);
	}
});

test.each<[string, NumberPlan | undefined]>([
	['089 1234567/68', 'DE'],
	['089/1234567/68', 'DE'],
	['089 123 45 67/68', 'DE'],
	['+49 170 1234567 23', undefined],
	['+49 170 1234567 / 7654321', undefined],
	['12. 060 1229578', 'RS'],
	['089 12345 - 089 12346', 'DE'],
	['030 12345 030 12346', 'DE'],
	['030 12345 / 12346', 'DE'],
	['020 12345 12346', 'DE'],
	['01 58801 - 58802', 'AT'],
	['08912345-08912346', 'DE'],
	['+43 664 195774-2', undefined],
	['0170-1234567-8', 'DE'],
	['0664 195774 - 22', 'AT'],
	['2 - 01512 3489304', 'DE'],
	['2 030 1234567', 'DE'],
	['1. 060 1229578', 'RS'],
	['2025/2026', 'DE'],
	['08.30 - 17.00', 'DE'],
	['48.137154', 'DE'],
	['2026 01 15', 'DE'],
	['05.11.83 14.30', 'DE'],
	['2025 - 2026', 'DE'],
	['2025.2026', 'DK'],
	['24.12-26.12', 'NO'],
	['15.90 - 19.90', 'AT'],
	['4433.000', 'TK'],
	['321234567', 'IT'],
])('%s is refused in %s: it holds more than a number, or something else', (text, plan) => {
	expect(readOrNot(text, plan)).toBeUndefined();
});

test.each<[string, NumberPlan | undefined, string]>([
	['08912345-08912346', 'DE', '+498912345'],
	['+376376110-376110', undefined, '+376376110'],
])('%s in %s holds more than %s', (text, plan, number) => {
	const what = `The phone number "${text}" seems to hold more than the number ${number}`;
	expect(thrownBy(InputProblem, () => readPhone(text, plan)).message).toBe(what);
});

test.each<[string, NumberPlan | undefined, string]>([
	['030 123456-0', 'DE', '+49301234560'],
	['0664/1234567', 'AT', '+436641234567'],
	['07911 123456', 'GB', '+447911123456'],
	['8 (912) 345-67-89', 'RU', '+79123456789'],
	['+91 98765 43210', undefined, '+919876543210'],
	['06.12.06.34.56', 'FR', '+33612063456'],
	['6 05 04 03 02', 'FR', '+33605040302'],
	['06 - 12 - 34 - 56 - 78', 'FR', '+33612345678'],
	['021 97123 4567', 'BR', '+5521971234567'],
	['(11) 98765 - 4321', 'BR', '+5511987654321'],
	['098765 - 43210', 'IN', '+919876543210'],
	['0151 2345 6789', 'DE', '+4915123456789'],
	['8 029 491-19-11', 'BY', '+375294911911'],
	['3201234567', 'IT', '+393201234567'],
])('%s is a number in %s', (text, plan, number) => {
	expect(readPhone(text, plan).number).toBe(number);
});

test('every row of the example is read, except the four whose name says why not', () => {
	const file = path.join(repositoryFolder, 'examples/contact-import.json');
	const { nodes } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
		nodes: Array<{ name: string; parameters: { jsonOutput?: string } }>;
	};
	const json = nodes.find(({ name }) => name === 'Rows')?.parameters.jsonOutput ?? '';
	const { rows } = JSON.parse(json) as {
		rows: Array<{ name: string; phone: unknown; country: string }>;
	};
	const read = ({ phone, country }: (typeof rows)[number]) => {
		try {
			return readOrNot(phone, readCountry(country));
		} catch {
			return undefined;
		}
	};
	const unread = rows.filter((row) => read(row) === undefined).map(({ name }) => name);
	expect(rows).toHaveLength(36);
	expect(unread).toEqual(['Too short', 'Letters', 'No phone', 'Unknown country']);
});

test.each([0x966, 0x9e6, 0xe50, 0x1040, 0x1d7ce, 0x1d7d8, 0x1e950, 0xff10])(
	'digits of the script at %i are digits',
	(zero) => expect(readOrNot(inDigitsFrom(zero)('+919876543212'))).toBe('+919876543212'),
);

test.each(["'+5571987654335", '\u2018+5571987654335', "' +55 71 98765-4335"])(
	'%s is a text of a spreadsheet',
	(text) => expect(readOrNot(text)).toBe('+5571987654335'),
);

test.each([
	['+55 71 98765-4335 (zap)', 'Remove what does not belong to a phone number: "zap".'],
	['+55 71 98765-4335 x12', 'Remove the extension: "x12".'],
	['71 98765-4335x12', 'Remove the extension: "x12".'],
	['(206) 555-0121 ext. 4', 'Remove the extension: "ext. 4".'],
	['030 1234567 Durchwahl 12', 'Remove the extension: "Durchwahl 12".'],
	[
		'0170 1234567 oder 030 98',
		'Enter the number with a plus and its country code, such as +49 170 5556677.',
	],
	['+55 71 98765-4335 or 2', 'Enter one complete number and nothing else.'],
	[
		'https://wa.me/5571987654335',
		'Remove what does not belong to a phone number: "https:", "wa", "me".',
	],
	['+55 71 98765-4335; +55', 'Remove what does not belong to a phone number: ";".'],
	['+55 71 98765-4335 / 2', 'Enter one complete number and nothing else.'],
	['0895 3344 5566 7', 'Write the last digit together with the others, or remove it.'],
	['call me', 'Enter the number with a plus and its country code, such as +49 170 5556677.'],
])('of %j, the error says what to remove: %s', (text, remedy) => {
	expect(thrownBy(InputProblem, () => readPhone(text))).toMatchObject({ description: remedy });
});
