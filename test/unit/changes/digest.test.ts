import * as fc from 'fast-check';

import { digest } from '../../../nodes/WorkspaceCrm/changes/comparison';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Values without empty parts, and without texts that another spelling could turn into a time. */
const word = fc.stringMatching(/^[a-zé]{1,6}( [a-zé]{1,6})?$/);
const time = fc
	.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
	.map((date) => date.toISOString());
const { value } = fc.letrec<{ value: Json }>((tie) => ({
	value: fc.oneof(
		{ weight: 3, arbitrary: fc.oneof(word, time, fc.integer(), fc.boolean()) },
		fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
		fc.dictionary(word, tie('value'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
	),
}));

/** Another spelling of the same value, chosen by a seed. */
function respelled(part: Json, seed: number): Json {
	if (typeof part === 'string') {
		if (/^\d{4}-.+Z$/.test(part)) {
			const short = part.replace(/\.000Z$/, 'Z').replace(/(\.\d\d)0Z$/, '$1Z');
			return [part, short, part.replace('Z', '+00:00'), part.replace('T', ' ')][seed % 4];
		}
		const texts = [part, part.normalize('NFD'), ` ${part}\n`, part.replace(' ', '\u00a0\u200b')];
		return texts[seed % 4];
	}
	if (Array.isArray(part)) {
		const parts = part.map((each, index) => respelled(each, seed + index));
		return seed % 2 ? [...parts, ...[null, '', [], {}].slice(seed % 4)] : parts;
	}
	if (typeof part !== 'object' || part === null) return part;
	const entries = Object.entries(part).map(
		([name, each], index) =>
			[String(respelled(name, seed)), respelled(each, seed + index)] as const,
	);
	const empties = [null, '', ' \u200b', [], {}, { deep: [null] }];
	return Object.fromEntries([...entries.reverse(), [`empty ${seed}`, empties[seed % 6]]]);
}

test('another spelling of a value has the same digest', () => {
	fc.assert(
		fc.property(value, fc.nat(1_000), (given, seed) => {
			expect(digest(respelled(given, seed))).toBe(digest(given));
		}),
		{ numRuns: 2_000 },
	);
});

test('another value has another digest', () => {
	fc.assert(
		fc.property(value, value, (a, b) => {
			fc.pre(!isAlike(a, b));
			expect(digest(a)).not.toBe(digest(b));
		}),
		{ numRuns: 2_000 },
	);
});

/** Whether two values differ only in the order of their keys. */
function isAlike(a: Json, b: Json): boolean {
	try {
		expect(a).toEqual(b);
		return true;
	} catch {
		return false;
	}
}

test.each<[unknown, unknown]>([
	[null, undefined],
	['', null],
	[' \u200b', null],
	[{}, null],
	[[], null],
	[{ plan: null }, {}],
	['2026-01-15T10:00:00Z', '2026-01-15T10:00:00.000Z'],
	['2026-01-15T10:00:00Z', '2026-01-15T11:00:00+01:00'],
	['Café', 'Cafe\u0301'],
])('%j is %j', (a, b) => expect(digest(a)).toBe(digest(b)));

test.each<[unknown, unknown]>([
	[0, null],
	[false, null],
	[5, '5'],
	['a', 'A'],
	['cafe', 'café'],
	['2026-01-15', '2026-01-15T00:00:00Z'],
	['2026-01-15T10:00:00.001Z', '2026-01-15T10:00:00Z'],
	[
		['a', 'b'],
		['b', 'a'],
	],
	[['a'], 'a'],
	[[['a', 1]], { a: 1 }],
	[
		{ a: 1, 'e\u0301': 1 },
		{ a: 1, 'e\u0301': 1, é: 1 },
	],
])('%j is not %j', (a, b) => expect(digest(a)).not.toBe(digest(b)));

/** A value within others, each the only part of the one around it. */
function nested(levels: number, wrap: (part: unknown) => unknown, inside: unknown): unknown {
	let value = inside;
	for (let level = 0; level < levels; level += 1) value = wrap(value);
	return value;
}

test.each<[string, (part: unknown) => unknown]>([
	['objects', (part) => ({ a: part })],
	['lists', (part) => [part]],
	['both', (part) => ({ 'a "b"': [part, { c: 1 }] })],
])('%s within each other cost no more than their text, and stop no poll', (_name, wrap) => {
	expect(digest(nested(40, wrap, 'x'))).toBe(digest(nested(40, wrap, ' x ')));
	expect(digest(nested(40, wrap, 'x'))).not.toBe(digest(nested(40, wrap, 'y')));
	expect(digest(nested(50_000, wrap, 'x'))).toHaveLength(6);
});
