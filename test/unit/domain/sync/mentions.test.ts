import * as fc from 'fast-check';

import { presenceTest } from '../../../../nodes/WorkspaceCrm/domain/sync/mentions';

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

test.each(['', '12345', '+29022158'])(
	'a contact with too short a number is never missing: %j',
	(phone) => {
		expect(presenceTest([whole('4915123456789')])(phone)).toBe('unclear');
	},
);
