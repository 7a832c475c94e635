import fc from 'fast-check';
import { anyCharacter } from '../support/anyCharacter';

/** Texts that could make a careless client call another endpoint, reveal a secret or crash. */
const tricks = [
	'',
	' ',
	'.',
	'..',
	'../..',
	'../../v1/workspace',
	'/v1/workspace',
	'//evil.example.com/',
	'http://evil.example.com/',
	'%2e%2e',
	'%2e%2e%2f',
	'%2F',
	'%00',
	'%',
	'?limit=1',
	'#',
	'a?b=c&d#e',
	'a\\..\\b',
	';x=1',
	'@evil.example.com',
	'\u0000',
	'a\r\nX-Injected: 1',
	'\u202e\u200b\ufeff',
	'\ud800',
	'x\udc00y',
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'hasOwnProperty',
	'{"__proto__":{"polluted":true}}',
	'[]',
	'null',
	'undefined',
	'NaN',
	'-0',
	'1e999',
	'9007199254740993',
	'={{ "pw" + "ned" }}',
	'{{ "pw" + "ned" }}',
	'$json',
	"' OR 1=1 --",
	'<script>alert(1)</script>',
	'${7*7}',
	'東京 🎉',
	'e\u0301'.repeat(40),
];

/** What a text evaluates to if n8n takes it for an expression. */
export const EVALUATED = 'pwned';

const megabyte = 'x'.repeat(1_000_000);

const texts = fc.oneof(
	{ weight: 10, arbitrary: fc.constantFrom(...tricks) },
	{ weight: 4, arbitrary: fc.string({ unit: anyCharacter }) },
	{ weight: 4, arbitrary: fc.string({ unit: 'grapheme' }) },
	{ weight: 2, arbitrary: fc.constantFrom(...tricks).map((trick) => `vip${trick}vip`) },
	{ weight: 1, arbitrary: fc.constantFrom('y'.repeat(20_000), 'é'.repeat(5_000)) },
);

const scalars = fc.oneof(
	texts,
	fc.double(),
	fc.integer(),
	fc.boolean(),
	fc.constantFrom(null, undefined, 0, -1, 1.5, 2 ** 53, Number.MAX_VALUE, Infinity, NaN),
);

const keys = fc.oneof(fc.constantFrom(...tricks, 'name', 'value', 'values', 'error', 'id'), texts);

/** Objects whose keys are all their own properties, even `__proto__`, as after JSON.parse. */
const objects = (values: fc.Arbitrary<unknown>) =>
	fc.array(fc.tuple(keys, values), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));

const nested = fc.oneof(objects(scalars), fc.array(scalars, { maxLength: 4 }));

const deep = fc
	.integer({ min: 1, max: 200 })
	.map((depth) => JSON.parse('[{"a":'.repeat(depth) + '1' + '}]'.repeat(depth)) as unknown);

/** Anything that a field of an item can hold, and values that it should not hold. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 20, arbitrary: texts },
	{ weight: 6, arbitrary: scalars },
	{ weight: 4, arbitrary: nested },
	{ weight: 2, arbitrary: objects(nested) },
	{ weight: 2, arbitrary: nested.map((value) => JSON.stringify(value)) },
	{ weight: 1, arbitrary: deep },
);

/** Rare, because each costs as much as a thousand others. */
export const hugeValues: fc.Arbitrary<unknown> = fc.constantFrom(
	megabyte,
	JSON.stringify({ text: megabyte }),
	{ [megabyte.slice(0, 100_000)]: megabyte },
);

export const hostileTexts = texts;
export const hostileKeys = keys;
export const hostileObjects = objects(scalars);
