import * as fc from 'fast-check';
import 'n8n-workflow';

import { isSameStored } from '../../../nodes/WorkspaceCrm/domain/sameText';
import {
	isJsonObject,
	type JsonObject,
	mergeJson,
} from '../../../nodes/WorkspaceCrm/domain/plainData';
import { readJsonObject } from '../../../nodes/WorkspaceCrm/domain/typedValues';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { anyJson } from '../../support/anyJson';
import { thrownBy } from '../../support/thrownBy';

/** Reads a property of the object itself, not of its prototype. */
const own = (value: JsonObject, name: string) =>
	Object.getOwnPropertyDescriptor(value, name)?.value as unknown;

function freeze<T>(value: T): T {
	if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
	return Object.freeze(value);
}

describe('merging JSON', () => {
	it('keeps every value of the upper object, and those of the lower one that it does not cover', () => {
		const check = (result: JsonObject, below: JsonObject, above: JsonObject) => {
			const names = new Set([...Object.keys(below), ...Object.keys(above)]);
			expect(Object.keys(result).sort()).toEqual([...names].sort());
			for (const name of names) {
				const [value, low, high] = [result, below, above].map((each) => own(each, name));
				if (!Object.hasOwn(above, name)) expect(value).toBe(low);
				else if (isJsonObject(low) && isJsonObject(high)) check(value as JsonObject, low, high);
				else expect(value).toBe(high);
			}
		};
		fc.assert(
			fc.property(anyJson, anyJson, (base, over) => {
				// Neither is changed.
				const merged = mergeJson(freeze(base), freeze(over));
				check(merged, base, over);
				expect(mergeJson(merged, over)).toEqual(merged);
			}),
			{ numRuns: 500 },
		);
	});

	it('pollutes no prototype, replaces arrays, and treats null as a value', () => {
		const over =
			'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"a":[9],"b":null}';
		const merged = mergeJson({ a: [1, 2], b: { c: 1 } }, JSON.parse(over) as JsonObject);
		expect([merged.polluted, ({} as JsonObject).polluted]).toEqual([undefined, undefined]);
		expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
		expect(JSON.stringify(merged)).toBe(
			'{"a":[9],"b":null,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}',
		);
	});
});

describe('a JSON object from the user', () => {
	it('is read from text as from an expression, and undefined means none', () => {
		fc.assert(
			fc.property(anyJson, (value) => {
				expect(readJsonObject(value, 'Body')).toBe(value);
				const text = JSON.stringify(value);
				expect(JSON.stringify(readJsonObject(` ${text}\n`, 'Body'))).toBe(text);
			}),
		);
		expect(readJsonObject(undefined, 'Body')).toBeUndefined();
	});

	it('is refused with the name of the field and what to do', () => {
		const texts = ['{', '{"a":1,}', "{'a':1}", 'a', '{"a":1} {"b":2}', '[]', '"text"', '1', 'null'];
		const others = [[], [{}], 1, true, new Date(0), new Map(), () => {}];
		for (const value of [...texts, ...others]) {
			const problem = thrownBy(InputProblem, () => readJsonObject(value, 'Body'));
			expect(problem.message).toBe("'Body' is not a JSON object");
			expect(problem.description).toMatch(/^Write it as in \{"plan": "pro", "visits": 3\}: /);
			expect(isJsonObject(value)).toBe(false);
		}
	});
});

describe('two JSON values', () => {
	const sorted = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(sorted);
		if (!isJsonObject(value)) return value;
		const entries = Object.entries(value).map(([name, below]) => [name, sorted(below)] as const);
		// An object again, because a list of no entries would look like an empty array.
		return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) as unknown;
	};

	it('are equal exactly if they are equal with sorted keys', () => {
		fc.assert(
			fc.property(anyJson, anyJson, (a, b) => {
				const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
				expect([isSameStored(a, b), isSameStored(b, a)]).toEqual([isSame, isSame]);
				expect(isSameStored(a, sorted(a))).toBe(true);
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
	])('of different kinds or contents are not equal: %j and %j', (a, b) => {
		expect([isSameStored(a, b), isSameStored(b, a)]).toEqual([false, false]);
	});
});
