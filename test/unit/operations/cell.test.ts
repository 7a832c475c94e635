import * as fc from 'fast-check';
import { Workflow, type INodeExecutionData } from 'n8n-workflow';

import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { Cell, type Source } from '../../../nodes/WorkspaceCrm/operations/cell';
import { crmNode } from '../../../tools/engine/engine';
import { nodeTypes } from '../../../tools/engine/nodes';
import { anyCharacter } from '../../support/anyCharacter';
import { thrownBy } from '../../support/thrownBy';

const label = 'Name';
const { expression } = new Workflow({
	nodes: [crmNode({})],
	connections: {},
	active: false,
	nodeTypes: nodeTypes(),
});

const givenValue = (value: unknown, source: Source) => new Cell(value, source).given();
/** What is given by a value of the item itself. */
const givenCell = (value: unknown) => new Cell(value, { label, isOwn: true }).given();

/** Evaluates as n8n does, for an item with these fields. */
const evaluateFor = (json: object) => (code: string) => {
	const items = [{ json }] as INodeExecutionData[];
	return expression.resolveSimpleParameterValue(
		`=${code}`,
		{},
		null,
		0,
		0,
		'CRM',
		items,
		'cli',
		{},
	);
};

/** What is given by a saved value for an item. */
function givenBy(saved: string, json: object = {}, needsAllParts = false): unknown {
	const evaluate = evaluateFor(json);
	const value = saved.startsWith('=') ? evaluate(saved.slice(1)) : saved;
	return givenValue(value, { saved, label, needsAllParts, evaluate });
}

/** What is given by an expression that evaluates to a value. */
const given = (value: unknown, saved = '={{ $json.a + $json.b }}') =>
	givenValue(value, { saved, label, evaluate: () => value });

const LEFTOVERS = ['undefined', 'null', 'NaN', '[object Object]'];
const leftover = fc.constantFrom(...LEFTOVERS);
/** What stands between the parts of a text. */
const separator = fc.constantFrom(' ', ', ', '-', ': ', ' (', '/', '\n', '"');

/** What people write: also words of JavaScript and braces, but never such a word alone. */
const written = fc
	.array(
		fc.oneof(
			fc.string({ unit: anyCharacter }),
			fc.constantFrom(
				...LEFTOVERS,
				'Infinity',
				'Invalid DateTime',
				'{{ $json.x }}',
				'() => {}',
				'9007199254740993',
			),
		),
	)
	.map((words) => ['Ahnung', ...words].join(' '));

describe('a text that somebody wrote is given as it is', () => {
	const saved = fc.constantFrom(
		...['={{ $json.t }}', '={{ $json["t"] }} ', '={{ /* "a" + b */ $json.t }}'],
		...["={{ $json.u ?? $json.t.replace(/\\++/g, '+') }}"],
	);

	test.each([true, false])('alone, if it is for people: %p', (needsAllParts) => {
		fc.assert(
			fc.property(written, saved, (t, expression) => {
				const text = expression.includes('replace') ? t.replace(/\++/g, '+') : t;
				const blank = expression.endsWith(' ') ? ' ' : '';
				expect(givenBy(expression, { t }, needsAllParts)).toBe(text + blank);
			}),
		);
	});

	test.each([true, false])(
		'with other texts around it, if it is for people: %p',
		(needsAllParts) => {
			const literal = written.map((text) => text.replace(/[{}\\]/g, ''));
			fc.assert(
				fc.property(written, written, fc.tuple(literal, literal), (t, u, [before, between]) => {
					const saved = `=${before}{{ $json.t }}${between}{{ $json.u }}`;
					expect(givenBy(saved, { t, u }, needsAllParts)).toBe(before + t + between + u);
				}),
			);
		},
	);

	test('in a cell', () => {
		fc.assert(fc.property(written, (text) => expect(givenCell(text)).toBe(text)));
	});
});

describe('a part', () => {
	/** Code, and the text that is meant by it: null for nothing, undefined for what is no text. */
	const parts = fc.oneof(
		fc.maxSafeInteger().map((n) => [`(${n})`, String(n)] as const),
		fc.bigInt().map((n) => [`BigInt("${n}")`, n === 0n ? null : String(n)] as const),
		fc.boolean().map((is) => [String(is), is ? 'true' : 'false'] as const),
		fc.constantFrom<readonly [string, string | null | undefined]>(
			...([
				...['undefined', 'null', '"a".slice(1)', '[]', 'NaN', '$json.x', '$json.x.y.z', '" "'].map(
					(code) => [code, null],
				),
				...['({})', '({ a: 1 })', '[{}]', '[1, { a: 2 }]', 'new Map()', 'new Set([1])'].map(
					(code) => [code, undefined],
				),
				...['1/0', '-1/0', '2**53', '-(2**60)', '1e-7', '1e300'].map((code) => [code, undefined]),
				...['new Date(NaN)', 'DateTime.fromISO("x")', 'DateTime.fromISO("x").toISODate'].map(
					(code) => [code, undefined],
				),
				...[
					'() => 1',
					'(function () {})',
					'"a".trim',
					'Math.max',
					'DateTime',
					'(async () => 1)()',
				].map((code) => [code, undefined]),
				...['DateTime.fromISO("x").toFormat("d")', '(1 / 0).toFixed()', '(0 / 0).toFixed()'].map(
					(code) => [code, undefined],
				),
				...[
					'"a" + undefined',
					'`a ${null}`',
					'"a" + {}',
					'"a" + [].x',
					'"a".concat(undefined)',
				].map((code) => [code, undefined]),
				['"a" + 1', 'a1'],
				['["a", null, 1]', 'a,,1'],
				['[1, [2]]', '1,2'],
			] as Array<[string, string | null | undefined]>),
		),
	);

	test('of a big zero is nothing, as n8n writes it', () => {
		const give = () => givenBy('=Hi {{ 1 }}, or {{ BigInt(0) }}!', {}, true);
		expect(give).toThrow(InputProblem);
	});

	test('is as meant, or refused; nothing is only refused where people read it', () => {
		fc.assert(
			fc.property(parts, parts, fc.boolean(), ([a, first], [b, second], needsAllParts) => {
				const saved = `=Hi {{ ${a} }}, or {{ ${b} }}!`;
				const give = () => givenBy(saved, {}, needsAllParts);
				const isRefused = [first, second].some(
					(text) => text === undefined || (text === null && needsAllParts),
				);
				if (isRefused) {
					expect(thrownBy(InputProblem, give).message).toMatch(/^'Name' would be "Hi /);
				} else {
					expect(String(give()).replaceAll('  ', ' ')).toBe(
						`Hi ${first ?? ''}, or ${second ?? ''}!`.replaceAll('  ', ' '),
					);
				}
			}),
			{ numRuns: 500 },
		);
	});

	test.each([
		...["$json.x ?? ''", '$json.x || ""', "$json.x ? $json.x : ''", "!$json.x ? '' : 1", "''"],
		...["$if($json.x, 1, '')", "$ifEmpty($json.x, '')", "({ a: '' })[$json.x ?? 'a']"],
		...["(() => { return '' })()", "(x => '')()", '$json.x && "" || ``'],
	])('may be blank if it says so: %s', (code) => {
		expect(givenBy(`=Dear {{ ${code} }}, hello`, {}, true)).toBe('Dear , hello');
	});

	test.each([
		...["$json.x.replace(' ', '')", "[].join('')", "$json.x /* ?? '' */", "$json.x // ?? ''\n"],
		...['$json["?? \'\'"]', "$json.x?.split('')"],
	])('may not be blank by other blank texts: %s', (code) => {
		expect(() => givenBy(`=Dear {{ ${code} }}, hello`, {}, true)).toThrow(/has no value$/);
	});

	test.each([' ', '\u00a0', '\u3164', '\u200b', '\t\n'])('is blank if it is %j', (x) => {
		expect(() => givenBy('=Dear {{ $json.x }}, hello', { x }, true)).toThrow(/has no value$/);
	});

	test('is evaluated once more only for people, or if a look at the text raises a doubt', () => {
		const evaluate = jest.fn(() => 'Anna');
		const saved = '=Hi {{ $json.first }} and {{ $json.last }}!';
		givenValue('Hi Anna and Anna!', { label, saved, evaluate });
		for (const needsAllParts of [true, false])
			givenValue('null', { label, saved: '={{ $json.text }}', needsAllParts, evaluate });
		expect(evaluate).not.toHaveBeenCalled();
		givenValue('Hi Anna and Anna!', { label, saved, needsAllParts: true, evaluate });
		expect(evaluate.mock.calls).toEqual([['{{ $json.first }}'], ['{{ $json.last }}']]);
	});

	test.each([
		['=Hi {{ x = $json.name }}, {{ x }}!', 'Hi Anna, Anna!'],
		['=Hi {{ $json.list.shift() }}, {{ $json.list.shift() }}!', 'Hi Anna, Bo!'],
		['=Hi {{ $json.one.pop() }}, {{ $json.one.pop() }}!', 'Hi Cy, !'],
	])('that others change is refused where people read it: %s', (saved, text) => {
		const item = { name: 'Anna', list: ['Anna', 'Bo'], one: ['Cy'] };
		expect(evaluateFor(item)(saved.slice(1))).toBe(text);
		expect(() => givenBy(saved, item, true)).toThrow(/has no value$/);
	});
});

test('of an expression, leftovers with nothing but separators are nothing', () => {
	fc.assert(
		fc.property(
			leftover,
			fc.array(fc.tuple(separator, leftover)),
			separator,
			(first, more, end) => {
				const value = first + more.flat().join('') + end;
				expect([given(value), givenCell(value)]).toEqual([undefined, undefined]);
			},
		),
	);
});

test('a leftover that code has joined to other words is refused, also if the code quotes it', () => {
	const word = fc.constantFrom('Hi', 'Berlin', '7', 'né', '안녕');
	fc.assert(
		fc.property(word, separator, leftover, (other, between, left) => {
			for (const value of [other + between + left, left + between + other]) {
				const { message } = thrownBy(InputProblem, () => given(value));
				expect(message).toMatch(
					/^'Name' would be .* because \{\{ \$json.a \+ \$json.b \}\} writes '/s,
				);
				expect(message).toContain(left);
				const quoting = `={{ $json.a ? '${left} and ' : "Hi " + $json.b }}`;
				expect(() => given(value, quoting)).toThrow(/writes/);
				// Outside of the braces, it is a word.
				const saved = `=${other} ${left} {{ $json.a }}`;
				expect(given(`${other} ${left} ${other}`, saved)).toBe(`${other} ${left} ${other}`);
			}
		}),
	);
});

test.each(['nullify', 'Annull', 'nulla', 'NaNo', 'Fernando'])('%s holds no leftover', (value) => {
	expect(given(value)).toBe(value);
});

test.each([
	['A100undefined', '={{ "A" + $json.n + $json.x }}'],
	['NaN€', '={{ $json.n + "€" }}'],
	['Hi undefined', '={{ $json.vip === undefined ? "Hi " + $json.first : "Dear" }}'],
	['Hi null', '={{ /* never null */ "Hi " + $json.first }}'],
	['Hi null', '={{ /"null"/.test($json.x) ? `Hi ${ $json.first }` : 1 }}'],
	['Hi null', '={{ `${ $json.a ? `a` : "b" }` + $json.first }}'],
	['a, [object Object]', '={{ $json.list.join(", ") }}'],
])('%s is refused: %s', (value, saved) => {
	expect(() => given(value, saved)).toThrow(/would be/);
});

test('objects are given, and their texts looked at', () => {
	for (const value of [{ a: 1 }, false, 0]) expect(given(value)).toBe(value);
	for (const value of [{ a: ['Hi undefined'] }, { 'k undefined': 1 }, [{ b: 'Hi null' }]]) {
		expect(() => given(value)).toThrow(/would be/);
		expect(given(value, '={{ $json.a }}')).toBe(value);
	}
	expect(() => given({ day: 'Invalid DateTime' }, '={{ $json.a }}')).toThrow(/Invalid DateTime/);
});

test('of an object that is saved in parts, each part is looked at', () => {
	const value = { note: 'Hi undefined', plan: 'pro' };
	const saved = { note: '={{ "Hi " + $json.nme }}', plan: 'pro' };
	const give = () => givenValue(value, { saved, label, evaluate: () => 'Hi undefined' });
	expect(give).toThrow(/writes 'undefined'/);
});

describe('a fixed text', () => {
	test('with something in double braces is refused', () => {
		const inside = fc
			.string({ unit: anyCharacter })
			.filter((text) => text.trim() !== '' && !/[{}]/.test(text));
		fc.assert(
			fc.property(written, inside, written, (before, code, behind) => {
				const saved = `x${before}{{${code}}}${behind}`;
				expect(thrownBy(InputProblem, () => givenBy(saved)).description).toContain(
					"to 'Expression'",
				);
			}),
		);
	});

	test.each([
		'{{ }}',
		'{{}}',
		'}} x {{',
		'{{ x',
		'undefined null',
		'{{',
		// What people and other services write with a dollar.
		...['$', '$5', '$1,000.50', '$ 5 (USD)', 'US$9.99', 'A$AP', '$vip', '$nowhere.com', '$JSON.x'],
		...['Pay $now and not later', '$jsonData', '$first_name', '${name}', '$(5)'],
	])('%s is given', (text) => {
		expect(givenBy(text)).toBe(text);
	});

	test.each([
		...['$json.name', ' $json.name ', '$json["first name"]', "$('Customer').item.json.name"],
		...['$now', '$today.toISO()', '$now.plus({ days: 1 }).toFormat("yyyy")', '$input.item.json.a'],
		...[
			'$node["Customer"].json.name',
			'$itemIndex',
			'$vars.sender',
			'$execution.id',
			'$if(1, 2, 3)',
		],
		...['$json.first + " " + $json.last', 'Hi $json.first', '{ $json.x }', 'Due $today', '$json'],
		...['$fromAI("name")', '$workflow.name', '$binary.data.fileName', '$( "A" ).item.json.b'],
	])('%s is no text, whether the field stands on Fixed or on Expression', (text) => {
		for (const saved of [text, `=${text}`]) {
			const { message, description } = thrownBy(InputProblem, () => given(text, saved));
			expect(message).toContain('as it is written');
			expect(description).toContain('such as {{ $json.name }}');
		}
		// Of an item, it is a text.
		expect(given(text, '={{ $json.code }}')).toBe(text);
	});
});

test('takes time in proportion to a text, whatever it holds', () => {
	const pieces = [
		...['{{', '}}', '{{ }}', '\\', '\\{{', '"', '`${', '/', "'\\", '/*', '[', '){', '9', ' ', ' ,'],
		...['null ', 'Invalid ', '[object ', '\u200b'],
	];
	const startMs = performance.now();
	for (const text of pieces.map((piece) => piece.repeat(100_000))) {
		const code = text.replaceAll('}}', '');
		for (const saved of [
			text,
			`=${code}`,
			'=a {{ 1 }}, {{ 2 }} ,',
			'={{ 1 }}',
			`={{ "" + ${code}`,
		]) {
			const origin = { saved, label, needsAllParts: true, evaluate: () => text };
			try {
				givenValue(`a ${text}, ${text} ,`, origin);
			} catch (error) {
				expect(error).toBeInstanceOf(InputProblem);
			}
		}
	}
	// A second here; the square of these lengths takes minutes.
	expect(performance.now() - startMs).toBeLessThan(20_000);
});
