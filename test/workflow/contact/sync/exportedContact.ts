import * as fc from 'fast-check';

import { anyCharacter } from '../../../support/anyCharacter';

/** What people and programs write into names, tags and attributes. */
const visible = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				...[
					'=1+1',
					'-Anna',
					"'-Anna",
					"''=x",
					'@work',
					'+49 151',
					'Berlin, Mitte',
					'a;b',
					'["x"]',
					'{a}',
				],
				...[
					'"',
					"'",
					'é',
					'e\u0301',
					'🎉',
					'null and void',
					'007',
					'TRUE',
					'1',
					'#vip',
					'<b>',
					'|',
					'\n',
				],
			),
			fc.string({ unit: anyCharacter, maxLength: 3 }),
		),
		{ minLength: 1, maxLength: 3 },
	)
	.map((words) => words.join(' ').trim())
	.filter(
		(text) =>
			/[\p{L}\p{N}]/u.test(text) &&
			!/^(null|undefined|NaN)$/.test(text) &&
			!text.includes('\u0000'),
	);
const key = fc.constantFrom(
	'plan',
	'city',
	'a.b',
	'a',
	'langs',
	'Größe',
	'größe',
	'0',
	'x y',
	'address',
	'deep.city',
	'id',
	'sync',
	'name',
);
/** Numbers that a cell is too narrow for, and what n8n 2.41's CSV files hold in their place: measured. */
export const NARROWED = new Map([
	[13.404953999, '13.404954'],
	[0.1 + 0.2, '0.3'],
	[100 / 3, '33.33333333'],
	[-123456789.123, '-123456789.1'],
	[1234567890.12345, '1234567890'],
	[9999999999.5, '1E+10'],
	[99999999999.5, '99999999999'],
	[-0.12345678912, '-0.123456789'],
	[0.012345678912, '0.012345679'],
	[0.00012345678912, '0.000123457'],
	[0.0000123456789, '1.23457E-05'],
	[1.23456789e-7, '1.23457E-07'],
]);
const scalar = fc.oneof(
	visible,
	fc.integer(),
	fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((x) => Number(x.toPrecision(5))),
	fc.constantFrom(...NARROWED.keys()),
	fc.boolean(),
);
const list = fc.array(scalar, { minLength: 1, maxLength: 3 });
const nested = fc.dictionary(key, fc.oneof(scalar, list, fc.constant(null)), { maxKeys: 3 });
const attributes = fc.dictionary(
	key,
	fc.oneof(scalar, scalar, list, nested, fc.constant(null), fc.constant('')),
	{ maxKeys: 4 },
);

/** A contact without its phone number. */
export const exportedContact = fc.record({
	name: fc.option(visible, { nil: undefined }),
	locale: fc.constantFrom('en', undefined, ''),
	source: fc.option(visible, { nil: undefined }),
	tags: fc.uniqueArray(visible, {
		maxLength: 3,
		selector: (tag) => tag.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, ''),
	}),
	attributes,
	opt_in_status: fc.constantFrom('none', 'pending', 'confirmed', 'opted_out'),
});
