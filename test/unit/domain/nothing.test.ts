import * as fc from 'fast-check';

import { dropNothings, isNothing } from '../../../nodes/WorkspaceCrm/domain/plainData';

/** Written out, so that the test does not share the code's rule. */
const UNSEEN = [
	' ',
	'\t',
	'\n',
	'\r',
	'\u00a0',
	'\u200b',
	'\u2003',
	'\u2028',
	'\u3000',
	'\u3164',
	'\ufeff',
	'\u00ad',
];
const blank = fc.string({ unit: fc.constantFrom(...UNSEEN) });

test('a missing value, a blank in any spelling, or a list of only these is nothing', () => {
	const nothing = fc.letrec<{ value: unknown }>((tie) => ({
		value: fc.oneof(
			{ depthSize: 'small' },
			blank,
			fc.constantFrom<unknown>(undefined, null, NaN),
			fc.array(tie('value')),
		),
	}));
	fc.assert(fc.property(nothing.value, (value) => expect(isNothing(value)).toBe(true)));
});

test('anything that people see is something, and so are objects', () => {
	const visible = fc.constantFrom(...'a0-.,"é中ع👍'.split(/(?:)/u), '\u0301');
	fc.assert(
		fc.property(blank, visible, blank, (before, seen, after) => {
			expect(isNothing(before + seen + after)).toBe(false);
			expect(isNothing(['', before + seen])).toBe(false);
		}),
	);
	expect([0, false, -1, { a: null }, new Date(0)].map(isNothing)).not.toContain(true);
	expect(isNothing({})).toBe(true);
});

test('dropNothings removes nothings at any depth, and keeps the entries of lists', () => {
	const kept = [0, false, NaN, 'x', ' x ', [null, {}]];
	const record = { kept, name: ' ', tags: [], attributes: { plan: '', size: { unit: null } } };
	expect(dropNothings(record)).toEqual({ kept });
	fc.assert(
		fc.property(fc.object(), (value) => {
			expect(dropNothings(dropNothings(value))).toEqual(dropNothings(value));
		}),
	);
});
