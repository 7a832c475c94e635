import * as fc from 'fast-check';

import { readNames } from '../../../nodes/WorkspaceCrm/domain/names';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { thrownBy } from '../../support/thrownBy';

/** Names that look like JSON have rules of their own. */
const name = fc.string({ unit: 'grapheme' }).filter((text) => !/^\s*[[{]/.test(text));
const nameWithoutComma = name.filter((text) => !text.includes(','));

/** What the rule says, in the plainest way: in order, trimmed, no blanks, each once. */
function tidy(names: string[]): string[] {
	const tidied: string[] = [];
	for (const text of names.map((each) => each.trim())) {
		if (text.length > 0 && !tidied.includes(text)) tidied.push(text);
	}
	return tidied;
}

describe('a list of names', () => {
	it('comes from an array as it is, but tidy: commas stay in a name', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(name, fc.constantFrom('a', ' a', 'a,b', ' '))), (names) => {
				expect(readNames(names, 'Tags')).toEqual(tidy(names));
			}),
		);
	});

	it('comes from text, split at commas', () => {
		fc.assert(
			fc.property(fc.array(nameWithoutComma), (names) => {
				expect(readNames(names.join(' ,\t'), 'Tags')).toEqual(tidy(names));
			}),
		);
	});

	it('is the same when it is read again', () => {
		fc.assert(
			fc.property(fc.array(name), (names) => {
				const once = readNames(names, 'Tags');
				expect(readNames(once, 'Tags')).toEqual(once);
			}),
		);
	});

	it('comes from the text of a JSON array as from the array', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer())), (names) => {
				const expected = tidy(names.map(String));
				expect(readNames(JSON.stringify(names), 'Tags')).toEqual(expected);
				expect(readNames(` ${JSON.stringify(names, null, 2)}\n`, 'Tags')).toEqual(expected);
			}),
		);
	});

	it.each([
		['["vip","new"]', ['vip', 'new']],
		['["a, b", 2025]', ['a, b', '2025']],
		['[]', []],
		['[Sales] hot, vip', ['[Sales] hot', 'vip']],
		[
			['["vip"', '[x]'],
			['["vip"', '[x]'],
		],
		['["[\\"vip\\"]"]', ['["vip"]']],
	])('of %j is %j', (value, expected) => {
		expect(readNames(value, 'Tags')).toEqual(expected);
	});

	it.each<[unknown]>([
		["['vip', 'new']"],
		['["vip", "new"'],
		['["vip",]'],
		['[vip, new]'],
		['[vip]'],
		['[vip new]'],
		['{"vip": true}'],
		[['["vip","new"]']],
		[[['["a"]'], '["vip"]']],
	])('is refused where it may be one name or a list: %j', (value) => {
		const read = () => readNames(value, 'Tags');
		expect(read).toThrow(InputProblem);
		expect(read).toThrow("'Tags' may be one name or a list");
	});

	it.each(['[{"name": "vip"}]', '[["vip"]]', '[true]'])(
		'is refused where it holds no text: %j',
		(value) => {
			expect(() => readNames(value, 'Tags')).toThrow("'Tags' holds a value that is not text");
		},
	);

	it.each([
		[undefined, []],
		[null, []],
		['', []],
		[' , ,, ', []],
		[[], []],
		[[null, undefined, ''], []],
		[5, ['5']],
		[
			[1, '1', 0],
			['1', '0'],
		],
		['VIP, vip', ['VIP', 'vip']],
	])('of %j is %j', (value, expected) => {
		expect(readNames(value, 'Tags')).toEqual(expected);
	});

	it.each([true, {}, { name: 'vip' }, [{ name: 'vip' }], [['vip']], ['vip', false], () => {}])(
		'names its field when it holds something else: %p',
		(value) => {
			const read = () => readNames(value, 'Tags');
			expect(read).toThrow(InputProblem);
			expect(read).toThrow("'Tags' holds a value that is not text");
		},
	);

	it('says what to do where it may be one name or a list', () => {
		const { message, remedy } = thrownBy(InputProblem, () => readNames('[vip, new]', 'Tags'));
		expect(message).toBe("'Tags' may be one name or a list: [vip, new]");
		expect(remedy).toBe(
			'Separate names by commas, or use a JSON array of texts, such as ["vip", "new"]. A name that begins with a bracket needs the array, such as ["[vip]"].',
		);
		const nested = thrownBy(InputProblem, () => readNames(['a', '["vip"]'], 'Tags'));
		expect(nested.message).toBe('\'Tags\' may be one name or a list: ["vip"]');
	});

	it('says what to do where it holds no text', () => {
		expect(thrownBy(InputProblem, () => readNames({}, 'Tags')).remedy).toBe(
			'Use comma-separated text, or an expression that gives an array of texts.',
		);
	});

	it.each([
		['{vip', ['{vip']],
		['{a} vip', ['{a} vip']],
		['vip}', ['vip}']],
		['a {vip}', ['a {vip}']],
		['a ["vip"]', ['a ["vip"]']],
		['a, [b]', ['a', '[b]']],
		['[a] b, c', ['[a] b', 'c']],
		['[a', ['[a']],
		['[] a', ['[] a']],
		['5', ['5']],
		['null', ['null']],
		['"vip"', ['"vip"']],
	])('takes names with brackets that are no list: %s', (text, expected) => {
		expect(readNames(text, 'Tags')).toEqual(expected);
	});

	it.each(['[a, b', '[ab, c', '["a', "[ 'a", '[a\nb]', '{a\n}', ' [a]\n', '[a]b]'])(
		'is refused where it begins like one, or is one in brackets: %j',
		(text) => {
			expect(() => readNames(text, 'Tags')).toThrow('may be one name or a list');
		},
	);
});
