import * as fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

import { phoneKey } from '../../../nodes/WorkspaceCrm/domain/phone';

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

/** Both forms of a mobile number, by the numbering plans of the three countries. */
const subscribers = fc.oneof(
	fc
		.tuple(fc.integer({ min: 11, max: 99 }), digits(8, '6789'))
		.map(([area, number]) => [`55${area}9${number}`, `55${area}${number}`]),
	digits(10, '23456789').map((number) => [`521${number}`, `52${number}`]),
	digits(10, '123').map((number) => [`549${number}`, `54${number}`]),
);
const spelled = fc
	.tuple(subscribers, fc.constantFrom('', '+'), fc.constantFrom(0, 1))
	.map(([forms, plus, which]) => ({ phone: plus + forms[which], forms }));

test('both forms of a number have the same key, and no other number', () => {
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

test('numbers of other countries are compared digit by digit', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 5, max: 15 }).chain((length) => digits(length, '123456789')),
			(phone) => {
				fc.pre(!/^5[245]/.test(phone));
				expect(phoneKey(`+${phone}`)).toBe(phone);
				expect(phoneKey(phoneKey(phone))).toBe(phone);
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
