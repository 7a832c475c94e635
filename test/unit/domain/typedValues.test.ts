import * as fc from 'fast-check';

import { readNames } from '../../../nodes/WorkspaceCrm/domain/typedValues';
import { asName } from '../../../nodes/WorkspaceCrm/domain/sameText';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { thrownBy } from '../../support/thrownBy';

const name = fc.string({ unit: 'grapheme' });
/** No mark that stands between names, and no quotes, which hold them. */
const plainName = name.filter((text) => !/[,،，、;؛；\n\r"]/.test(text));
const beginsWithBracket = (text: string) => /^\s*[[{]/.test(text);

/** The rule in its plainest form: in order, without blanks, each once. */
function distinct(names: string[], clean = asName): string[] {
	const given = names.filter((text) => asName(text) !== '').map(clean);
	return given.filter((text, index) => given.indexOf(text) === index);
}

describe('a list of names', () => {
	const written = fc.array(fc.oneof(name, fc.constantFrom('a', ' a', 'a\u200b', 'a,b', ' ')));

	it('is read from an array, each name tidy', () => {
		fc.assert(
			fc.property(written, (names) => {
				expect(readNames(names, 'Tags')).toEqual(distinct(names));
			}),
		);
	});

	it('keeps chosen names unchanged', () => {
		fc.assert(
			fc.property(written, (names) => {
				const asIs = (text: string) => text;
				expect(readNames(names, 'Tags', asIs)).toEqual(distinct(names, asIs));
			}),
		);
	});

	it.each([' ,\t', '،', '，', '、 ', '\n', '\r\n'])(
		'is read from text, split at %j',
		(separator) => {
			fc.assert(
				fc.property(fc.array(plainName, { minLength: 2 }), (names) => {
					fc.pre(!beginsWithBracket(names.join()));
					expect(readNames(names.join(separator), 'Tags')).toEqual(distinct(names));
				}),
			);
		},
	);

	it.each([';', '；', '؛'])('is read from text, split at %j where it has no comma', (separator) => {
		expect(readNames(`a ${separator} b`, 'Tags')).toEqual(['a', 'b']);
		expect(readNames(`a ${separator} "b, c"`, 'Tags')).toEqual(['a', 'b, c']);
		expect(readNames(`"a ${separator} b", c`, 'Tags')).toEqual([`a ${separator} b`, 'c']);
		isRefused([`a ${separator} b, c`, `a, b\n${separator}c`], MAY_BE_ONE, 'by commas only');
	});

	it.each([', ', ',', ';', '\n', ' ; '])('is read from a line of CSV with %j', (separator) => {
		const inQuotes = (each: string) => `"${each.replaceAll('"', '""')}"`;
		const fits = (each: string) => /^[^,،，、;؛；\n\r"[{]+$/.test(each);
		fc.assert(
			fc.property(fc.array(fc.tuple(name, fc.boolean()), { minLength: 1 }), (names) => {
				const line = names.map(([each, isPlain]) =>
					isPlain && fits(each) ? each : inQuotes(each),
				);
				const expected = distinct(names.map(([each]) => each));
				expect(readNames(line.join(separator), 'Tags')).toEqual(expected);
			}),
		);
	});

	it('is read from the text of a JSON array as from the array', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer())), (names) => {
				const text = ` ${JSON.stringify(names, null, 2)}\n`;
				expect(readNames(text, 'Tags')).toEqual(distinct(names.map(String)));
			}),
		);
	});

	it.each<[unknown, string[]]>([
		[undefined, []],
		[null, []],
		[' , ,, ', []],
		[[null, undefined, ''], []],
		[5, ['5']],
		[
			[1, '1', 0],
			['1', '0'],
		],
		['VIP, vip', ['VIP', 'vip']],
		// Contains brackets, but is no list.
		['a [vip]', ['a [vip]']],
		['a, [b]', ['a', '[b]']],
		['"vip"', ['vip']],
		['"vip","new, hot"', ['vip', 'new, hot']],
		// Not all are quoted.
		['"vip", new', ['vip', 'new']],
		['vip, "Berlin, Mitte"', ['vip', 'Berlin, Mitte']],
		['"5"" screen", vip', ['5" screen', 'vip']],
		['"[vip]", "{a}"', ['[vip]', '{a}']],
		['""', []],
		[
			['["vip"]', '[x]', '["a", "b"]'],
			['["vip"]', '[x]', '["a", "b"]'],
		],
		['["[\\"vip\\"]"]', ['["vip"]']],
	])('in %j is %j', (value, expected) => {
		expect(readNames(value, 'Tags')).toEqual(expected);
	});

	it('is refused where its quotation marks are not those of CSV', () => {
		const texts = [
			...['"', '5" screen, vip', 'vip, "Berlin', 'a ["vip"]', '"a" b', 'b "a", c', '""" x'],
			...['"a""', '"vip", new; hot', 'a, "b" "c"', 'vip "new"'],
		];
		isRefused(texts, MAY_BE_ONE, 'Put a name that holds a comma, a semicolon or a quotation mark');
		// As the advice says.
		const advised = ['vip, "Berlin, Mitte", "the ""new"" one"', '["vip", "[new]"]'];
		expect(advised.map((text) => readNames(text, 'Tags'))).toEqual([
			['vip', 'Berlin, Mitte', 'the "new" one'],
			['vip', '[new]'],
		]);
	});

	const MAY_BE_ONE = "'Tags' may be one name or a list: ";
	const isRefused = (values: unknown[], message: string, remedy: string) => {
		for (const value of values) {
			const problem = thrownBy(InputProblem, () => readNames(value, 'Tags'));
			expect([value, problem.message, problem.description]).toEqual([
				value,
				expect.stringContaining(message),
				expect.stringContaining(remedy),
			]);
		}
	};

	it('is refused where it begins with a bracket, but is no JSON array', () => {
		isRefused(
			[
				...["['vip', 'new']", '["vip", "new"', '["vip",]', '[vip, new]', '[vip]', '{"vip": true}'],
				...['[Sales] hot, vip', '{a} vip', '[a', '[] a', ' [a]\n', '{a\n}'],
			],
			MAY_BE_ONE,
			'Or use a JSON array of texts',
		);
	});

	it('is refused if it contains something else', () => {
		isRefused(
			[
				...[true, {}, { name: 'vip' }, '[{"name": "vip"}]', '[["vip"]]', '[true]'],
				...[[{ name: 'vip' }], [['vip']], ['vip', false]],
			],
			"'Tags' holds a value that is not text",
			'Use comma-separated text, or an expression that gives an array',
		);
		isRefused([() => {}, ['vip', Infinity], new Set(['vip'])], "'Tags' holds ", 'the expression');
		// A number without its last digits would be another tag.
		isRefused([12345678901234567000, ['vip', 2 ** 60]], "'Tags' holds ", 'in quotes');
	});
});
