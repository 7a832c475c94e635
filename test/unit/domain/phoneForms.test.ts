import * as fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

import { keysOf, phoneForms } from '../../../nodes/WorkspaceCrm/domain/sameNumber';

const phoneKey = (phone: string) => keysOf({ phone })[0] ?? '';

const digits = (length: number, first = '0123456789') =>
	fc
		.tuple(
			fc.constantFrom(...first),
			fc.string({
				unit: fc.constantFrom(...'0123456789'),
				minLength: length - 1,
				maxLength: length - 1,
			}),
		)
		.map((parts) => parts.join(''));

/** The digits that each operator put in front in 2021, and the first digits of its old mobile numbers. */
const OLD_IVORIAN = Object.entries({
	'01': '01 02 03 40 41 42 43 51 52 53 71',
	'05': '04 05 06 44 45 46 54 55 56 74 75 76 84 85 86',
	'07': '07 08 09 47 48 49 57 58 59 77 78 79 87 88 89',
}).flatMap(([operator, olds]) => olds.split(' ').map((old) => [operator, old] as const));

/** Both forms of a number, the long one first, by the numbering plans of the countries. */
const subscribers = fc.oneof(
	fc
		.tuple(fc.integer({ min: 11, max: 99 }), digits(8, '6789'))
		.map(([area, number]) => [`55${area}9${number}`, `55${area}${number}`]),
	digits(10, '23456789').map((number) => [`521${number}`, `52${number}`]),
	digits(10, '123').map((number) => [`549${number}`, `54${number}`]),
	digits(8, '24569').map((number) => [`22901${number}`, `229${number}`]),
	fc
		.tuple(fc.constantFrom(...OLD_IVORIAN), digits(6))
		.map(([[operator, old], rest]) => [`225${operator}${old}${rest}`, `225${old}${rest}`]),
);
const spelled = fc
	.tuple(subscribers, fc.constantFrom('', '+'), fc.constantFrom(0, 1))
	.map(([forms, plus, which]) => ({ phone: plus + forms[which], forms }));

test('both forms of a number have the same key, which no other number has', () => {
	fc.assert(
		fc.property(spelled, spelled, (one, two) => {
			expect(one.forms).toContain(phoneKey(one.phone));
			const isSame = one.forms.join() === two.forms.join();
			expect(phoneKey(one.phone) === phoneKey(two.phone)).toBe(isSame);
			for (const form of one.forms) expect(phoneKey(form)).toBe(phoneKey(one.phone));
		}),
		{ numRuns: 1_000 },
	);
});

test('a Brazilian landline keeps its digits, even if its area code ends with 9', () => {
	const landlines = fc
		.tuple(fc.integer({ min: 11, max: 99 }), digits(8, '2345'))
		.map(([area, number]) => `55${area}${number}`);
	fc.assert(fc.property(landlines, (phone) => expect(phoneKey(`+${phone}`)).toBe(phone)));
});

test.each(['2250712345678', '2252720123456', '22520123456', '22580123456', '22980123456'])(
	'%s has no other form that is certain',
	(phone) => expect(phoneForms(phone)).toEqual([phone]),
);

test('numbers of other countries are compared digit by digit, but for what is dialled only at home', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 5, max: 15 }).chain((length) => digits(length, '123456789')),
			(phone) => {
				fc.pre(!/^(?:5[245]|22[59])/.test(phone));
				const known = parsePhoneNumberFromString(`+${phone}`)?.number ?? `+${phone}`;
				expect([known, `+${phone}`]).toContain(`+${phoneKey(`+${phone}`)}`);
			},
		),
		{ numRuns: 500 },
	);
});

test('libphonenumber cannot decide: it calls one form invalid, or both valid', () => {
	const isValid = (phone: string) => parsePhoneNumberFromString(phone)?.isValid() ?? false;
	expect(isValid('+5215512345678')).toBe(false);
	expect(phoneKey('+5215512345678')).toBe(phoneKey('+525512345678'));
	expect(isValid('+551187654321')).toBe(false);
	expect(phoneKey('+551187654321')).toBe(phoneKey('+5511987654321'));
	expect(phoneKey('+5491123456789')).toBe(phoneKey('+541123456789'));
});
