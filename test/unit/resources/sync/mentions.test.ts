import * as fc from 'fast-check';

import {
	isUnreadable,
	presenceTest,
} from '../../../../nodes/WorkspaceCrm/resources/contact/sync/desired';

const digits = fc.stringMatching(/^[1-9][0-9]{6,13}$/);
const german = fc.stringMatching(/^491512[0-9]{7}$/);
const whole = (phone: string) => ({ typed: `+${phone}`, number: `+${phone}` });

test('a number with country code has its contact, and no other that ends otherwise', () => {
	fc.assert(
		fc.property(fc.array(german, { minLength: 1 }), german, (phones, other) => {
			const presenceOf = presenceTest(phones.map(whole));
			for (const phone of phones) {
				expect(presenceOf(`+${phone}`)).toBe('present');
				expect(presenceOf(phone)).toBe('present');
			}
			expect(presenceOf(`+${other}`)).toBe(phones.includes(other) ? 'present' : 'missing');
		}),
	);
});

test('a number that cannot be read may be of every contact that has its end', () => {
	fc.assert(
		fc.property(
			fc.array(digits, { minLength: 1 }),
			fc.nat(999),
			fc.constantFrom('', '0', '00', '8', '06'),
			fc.constantFrom('', '', '7', '12345'),
			(phones, code, prefix, extension) => {
				const presenceOf = presenceTest(
					phones.map((phone) => ({ typed: `${prefix}${phone}-${extension}` })),
				);
				for (const phone of phones) {
					expect(presenceOf(`+${code || ''}${phone}`)).not.toBe('missing');
					expect(presenceOf(`${code || ''}${phone}`)).not.toBe('missing');
				}
			},
		),
	);
});

test.each([[undefined], [{ typed: '0012' }], [{ typed: '22158', number: '+4322158' }]])(
	'a number of no or few digits may be of every contact: %j',
	(mention) => {
		const presenceOf = presenceTest([whole('4915123456789'), mention]);
		expect(presenceOf('+4915123456789')).toBe('present');
		expect(presenceOf('+33612345678')).toBe('unclear');
	},
);

test('an item that names its contact by an ID says nothing of any number', () => {
	const byId = { typed: '', id: 'a' };
	expect(isUnreadable(byId)).toBe(false);
	expect(presenceTest([byId])('+4915123456789')).toBe('missing');
});

test.each(['', '12345', '+29022158'])(
	'a contact with too short a number is never missing: %j',
	(phone) => {
		expect(presenceTest([whole('4915123456789')])(phone)).toBe('unclear');
	},
);

describe('a contact', () => {
	const presence = (mention: { typed: string; number?: string }, phone: string) =>
		presenceTest([mention])(phone);

	it('is present by the same digits, also where the number could not be read', () => {
		expect(presence({ typed: '4915123456789' }, '+49 1512 3456789')).toBe('present');
		expect(presence({ typed: '030 123456' }, '030123456')).toBe('present');
	});

	it.each([
		['+49 30 123456-12', '+493012345612', '+4930123456'],
		['+49 30 123456 78 90', '+49301234567890', '+4930123456'],
		['+49 30 123456-12345', '+493012345612345', '+4930123456'],
	])('may be the one without the extension: %s', (typed, number, phone) => {
		expect(presence({ typed, number }, phone)).toBe('unclear');
		expect(presence({ typed, number }, '+4930123499')).toBe('missing');
	});

	it('is not the one whose last groups are too long for an extension', () => {
		const mention = { typed: '+49 30123456-789012', number: '+4930123456789012' };
		expect(presence(mention, '+4930123456')).toBe('missing');
	});

	it.each([
		['0301234567', '+49301234567', 'unclear'],
		['00 49 30 1234567-0', '+49301234567', 'unclear'],
		['0301234567', '+49301234568', 'missing'],
		['0301234567', '+49 30 12345', 'unclear'],
		['030123456', '+49301234567', 'missing'],
		['0301234567', '999888555', 'missing'],
	])('may have a number that could not be read as its end: %s, %s', (typed, phone, expected) => {
		expect(presence({ typed }, phone)).toBe(expected);
	});

	it.each([
		['030/4567891', 'unclear'],
		['0304567891 - 23', 'unclear'],
		['+49 1512 3456789', 'present'],
		['+49 (0) 1512 3456789', 'unclear'],
		['49151234567890', 'unclear'],
		['4915123456780', 'missing'],
		['99934567890', 'unclear'],
		['999345678', 'missing'],
	])('of a number that is not plain may have any of its parts: %s', (phone, expected) => {
		const mentions = [whole('4915123456789'), whole('4930567891'), whole('493056567890')];
		expect(presenceTest(mentions)(phone)).toBe(expected);
	});

	it.each([
		['123456', 'missing'],
		['12345', 'unclear'],
		['+298211234', 'missing'],
		['+29022158', 'unclear'],
	])('is missing only with as many digits as an end has: %s', (phone, expected) => {
		expect(presenceTest([whole('4915123456789')])(phone)).toBe(expected);
	});
});

test.each([
	[undefined, true],
	[{ typed: '12345' }, true],
	[{ typed: '1-2 3.4' }, true],
	[{ typed: '123456' }, false],
])('a number of fewer than six digits tells nothing: %j', (mention, expected) => {
	expect(isUnreadable(mention)).toBe(expected);
});
