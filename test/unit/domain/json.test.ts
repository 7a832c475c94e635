import * as fc from 'fast-check';

import {
	checkJson,
	dropBlanks,
	isJsonObject,
	isSameJson,
	mapTexts,
	mergeJson,
	readJsonObject,
	toJson,
	tooDeep,
	tryParseJson,
	type JsonObject,
} from '../../../nodes/WorkspaceCrm/domain/json';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { thrownBy } from '../../support/thrownBy';

const key = fc.oneof(
	fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'prototype', 'toString', '0', ''),
	fc.string({ maxLength: 3 }),
);
const { object } = fc.letrec<{ object: JsonObject; value: unknown }>((tie) => ({
	object: fc
		.array(fc.tuple(key, tie('value')), { maxLength: 5 })
		.map((entries) => Object.fromEntries(entries)),
	value: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		fc.constantFrom<unknown>(null, true, 0, -1.5, '', 'text', [], [1, { a: 2 }], [[]]),
		tie('object'),
	),
}));

/** Every value of an object that is no object, by the keys that lead to it; empty objects count. */
function leaves(value: JsonObject, keys: string[] = []): Array<[string, unknown]> {
	return Object.entries(value).flatMap(([name, below]): Array<[string, unknown]> => {
		const here = [...keys, name];
		const isBranch = isJsonObject(below) && Object.keys(below).length > 0;
		return isBranch ? leaves(below, here) : [[JSON.stringify(here), below]];
	});
}

function freeze<T>(value: T): T {
	if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
	return Object.freeze(value);
}

describe('merging JSON', () => {
	it('gives every value of the upper object, and those of the lower that it does not cover', () => {
		fc.assert(
			fc.property(object, object, (base, over) => {
				const merged = mergeJson(base, over);
				const check = (result: JsonObject, below: JsonObject, above: JsonObject) => {
					const names = [...new Set([...Object.keys(below), ...Object.keys(above)])];
					expect(Object.keys(result).sort()).toEqual(names.sort());
					for (const name of names) {
						const [low, high] = [below, above].map((each) =>
							Object.getOwnPropertyDescriptor(each, name),
						);
						const value: unknown = Object.getOwnPropertyDescriptor(result, name)?.value;
						if (!high) expect(value).toBe(low?.value);
						else if (isJsonObject(low?.value) && isJsonObject(high.value)) {
							check(value as JsonObject, low.value, high.value);
						} else expect(value).toBe(high.value);
					}
				};
				check(merged, base, over);
			}),
			{ numRuns: 500 },
		);
	});

	it('changes nothing when there is nothing to merge, or the same again', () => {
		fc.assert(
			fc.property(object, object, (base, over) => {
				expect(leaves(mergeJson(base, {}))).toEqual(leaves(base));
				expect(leaves(mergeJson({}, over))).toEqual(leaves(over));
				expect(leaves(mergeJson(base, base))).toEqual(leaves(base));
				const merged = mergeJson(base, over);
				expect(leaves(mergeJson(merged, over))).toEqual(leaves(merged));
			}),
		);
	});

	it('leaves both objects as they were', () => {
		fc.assert(
			fc.property(object, object, (base, over) => {
				const before = JSON.stringify([base, over]);
				mergeJson(freeze(base), freeze(over));
				expect(JSON.stringify([base, over])).toBe(before);
			}),
		);
	});

	it('pollutes no prototype: __proto__ and constructor are keys like any other', () => {
		const over = JSON.parse(
			'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}',
		) as JsonObject;
		for (const base of [{}, JSON.parse('{"__proto__":{"own":0}}') as JsonObject]) {
			const merged = mergeJson(base, over);
			expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
			expect(Object.keys(merged)).toEqual(['__proto__', 'constructor']);
			expect(merged.polluted).toBeUndefined();
			expect(({} as JsonObject).polluted).toBeUndefined();
			expect(JSON.stringify(merged)).toContain('"polluted":1');
		}
	});

	it('merges objects deeply but replaces arrays, also by null and by objects', () => {
		const base = { a: { b: 1, c: [1, 2, 3] }, d: [1], e: { f: 1 }, g: 1 };
		const over = { a: { c: [9] }, d: { x: 1 }, e: null, g: { h: 2 }, i: 3 };
		expect(mergeJson(base, over)).toEqual({
			a: { b: 1, c: [9] },
			d: { x: 1 },
			e: null,
			g: { h: 2 },
			i: 3,
		});
	});
});

describe('a JSON object that the user gives', () => {
	it.each([undefined, null, '', ' \n\t'])('is none when it is blank: %j', (value) => {
		expect(readJsonObject(value, 'Body')).toBeUndefined();
	});

	it('is read from text as it is given by an expression', () => {
		fc.assert(
			fc.property(object, (value) => {
				expect(readJsonObject(value, 'Body')).toBe(value);
				const text = JSON.stringify(value);
				expect(JSON.stringify(readJsonObject(` ${text}\n`, 'Body'))).toBe(text);
			}),
		);
	});

	it.each(['{', '{"a":1,}', "{'a':1}", 'a', '{"a":1} {"b":2}', 'undefined'])(
		'is refused with the name of the field and the reason when it is not JSON: %s',
		(text) => {
			const read = () => readJsonObject(text, 'Attributes (JSON)');
			expect(read).toThrow(InputProblem);
			expect(read).toThrow("'Attributes (JSON)' is not valid JSON");
			expect(read).toThrow(
				expect.objectContaining({
					remedy: expect.stringMatching(/^Check quotes, .* The parser says: \S/),
				}),
			);
		},
	);

	it.each([
		'[]',
		'"text"',
		'1',
		'true',
		'null',
		[],
		[{}],
		1,
		true,
		new Date(0),
		new Map(),
		() => {},
	])('is refused with the name of the field when it is JSON of another kind: %p', (value) => {
		const read = () => readJsonObject(value, 'Attributes (JSON)');
		expect(read).toThrow(InputProblem);
		expect(read).toThrow("'Attributes (JSON)' is not a JSON object");
		expect(read).toThrow(
			expect.objectContaining({ remedy: expect.stringMatching(/^It must start with \{/) }),
		);
	});
});

describe('a JSON object', () => {
	it.each([{}, { a: 1 }, Object.create(null), JSON.parse('{"__proto__":1}')])(
		'is one: %p',
		(value) => {
			expect(isJsonObject(value)).toBe(true);
		},
	);

	it.each([
		[],
		null,
		undefined,
		'text',
		1,
		true,
		new Date(),
		new Map(),
		/x/,
		() => {},
		new Error('x'),
	])('is not %p', (value) => {
		expect(isJsonObject(value)).toBe(false);
	});
});

describe('a value that is to be sent', () => {
	it('is any JSON, and what becomes text there', () => {
		fc.assert(fc.property(object, (value) => expect(checkJson(value, 'Body')).toBe(value)));
		for (const value of [undefined, null, new Date(0), 5n, { a: undefined }, '', 0, [], {}]) {
			expect(checkJson(value, 'Body')).toBe(value);
		}
	});

	it.each([
		[NaN, 'NaN'],
		[-Infinity, '-Infinity'],
		[() => {}, 'a function'],
		[{ trim: 'x'.trim }, 'a function'],
		[Symbol('x'), 'Symbol(x)'],
		[[{ a: new Map() }], '[object Map]'],
		[new Date(NaN), 'Invalid Date'],
	])('is refused with the name of its field: %p', (value, shown) => {
		const check = () => checkJson(value, 'Body');
		expect(check).toThrow(InputProblem);
		expect(check).toThrow(`'Body' holds ${shown}, which JSON cannot hold`);
	});

	it('is refused with what to do', () => {
		expect(thrownBy(InputProblem, () => checkJson('x'.trim, 'Body')).remedy).toBe(
			'Check the expression in it. A function may lack its brackets, as in {{ $json.name.trim() }}.',
		);
		expect(tooDeep('Body').remedy).toBe(
			'Check the expression in it: at most 100 levels can be sent.',
		);
	});

	it('has an end', () => {
		const circular: JsonObject = {};
		circular.a = [circular, circular];
		let deep: unknown = 1;
		for (let level = 0; level < 101; level += 1) deep = [deep];
		for (const value of [circular, deep]) {
			expect(() => checkJson(value, 'Body')).toThrow(
				"'Body' contains itself, or has too many levels",
			);
		}
		expect(checkJson((deep as unknown[])[0], 'Body')).toHaveLength(1);
	});
});

describe('a value as it travels', () => {
	it('is what comes out of its JSON', () => {
		fc.assert(
			fc.property(object, (value) => {
				expect(JSON.stringify(toJson(value))).toBe(JSON.stringify(value));
			}),
		);
	});

	it.each([
		['text', 'text'],
		[-0.5, -0.5],
		[false, false],
		[null, null],
		[undefined, undefined],
		[new Date(0), '1970-01-01T00:00:00.000Z'],
		[12345678901234567890n, '12345678901234567890'],
		[{ a: 1n, b: undefined }, { a: '1' }],
		[
			[undefined, NaN],
			[null, null],
		],
		[NaN, null],
		[Infinity, null],
		[() => {}, undefined],
		[Symbol('x'), undefined],
	])('of %p is %p', (value, expected) => {
		expect(toJson(value)).toEqual(expected);
	});
});

describe('a text that may be JSON', () => {
	it('gives its value', () => {
		fc.assert(
			fc.property(fc.json(), (text) => {
				expect(tryParseJson(text)).toEqual(JSON.parse(text));
			}),
		);
	});

	it.each(['', '{', 'text', '{"a":1,}', 'NaN', '<html>'])(
		'gives none when it is none: %s',
		(text) => {
			expect(tryParseJson(text)).toBeUndefined();
		},
	);
});

describe('two JSON values', () => {
	/** The same value with the keys of all its objects in another order. */
	const reordered = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(reordered);
		if (!isJsonObject(value)) return value;
		const entries = Object.entries(value).map(([name, below]) => [name, reordered(below)]);
		return Object.fromEntries(entries.reverse()) as unknown;
	};
	const sorted = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(sorted);
		if (!isJsonObject(value)) return value;
		const entries = Object.entries(value).map(([name, below]) => [name, sorted(below)]);
		// An object again: as a list, an empty one would look like an empty array.
		return Object.fromEntries(
			entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
		) as unknown;
	};

	it('are the same in whatever order their keys are', () => {
		fc.assert(
			fc.property(object, (value) => {
				expect(isSameJson(value, reordered(value))).toBe(true);
			}),
		);
	});

	it('are the same if and only if they are so with sorted keys', () => {
		fc.assert(
			fc.property(object, object, (a, b) => {
				const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
				expect(isSameJson(a, b)).toBe(isSame);
				expect(isSameJson(b, a)).toBe(isSame);
			}),
			{ numRuns: 500 },
		);
	});

	it.each([
		[1, '1'],
		[0, false],
		[null, undefined],
		[[], {}],
		[[], { length: 0 }],
		[[1], [1, 2]],
		[{ a: undefined }, { b: undefined }],
		[{ toString: 1 }, {}],
	])('of different kinds or contents are not: %j and %j', (a, b) => {
		expect(isSameJson(a, b)).toBe(false);
		expect(isSameJson(b, a)).toBe(false);
	});
});

describe('changing the texts of a value', () => {
	const change = (text: string) => text.replaceAll('a', '(a)');

	/** The same by a recursion. */
	function changed(value: unknown): unknown {
		if (typeof value === 'string') return change(value);
		if (Array.isArray(value)) return value.map(changed);
		if (!isJsonObject(value)) return value;
		return Object.fromEntries(
			Object.entries(value).map(([name, part]) => [change(name), changed(part)]),
		);
	}

	it('changes values and names, at every level, and nothing else', () => {
		fc.assert(
			fc.property(fc.oneof(fc.jsonValue(), object), (value) => {
				const parse = (): unknown => JSON.parse(JSON.stringify(value));
				expect(JSON.stringify(mapTexts(parse(), change))).toBe(JSON.stringify(changed(parse())));
			}),
		);
	});

	it('keeps what has nothing to change, and the order of names', () => {
		const value = { b: [1, null, { c: true }], c: 'a', d: {} };
		expect(mapTexts(value, change)).toBe(value);
		expect(JSON.stringify(value)).toBe('{"b":[1,null,{"c":true}],"c":"(a)","d":{}}');
		const renamed = mapTexts({ x: 1, a: 2, y: 3 }, change);
		expect(Object.keys(renamed as object)).toEqual(['x', '(a)', 'y']);
	});

	it('takes the places in an array for no names', () => {
		const value = { 0: [1, 'b0'] };
		expect(mapTexts(value, (text) => text.replaceAll('0', 'x'))).toEqual({ x: [1, 'bx'] });
	});

	it('keeps a property called __proto__ one of the object itself', () => {
		for (const text of [
			'{"__proto__":{"a":"a"},"b":1}',
			'{"__proto__":"a","a":{"__proto__":["a"]}}',
		]) {
			const changed = mapTexts(JSON.parse(text), change);
			expect(JSON.stringify(changed)).toBe(text.replaceAll('"a"', '"(a)"'));
			expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
		}
	});

	it.each([
		[100, true],
		[101, false],
		[100_000, false],
	])('of %i levels is done: %j', (levels, isDone) => {
		const nested = (start: string, leaf: string, end: string): unknown =>
			JSON.parse(`${start.repeat(levels)}${leaf}${end.repeat(levels)}`);
		for (const leaf of ['"a"', '5', 'null']) {
			for (const value of [nested('[', leaf, ']'), nested('{"b":', leaf, '}')]) {
				expect(mapTexts(value, change) === undefined).toBe(!isDone);
			}
		}
	});

	it('takes a value that is no container as it is', () => {
		expect([null, 1, true, 'a'].map((value) => mapTexts(value, change))).toEqual([
			null,
			1,
			true,
			'(a)',
		]);
	});
});

describe('dropBlanks', () => {
	it('leaves out what is blank at any depth, and keeps all else', () => {
		const record = {
			name: ' ',
			source: null,
			tags: [],
			attributes: { plan: '', size: { unit: null } },
			count: 0,
			optIn: false,
			list: [null, {}],
		};
		expect(dropBlanks(record)).toEqual({ count: 0, optIn: false, list: [null, {}] });
	});

	it('gives what has nothing more to drop, for any object', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
				const once = dropBlanks(object);
				expect(dropBlanks(once)).toEqual(once);
			}),
		);
	});
});
