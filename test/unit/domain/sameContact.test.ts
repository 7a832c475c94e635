import * as fc from 'fast-check';
import {
	getCountries,
	getExampleNumber,
	parsePhoneNumberFromString,
	type PhoneNumber,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';

import { IncomparableNumbers, keysOf } from '../../../nodes/WorkspaceCrm/domain/sameContact';

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

describe('a number that cannot be compared', () => {
	const mayInclude = (stored: string, phone: string) => {
		const incomparable = new IncomparableNumbers();
		incomparable.add(stored);
		return incomparable.mayInclude(phone);
	};

	test('may be the international one that it stands for, in every country', () => {
		const spellings = numbers.chain((phone) =>
			fc.record({
				phone: fc.constant(phone),
				stored: fc.constantFrom(
					phone.formatNational(),
					phone.formatNational().replace(/\D/g, ''),
					`0${phone.nationalNumber}`,
					`${phone.formatNational()} ext. 12`,
				),
			}),
		);
		fc.assert(
			fc.property(spellings, ({ phone, stored }) => {
				// Some national numbers are also the international number of somebody else.
				const other = parsePhoneNumberFromString(`+${stored.replace(/\D/g, '')}`);
				fc.pre(!other?.isValid());
				expect(mayInclude(stored, phone.number)).toBe(true);
			}),
			{ numRuns: 2_000 },
		);
	});

	test('is not one that is international, or missing', () => {
		fc.assert(
			fc.property(numbers, numbers, ({ number }, other) => {
				for (const stored of [number, number.slice(1), other.formatInternational(), '', ' ']) {
					expect(mayInclude(stored, number)).toBe(false);
				}
			}),
		);
	});

	test('is only one with the same ending', () => {
		expect(mayInclude('0151 23456001', '+4915123456002')).toBe(false);
		expect(mayInclude('0151 23456001', '+4915123456001')).toBe(true);
	});
});
