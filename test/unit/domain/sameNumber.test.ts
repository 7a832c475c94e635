import * as fc from 'fast-check';
import {
	getCountries,
	getExampleNumber,
	parsePhoneNumberFromString,
	type PhoneNumber,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';

import { keysOf, Subscribers } from '../../../nodes/WorkspaceCrm/domain/sameNumber';

/** How people and programs write a number, by the library's own formats and the prefixes of the country. */
function spellingsOf(phone: PhoneNumber): string[] {
	const { number, countryCallingCode: code, nationalNumber: rest } = phone;
	const national = phone.formatNational();
	const dialled = national.replace(/\D/g, '');
	return [
		...[number, number.slice(1), `00${number.slice(1)}`, `+${code} ${rest}`, `00 ${code} ${rest}`],
		...[phone.formatInternational(), phone.formatInternational().slice(1), phone.getURI()],
		...[`+${code} ${national}`, `+${code}${dialled}`, `${code}${dialled}`, `00${code}${dialled}`],
		...[national, dialled, rest, `(${code}) ${rest}`, `'${number}`],
	];
}

const haveCommonKey = (one: object, other: object) =>
	keysOf(one).some((key) => keysOf(other).includes(key));

/** A valid number of some country: its example, with other last digits if it stays valid. */
const numbers: fc.Arbitrary<PhoneNumber> = fc
	.tuple(fc.constantFrom(...getCountries()), fc.array(fc.nat(9), { maxLength: 4 }))
	.map(([country, ending]) => {
		const example = getExampleNumber(country, examples) as PhoneNumber;
		const kept = example.number.slice(0, example.number.length - ending.length);
		const changed = parsePhoneNumberFromString(kept + ending.join(''));
		return changed?.isValid() && changed.country === country ? changed : example;
	});

describe('the keys of a contact', () => {
	test('are shared by all spellings of its ID and its international number', () => {
		fc.assert(
			fc.property(fc.uuid(), numbers, (id, phone) => {
				expect(haveCommonKey({ id }, { id: id.toUpperCase(), phone: '' })).toBe(true);
				for (const written of [phone.number.slice(1), phone.formatInternational()]) {
					expect(haveCommonKey({ phone: phone.number }, { id, phone: written })).toBe(true);
				}
			}),
		);
	});

	test('are shared with no other contact', () => {
		fc.assert(
			fc.property(fc.uuid(), fc.uuid(), numbers, numbers, (id, otherId, one, other) => {
				fc.pre(id !== otherId);
				expect(haveCommonKey({ id, phone: '' }, { id: otherId, phone: '' })).toBe(false);
				expect(haveCommonKey({ id, phone: one.number }, { id: otherId })).toBe(false);
				const isSame = one.nationalNumber === other.nationalNumber;
				// Both forms of a number end in the same six digits.
				const areFar = one.number.slice(-6) !== other.number.slice(-6);
				if (!isSame && areFar) {
					expect(haveCommonKey({ phone: one.number }, { phone: other.number })).toBe(false);
				}
			}),
		);
	});

	test('begin with the ID, and are none for a blank contact', () => {
		expect(keysOf({ id: 'A1', phone: '+49 151 23456789' })).toEqual(['id a1', '4915123456789']);
		expect(keysOf({ phone: '+49 151 23456789' })).toEqual(['4915123456789']);
		expect(keysOf({})).toEqual([]);
		expect(keysOf({ id: '', phone: '' })).toEqual([]);
	});
});

describe('a contact with another number', () => {
	const mayBe = (stored: string, phone: string) => {
		const subscribers = new Subscribers();
		subscribers.add({ id: 'stored', phone: stored });
		return subscribers.of({ phone }).length > 0;
	};

	test('may be the one whose number it stands for, however either is written, in every country', () => {
		const spellings = numbers.chain((phone) =>
			fc.record({
				stored: fc.constantFrom(...spellingsOf(phone)),
				given: fc.constantFrom(...spellingsOf(phone)),
			}),
		);
		fc.assert(
			fc.property(spellings, ({ stored, given }) => {
				expect([stored, given, mayBe(stored, given)]).toEqual([stored, given, true]);
			}),
			{ numRuns: 3_000 },
		);
	});

	test('is another one if both numbers are international', () => {
		fc.assert(
			fc.property(numbers, numbers, ({ number }, other) => {
				fc.pre(number.slice(-6) !== other.number.slice(-6));
				for (const stored of [other.number, other.formatInternational()]) {
					expect([stored, mayBe(stored, number)]).toEqual([stored, false]);
				}
			}),
		);
	});

	test.each([
		['0151 23456001', '+4915123456002', false],
		['0151 23456001', '+4915123456001', true],
		['15123456701', '+4915123456701', true],
		['15123456701', '+14915123456', false],
		['0152 99456701', '0151 23456701', false],
		['23456701', '0151 23456701', true],
		['+43 664 195774-2', '+43664195774', true],
		['+49 151 23456701 / 0152 99999999', '+4915123456701', true],
		['', '+4915123456701', false],
		['see notes', '+4915123456701', false],
	])('%j may be %s: %s', (stored, phone, isSo) => {
		expect(mayBe(stored, phone)).toBe(isSo);
		expect(mayBe(phone, stored)).toBe(isSo);
	});

	test.each([
		['whatsapp:+4915123456701', '+4915123456701', true],
		['+4915123456701', 'whatsapp:+4915123456701', true],
		['4915123456701@c.us', 'call 0151 23456701', true],
		['0151 23456701 (2)', '+4915123456701', true],
		['x+4915123456701', '+4915123456702', false],
		['see notes', '+4915123456701', false],
		['x 12345', '+4915123412345', false],
	])('with other words beside it, as in %j, may be %j: %s', (stored, phone, expected) => {
		expect(mayBe(stored, phone)).toBe(expected);
	});

	/** With fewer than six digits, what is no number is nobody's. */
	test.each([
		...['', ' ', 'see notes', 'unknown', 'n/a', '-', '?', '12', '+', '+12', 'room 12345'],
		...['\u0661\u0662\u0663', '01528 / room', '12:30', '(12)'],
	])('%j is nobody', (stored) => {
		for (const phone of ['+4915112345', '+49301528', '+491701528', '+12125550112'])
			expect([phone, mayBe(stored, phone), mayBe(phone, stored)]).toEqual([phone, false, false]);
	});

	test.each([
		['01528 123456', '+49170999991528', false],
		['01528 123456', '+491528123456', true],
		['023456', '+493023456', true],
		['23456 / 0171 2345678', '+493023456', true],
		// Whole numbers of small countries.
		['+29022158', '+29022158', true],
		['4002', '+6834002', true],
		['0151 23456701 ext. 7', '+4915123456701', true],
	])('%j may be %s: %s, by the digits that are enough for a number', (stored, phone, isSo) => {
		expect(mayBe(stored, phone)).toBe(isSo);
		expect(mayBe(phone, stored)).toBe(isSo);
	});
});
