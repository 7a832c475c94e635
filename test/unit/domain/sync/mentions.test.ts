import * as fc from 'fast-check';

import { mentionTest } from '../../../../nodes/WorkspaceCrm/domain/sync/mentions';

const digits = fc.stringMatching(/^[1-9][0-9]{6,13}$/);

test('a number that is certain mentions its contact and no other', () => {
	fc.assert(
		fc.property(fc.array(digits), digits, (phones, other) => {
			const isMentioned = mentionTest(
				phones.map((phone) => ({ phone: `+${phone}`, isCertain: true })),
			);
			for (const phone of phones) expect(isMentioned(phone)).toBe(true);
			expect(isMentioned(other)).toBe(phones.includes(other));
		}),
	);
});

test('one that is not certain mentions every contact it may be of, whatever the country', () => {
	fc.assert(
		fc.property(
			fc.array(digits),
			fc.nat(999),
			fc.constantFrom('', '0', '00'),
			(phones, code, zero) => {
				const isMentioned = mentionTest(
					phones.map((phone) => ({ phone: `${zero}${phone}`, isCertain: false })),
				);
				for (const phone of phones) expect(isMentioned(`${code || ''}${phone}`)).toBe(true);
			},
		),
	);
});

test('a few digits are no number', () => {
	const isMentioned = mentionTest([{ phone: '0012', isCertain: false }]);
	expect(isMentioned('4915123450012')).toBe(false);
	expect(isMentioned('12')).toBe(false);
});
