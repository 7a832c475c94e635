import * as fc from 'fast-check';

import type { JsonObject } from '../../../../nodes/WorkspaceCrm/domain/json';
import { InputProblem } from '../../../../nodes/WorkspaceCrm/domain/problem';
import {
	contactKey,
	readMention,
} from '../../../../nodes/WorkspaceCrm/resources/contact/sync/desired';
import {
	tryRead,
	readRow,
	type RowOptions,
} from '../../../../nodes/WorkspaceCrm/resources/contact/sync/row';

const phone = '+4915123456789';
const columns = [
	'name',
	'locale',
	'source',
	'tags',
	'opt_in',
	'consent_proof',
	'attributes',
	'attributes.a',
];
const types = new Map([['attributes.a', 'number']]);

/** The row, or the problem. */
function read(values: JsonObject, options: RowOptions = {}, columnTypes = types) {
	return tryRead(() => readRow(values, options, columnTypes));
}

describe('a row with an ID', () => {
	const id = '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b';

	it('needs no phone, and keeps one', () => {
		expect(read({ id: ` ${id} ` })).toEqual({ id, phone: '', fields: {} });
		expect(read({ id, phone: '+49 1512 3456789' })).toEqual({ id, phone, fields: {} });
		expect(readMention({ id, phone: ' ' }, {})).toEqual({ typed: '', id });
		expect(readMention({ id, phone }, {})).toEqual({ typed: phone, number: phone, id });
	});

	it('is one without where the ID is blank', () => {
		expect(read({ id: ' ', phone })).toEqual({ phone, fields: {} });
	});

	it.each(['17', 17, true, phone])('is refused where it is none: %j', (value) => {
		expect(read({ id: value, phone })).toMatchObject({
			message: `${JSON.stringify(String(value))} is not a contact ID`,
			remedy: expect.stringContaining('Or leave it blank, and give a phone number.') as string,
		});
		expect(readMention({ id: value }, {})).toBeUndefined();
	});
});

describe('a row', () => {
	it('gives nothing for what is blank, of whatever type its column is', () => {
		const blank = fc.constantFrom(undefined, null, '', ' ', '\t\n');
		const type = fc.constantFrom('string', 'number', 'boolean', 'array', 'object');
		fc.assert(
			fc.property(fc.array(blank, { minLength: 8, maxLength: 8 }), type, (blanks, kind) => {
				const values = Object.fromEntries(columns.map((id, index) => [id, blanks[index]]));
				const options = { attributesJson: { b: blanks[0] } };
				const row = read({ ...values, phone }, options, new Map([['attributes.a', kind]]));
				expect(row).toEqual({ phone, fields: {} });
			}),
		);
	});

	it('gives what is there as it is on the wire', () => {
		const values = {
			phone: ' +49 1512 3456789',
			name: 5,
			locale: true,
			source: new Date(0),
			tags: [' a', 'a', 7],
			opt_in: 1,
			consent_proof: ' as it is ',
			attributes: { a: '1', d: new Date(0), big: 5n, '': 'blank name' },
			'attributes.a': '1.50',
		};
		expect(read(values, { attributesJson: { c: [undefined] } })).toEqual({
			phone,
			fields: {
				name: '5',
				locale: 'true',
				source: '1970-01-01T00:00:00.000Z',
				tags: ['a', '7'],
				opt_in: true,
				consent_proof: ' as it is ',
				attributes: {
					a: 1.5,
					d: '1970-01-01T00:00:00.000Z',
					big: '5',
					'': 'blank name',
					c: [null],
				},
			},
		});
	});

	it.each([
		[true, true],
		[false, false],
		['TRUE', true],
		[' no ', false],
		['1', true],
		['yes', true],
		['false', false],
		['0', false],
		[0, false],
	])('reads %j as consent %j', (value, expected) => {
		expect(read({ phone, opt_in: value })).toMatchObject({ fields: { opt_in: expected } });
	});

	it('has the country only where the number could not be read', () => {
		const readIn = (text: unknown, defaultCountry?: unknown) =>
			read({ phone: text }, { defaultCountry });
		expect(readIn('01512 3456789', 'germany')).toEqual({ phone, fields: {} });
		expect(readIn('0199 123456', 'DE')).toEqual({
			phone: '0199 123456',
			country: 'DE',
			fields: {},
		});
		// Nobody said in which country, and no international number begins with 0.
		expect(readIn('0199 123456')).toMatchObject({
			message: 'The phone number "0199 123456" has no country code',
		});
		expect(readIn(4915123456789)).toEqual({ phone: '4915123456789', fields: {} });
	});

	it('that cannot be read says why, and has a phone as far as it can be read', () => {
		const unreadable = { phone: 'x' };
		expect(read(unreadable)).toBeInstanceOf(InputProblem);
		expect(readMention(unreadable, {})).toBeUndefined();
		const broken = { phone: '+49 1512 3456789', 'attributes.a': 'x' };
		expect(read(broken)).toMatchObject({ message: '\'Attribute: a\' is "x"' });
		expect(readMention(broken, {})).toEqual({ typed: '+49 1512 3456789', number: phone });
		expect(readMention({ phone: '01512 3456789' }, { defaultCountry: 'Atlantis' })).toEqual({
			typed: '01512 3456789',
		});
	});
});

/** The message and the remedy of what is wrong with a row. */
function problemOf(values: object, options?: RowOptions) {
	const row = read({ phone, ...values }, options);
	return row instanceof InputProblem ? [row.message, row.remedy] : undefined;
}

function attributesOf(values: object, columnTypes = types, attributesJson?: JsonObject) {
	return readRow({ phone, ...values }, { attributesJson }, columnTypes).fields.attributes;
}

const CHECK = 'Check the field, or the expression in it.';

describe('a text in the column of an attribute', () => {
	const typed = (type: string, value: unknown) =>
		attributesOf({ 'attributes.a': value }, new Map([['attributes.a', type]]));

	it.each<[string, unknown, unknown]>([
		['number', '1.5', 1.5],
		['number', ' -3 ', -3],
		['number', '9007199254740991', 9007199254740991],
		['boolean', 'yes', true],
		['boolean', 'No', false],
		['array', '[1, "a"]', [1, 'a']],
		['object', '{"b": 1}', { b: 1 }],
		['string', '5', '5'],
		['something new', '5', '5'],
		['number', true, true],
		['boolean', 5, 5],
		['array', { b: 1 }, { b: 1 }],
		['object', [1], [1]],
	])('of the type %s is what it says: %j', (type, value, expected) => {
		expect(typed(type, value)).toEqual({ a: expected });
	});

	it.each([
		['number', 'x', 'a number'],
		['number', '9007199254740993', 'a number'],
		['number', '1e400', 'a number'],
		['boolean', '2', 'yes or no'],
		['array', '{"b": 1}', 'a JSON array'],
		['array', 'a, b', 'a JSON array'],
		['object', '[1]', 'a JSON object'],
		['object', 'null', 'a JSON object'],
	])('of the type %s is refused where it is none: %j', (type, value, expected) => {
		const columnTypes = new Map([['attributes.a', type]]);
		expect(read({ phone, 'attributes.a': value }, {}, columnTypes)).toMatchObject({
			message: `'Attribute: a' is ${JSON.stringify(value)}`,
			remedy: `It should be ${expected}. ${CHECK}`,
		});
	});
});

describe('the attributes of a row', () => {
	it('are those of the whole object, over them each by itself, over them the other ones', () => {
		const values = {
			attributes: '{"a": 1, "b": {"x": 1, "y": 1}, "c": 1}',
			'attributes.b': { x: 2, y: 2 },
			'attributes.c': 2,
			'attributes.d': '',
		};
		expect(attributesOf(values)).toEqual({ a: 1, b: { x: 2, y: 2 }, c: 2 });
		expect(attributesOf(values, types, { b: { y: 3 }, c: 3 })).toEqual({
			a: 1,
			b: { x: 2, y: 3 },
			c: 3,
		});
	});

	it('are never those of other columns', () => {
		expect(attributesOf({ attributesOther: 1, xattributes: 2, 'x.attributes.b': 3 })).toBe(
			undefined,
		);
	});

	it('are left as they are by a blank', () => {
		expect(attributesOf({ attributes: { a: 5, b: ' ' }, 'attributes.a': ' ' })).toEqual({ a: 5 });
	});
});

describe('a row that cannot be read', () => {
	it.each<[object, string, string]>([
		[{ name: { a: 1 } }, '\'Name\' is {"a":1}', `It should be text. ${CHECK}`],
		[{ locale: ['de'] }, '\'Locale\' is ["de"]', `It should be text. ${CHECK}`],
		[{ opt_in: 'maybe' }, '\'Opt In\' is "maybe"', `It should be yes or no. ${CHECK}`],
		[{ opt_in: [true] }, "'Opt In' is [true]", `It should be yes or no. ${CHECK}`],
		[{ opt_in: 2 }, "'Opt In' is 2", `It should be yes or no. ${CHECK}`],
	])('names the column, the value, and what it should be: %j', (values, message, remedy) => {
		expect(problemOf(values)).toEqual([message, remedy]);
	});

	it.each<[object, string]>([
		[{ source: () => {} }, "'Source' holds a function, which JSON cannot hold"],
		[{ consent_proof: () => {} }, "'Consent Proof' holds a function"],
		[{ tags: true }, "'Tags' holds a value that is not text"],
		[{ attributes: '[1]' }, "'Attributes' is not a JSON object"],
		[{ attributes: { b: () => {} } }, "'Attributes' holds a function"],
		[{ 'attributes.b': () => {} }, "'Attribute: b' holds a function"],
	])('names the column of what cannot be sent: %p', (values, message) => {
		expect(problemOf(values)?.[0]).toContain(message);
	});

	it.each([undefined, null, '', ' '])('says that it has no phone: %j', (blank) => {
		expect(problemOf({ phone: blank })).toEqual([
			"'Phone' is empty",
			"Every item needs a phone number or the ID of a contact. Map a value to the column 'Phone'. If you map automatically, rename the column of your sheet to 'phone'.",
		]);
	});

	it('says what is wrong with its country', () => {
		expect(problemOf({}, { defaultCountry: 'Atlantis' })?.[0]).toContain("'Default Country' is");
	});

	it('never hides what is wrong in the code', () => {
		const wrong = () => {
			throw new TypeError('wrong');
		};
		expect(() => tryRead(wrong)).toThrow(TypeError);
	});
});

describe('the phone of a row', () => {
	it('is only certain with its country code, and where it is a valid number', () => {
		for (const typed of ['4915123456789', '+999 123456789']) {
			expect(readMention({ phone: typed }, {})).toEqual({ typed });
		}
		expect(readMention({}, {})).toBeUndefined();
	});

	it('tells contacts apart by its digits, and by its country where only the service can read it', () => {
		expect(contactKey({ phone: '+49 1512' })).toBe('491512');
		expect(contactKey({ phone: '0199', country: 'DE' })).toBe(
			contactKey({ phone: '01-99', country: 'DE' }),
		);
		const keys = [
			{ phone: '0199' },
			{ phone: '0199', country: 'DE' },
			{ phone: '0199', country: 'AT' },
		];
		expect(new Set(keys.map(contactKey)).size).toBe(3);
	});
});
