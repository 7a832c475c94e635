import * as fc from 'fast-check';
import 'n8n-workflow';

import { type JsonObject, plainEntries } from '../../../nodes/WorkspaceCrm/domain/plainData';
import { assertFromSheet, isSheetError } from '../../../nodes/WorkspaceCrm/domain/sheetErrors';
import { checkJson, readAsText } from '../../../nodes/WorkspaceCrm/domain/typedValues';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { process } from '../../../tools/support/platform';
import {
	anyGiven,
	ENDLESS_VALUES,
	JAVASCRIPT,
	NO_TEXTS,
	writtenText,
} from '../../support/anyValue';
import { anyJson } from '../../support/anyJson';
import { thrownBy } from '../../support/thrownBy';

const numRuns = Number(process.env.WORLDS ?? 60) * 10;

test('any value becomes a text as meant, or is refused in words of people', () => {
	fc.assert(
		fc.property(anyGiven, ({ value, text }) => {
			const read = () => readAsText(value, 'Name');
			if (text !== undefined) return expect(read()).toBe(text);
			const { message, description } = thrownBy(InputProblem, read);
			expect(message).toMatch(/^'Name' (holds|is) /);
			expect(`${message} ${description}`).not.toMatch(JAVASCRIPT);
		}),
		{ numRuns },
	);
});

const noTexts = [...NO_TEXTS.map(({ value }) => value), ...ENDLESS_VALUES];
test.each(noTexts.map((value, index) => [index, value] as const))(
	'what is no text is refused wherever it stands: %i',
	(_, value) => {
		for (const each of [value, [value], { part: value }, [[{ part: [value] }]]]) {
			const { message } = thrownBy(InputProblem, () => readAsText(each, 'Name'));
			expect(message).not.toMatch(JAVASCRIPT);
		}
	},
);

test('one field that cannot be read leaves the others alone', () => {
	const item = {
		name: 'Anna',
		get city() {
			throw new Error('no city');
		},
	};
	const entries = new Map(plainEntries(item));
	expect(entries.get('name')).toBe('Anna');
	expect(() => checkJson(entries.get('city'), 'City')).toThrow("'City' holds");
	expect([undefined, null, 5, [], new Set()].map(plainEntries)).toEqual(Array(5).fill(undefined));
});

describe('the error of a spreadsheet', () => {
	test.each([
		...['#N/A', '#REF!', '#NAME?', '#VALUE!', '#DIV/0!', '#NUM!', '#NULL!', '#ERROR!', ' #N/A '],
		...['#NV', '#BEZUG!', '#WERT!', '#ZAHL!', '#NOM?', '#VALEUR!', '#¡VALOR!', '#¿NOMBRE?', '#N/D'],
		...['#VALORE!', '#RIF!', '#WAARDE!', '#N/B', '#Н/Д', 'Err:502', '#SPILL!', '#ÜBERLAUF!'],
	])('is refused, alone or in a list or object: %s', (text) => {
		for (const value of [text, ['vip', text], { city: [text] }]) {
			const { message } = thrownBy(InputProblem, () => assertFromSheet(value, 'Tags'));
			expect(message).toBe(`'Tags' is ${text.trim()}: the sheet has an error in this cell`);
		}
	});

	test.each(['#vip', '#NEW!', '#n/a', 'N/A', '#N/A found', 'Err:', '#1', '#Wert', '#1!', ''])(
		'is none: %j',
		(text) => expect(isSheetError(text)).toBe(false),
	);

	test('is no text with other words', () => {
		fc.assert(fc.property(writtenText, (text) => expect(isSheetError(text)).toBe(false)));
	});
});

describe('a value that is to be sent', () => {
	it('is any JSON', () => {
		fc.assert(
			fc.property(anyJson, (value) => {
				expect(JSON.stringify(checkJson(value, 'Body'))).toBe(JSON.stringify(value));
			}),
		);
	});

	it.each([
		[undefined, undefined],
		[null, null],
		['', ''],
		[new Date(0), '1970-01-01T00:00:00.000Z'],
		[12345678901234567890n, '12345678901234567890'],
		[{ a: 1n, b: undefined }, { a: '1' }],
		[[undefined], [null]],
	])('is read as JSON would write it: %p is %p', (value, expected) => {
		expect(checkJson(value, 'Body')).toEqual(expected);
	});

	const circular: JsonObject = {};
	circular.a = [circular, circular];

	it.each([
		[NaN, 'a calculation without a result'],
		[{ trim: 'x'.trim }, 'a function'],
		[Symbol('x'), 'a symbol'],
		[[{ a: new Map() }], 'an object that is no JSON'],
		[new Date(NaN), 'an invalid date'],
		[{ a: -Infinity }, 'an infinite number'],
		[['x\udf89'], 'half a character'],
		[Number('12345678901234567890'), '12345678901234567000'],
		[circular, 'a value that contains itself, or has too many levels'],
	])('is refused with the name of its field, and what to do: %p', (value, shown) => {
		const problem = thrownBy(InputProblem, () => checkJson(value, 'Body'));
		expect(problem.message).toBe(`'Body' holds ${shown}, which cannot be sent as it is`);
		expect(problem.description).toMatch(/^Check the expression in it\./);
	});

	it.each([100, 1_000, 100_000])('is sent or refused with %i levels', (levels) => {
		let deep: unknown = 1;
		for (let level = 0; level < levels; level += 1) deep = [deep];
		const read = () => checkJson(deep, 'Body');
		if (levels < 100_000) expect(read()).toHaveLength(1);
		else expect(read).toThrow(InputProblem);
	});
});
