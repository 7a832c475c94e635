import * as fc from 'fast-check';

import { readNames } from '../../../nodes/WorkspaceCrm/domain/typedValues';
import { tidy } from '../../../nodes/WorkspaceCrm/domain/text';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { thrownBy } from '../../support/thrownBy';

const name = fc.string({ unit: 'grapheme' });
/** Neither a comma or a line break, of any script, nor quotes, which hold commas. */
const plainName = name.filter((text) => !/[,،，、\n\r"]/.test(text));
const beginsWithBracket = (text: string) => /^\s*[[{]/.test(text);

/** The rule in its plainest form: in order, without blanks, each once. */
function distinct(names: string[], clean = tidy): string[] {
	const given = names.filter((text) => tidy(text) !== '').map(clean);
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
		expect(readNames(`a ${separator} b, c`, 'Tags')).toEqual([`a ${separator} b`, 'c']);
	});

	it('is read from quoted names, as mailing services export them', () => {
		fc.assert(
			fc.property(fc.array(fc.string(), { minLength: 1 }), (names) => {
				const text = names.map((each) => JSON.stringify(each)).join(', ');
				expect(readNames(text, 'Tags')).toEqual(distinct(names));
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
		['a ["vip"]', ['a ["vip"]']],
		['a, [b]', ['a', '[b]']],
		['"vip"', ['vip']],
		['"vip","new, hot"', ['vip', 'new, hot']],
		// Not all are quoted.
		['"vip", new', ['"vip"', 'new']],
		[
			['["vip"]', '[x]', '["a", "b"]'],
			['["vip"]', '[x]', '["a", "b"]'],
		],
		['["[\\"vip\\"]"]', ['["vip"]']],
	])('in %j is %j', (value, expected) => {
		expect(readNames(value, 'Tags')).toEqual(expected);
	});

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
			"'Tags' may be one name or a list: ",
			'Separate names by commas, or use a JSON array of texts',
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
