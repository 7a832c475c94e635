import * as fc from 'fast-check';

import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { givenValue } from '../../../nodes/WorkspaceCrm/operations/given';
import { anyCharacter } from '../../support/anyCharacter';
import { thrownBy } from '../../support/thrownBy';

const label = 'Name';
const expression = '={{ $json.a + $json.b }}';
const leftover = fc.constantFrom('undefined', 'null', 'NaN', '[object Object]');
/** What stands between the parts of a text. */
const separator = fc.constantFrom(' ', ', ', '-', ': ', ' (', '/', '\n', '"');
const text = fc
	.string({ unit: anyCharacter })
	.filter((each) => !/undefined|null|NaN|object/.test(each));

test('a text without a leftover is given as it is, whoever wrote it', () => {
	const visible = text.filter((each) => /[\p{L}\p{N}]/u.test(each));
	fc.assert(
		fc.property(visible, fc.constantFrom(expression, 'x', undefined), (value, saved) => {
			expect(givenValue(value, { saved, item: {}, label })).toBe(value);
		}),
	);
});

test('of an expression, leftovers with nothing but separators are nothing', () => {
	fc.assert(
		fc.property(
			leftover,
			fc.array(fc.tuple(separator, leftover)),
			separator,
			(first, more, end) => {
				const value = first + more.flat().join('') + end;
				expect(givenValue(value, { saved: expression, item: {}, label })).toBeUndefined();
			},
		),
	);
});

test('a leftover beside other words is refused, unless the item or the saved text has it', () => {
	const word = fc.constantFrom('Hi', 'Berlin', '7', 'né', '안녕');
	fc.assert(
		fc.property(word, separator, leftover, (other, between, left) => {
			for (const value of [other + between + left, left + between + other]) {
				const origin = { saved: expression, item: {}, label };
				const problem = thrownBy(InputProblem, () => givenValue(value, origin));
				expect(problem.message).toMatch(/^'Name' would be /);
				expect(problem.description).toContain(left);
				const known = [
					{ ...origin, item: { deep: [{ note: `a ${value} b` }] } },
					{ ...origin, saved: value },
				];
				expect(known.map((each) => givenValue(value, each))).toEqual([value, value]);
				for (const unlike of [
					{ item: { note: left } },
					{ saved: `={{ $json.x === ${left} ? 1 : 2 }}` },
				]) {
					expect(() => givenValue(value, { ...origin, ...unlike })).toThrow(/would be/);
				}
			}
		}),
	);
});

test.each(['nullify', 'Annull', 'nulla', 'NaNo', 'Fernando'])('%s holds no leftover', (value) => {
	expect(givenValue(value, { saved: expression, item: {}, label })).toBe(value);
});

test('dates and other objects are given, and their texts looked at, even in circles', () => {
	const origin = { saved: expression, item: {}, label };
	const circle: { self?: unknown; name: string } = { name: 'x' };
	circle.self = circle;
	for (const value of [new Date(0), { a: null }, circle, false, 0]) {
		expect(givenValue(value, origin)).toBe(value);
	}
	const problem = thrownBy(InputProblem, () => givenValue({ a: ['Hi undefined'] }, origin));
	expect(problem.message).toContain('Hi undefined');
});

test.each([
	['order_undefined', { saved: '={{ "order_" + $json.id }}' }],
	['A100undefined', {}],
	['NaN€', {}],
	['k null', { item: { note: 'null' } }],
	['Hi undefined', { saved: '={{ $json.vip === undefined ? "Hi " + $json.first : "Dear" }}' }],
	['Hi null', { saved: '={{ /* never null */ "Hi " + $json.first }}', item: { note: 'null' } }],
])('%s is refused: %j', (value, more) => {
	expect(() => givenValue(value, { saved: expression, item: {}, label, ...more })).toThrow(
		/would be/,
	);
});

test.each([
	['a null risk', { item: { text: 'null risk' } }],
	['note: undefined behaviour', { item: { text: 'undefined behaviour' } }],
	['null and void', { saved: '={{ "null and " + $json.x }}' }],
	['null and void', { saved: '=null and {{ $json.x }}' }],
])('%s is given: %j', (value, more) => {
	expect(givenValue(value, { saved: expression, item: {}, label, ...more })).toBe(value);
});

test('names inside an object are looked at, too', () => {
	const origin = { saved: expression, item: {}, label };
	expect(() => givenValue({ 'k undefined': 1 }, origin)).toThrow(/would be/);
});
