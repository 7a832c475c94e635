import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	enrollBody,
	readChoice,
	readListRecord,
	readPage,
	sendTemplateBody,
	withAnswer,
} from '../../../nodes/WorkspaceCrm/api/assumptions';
import { readTemplateVariables } from '../../../nodes/WorkspaceCrm/api/templateRecord';
import { readBodyFields } from '../../../nodes/WorkspaceCrm/api/bodyFields';

const rows = fc.array(fc.jsonValue(), { maxLength: 4 });
const notAnArray = fc.jsonValue().filter((value) => !Array.isArray(value));
const name = fc.string().filter((key) => key !== 'total' && key !== '__proto__');
/** Anything around the array of an envelope, as long as it is no other array. */
const around = fc.dictionary(name, notAnArray, { maxKeys: 4, noNullPrototype: true });

describe('a list in an answer', () => {
	it('may be a bare array', () => {
		fc.assert(
			fc.property(rows, (list) => {
				expect(readPage(list)).toEqual({ rows: list });
			}),
		);
	});

	it('may be the only array in an envelope, under any name', () => {
		fc.assert(
			fc.property(around, name, rows, fc.nat(), (envelope, key, list, total) => {
				expect(readPage({ ...envelope, [key]: list, total })).toEqual({ rows: list, total });
				expect(readPage({ total, [key]: list })).toEqual({ rows: list, total });
			}),
		);
	});

	it('is the one called data where there are several', () => {
		fc.assert(
			fc.property(around, name, rows, rows, (envelope, key, other, list) => {
				fc.pre(key !== 'data');
				expect(readPage({ ...envelope, [key]: other, data: list })?.rows).toBe(list);
			}),
		);
	});

	it.each([
		[{ data: null, total: 0, limit: 50, offset: 0 }, 0],
		[{ total: 0, contacts: null }, 0],
		[{ data: null, next: null, total: 0 }, 0],
		// Such as a page behind the last one: by its total it is known that rows are missing.
		[{ data: null, total: 5 }, 5],
		[{ data: null }, undefined],
		[{ tags: null }, undefined],
	])('is empty where a null stands for it, as services in Go write it: %j', (answer, total) => {
		expect(readPage(answer)).toEqual({ rows: [], total });
	});

	it.each([
		{ data: null, limit: 50 },
		{ data: null, message: 'try later' },
		{ data: null, total: -1 },
		{ data: null, total: null },
		{ error: null },
		{ errors: null },
		{ error: null, total: 0 },
		{ detail: null },
		{ message: null, total: 0 },
		{},
		{ total: 0 },
		null,
	])('is not there where a null may stand for anything: %j', (answer) => {
		expect(readPage(answer)).toBeUndefined();
	});

	it('is not guessed where there are several and none is called data', () => {
		expect(readPage({ items: [], others: [] })).toBeUndefined();
		expect(readPage({ items: [], others: [], data: {} })).toBeUndefined();
	});

	it.each([
		undefined,
		null,
		'text',
		5,
		true,
		{},
		{ data: {} },
		{ data: { items: [], others: [] } },
		{ data: { page: { items: [] } } },
		{ detail: { items: [] } },
		{ a: { items: [] }, b: { items: [] } },
		{ total: 3 },
	])('is not there in %j', (answer) => {
		expect(readPage(answer)).toBeUndefined();
	});

	it.each([
		...[{ total: '3.5' }, { total: 3.5 }, { total: -1 }, { total: null }, { total: NaN }],
		...[{ total: 2 ** 60 }, { total: {} }, {}],
	])('has no total where the total is no count: %j', (envelope) => {
		expect(readPage({ data: [1], ...envelope })).toEqual({ rows: [1], total: undefined });
	});

	it.each([
		[{ data: { tags: [1], total: 7 } }, { rows: [1], total: 7 }],
		[
			{ success: true, result: { items: [1] } },
			{ rows: [1], total: undefined },
		],
		[
			{ data: { items: null, total: 0 }, meta: { x: 1 } },
			{ rows: [], total: 0 },
		],
		[
			{ items: [1], meta: { total: 7 } },
			{ rows: [1], total: 7 },
		],
		[
			{ items: [1], pagination: { total_count: 7 } },
			{ rows: [1], total: 7 },
		],
		[
			{ data: { items: [1] }, meta: { totalItems: 7 } },
			{ rows: [1], total: 7 },
		],
		[
			{ items: [1], count: 1 },
			{ rows: [1], total: undefined },
		],
	])('may be in an object of the envelope, and so may its total: %j', (answer, page) => {
		expect(readPage(answer)).toEqual(page);
	});

	it.each([
		{ error: 'maintenance', details: [] },
		{ success: false, message: 'expired', data: null, total: 0 },
		{ ok: false, items: [] },
		{ status: 'error', messages: ['Invalid token'] },
		{ errors: [{ code: 1 }] },
		{ response: { errors: ['bad'] } },
		{ meta: { next: null }, tags: { vip: {} } },
		{ links: { next: null }, contacts: { a: {} } },
		{ id: '1', phone: '+49', tags: ['vip'] },
		{ contact: { id: '1', tags: ['vip'] } },
		{ workspace: { features: ['a'] }, ok: true },
	])('is not what only looks like one: %j', (answer) => {
		expect(readPage(answer)).toBeUndefined();
	});

	it.each([
		[
			{ count: 120, next: 'https://x/?page=2', results: [1] },
			{ total: 120, hasMore: true },
		],
		[
			{ content: [1], totalElements: 120, last: false },
			{ total: 120, hasMore: true },
		],
		[{ data: [1], meta: { pagination: { total: 120 } } }, { total: 120 }],
		[{ data: [1], has_more: true }, { hasMore: true }],
		[{ data: [1], links: { next: 'https://x' } }, { hasMore: true }],
		[{ data: [1], links: { next: null }, total: '120' }, { total: 120 }],
		[{ data: { items: [1] }, next_cursor: 'abc' }, { hasMore: true }],
		[{ data: [1], has_more: false, next: '' }, {}],
	])('may say that there is more: %j', (answer, more) => {
		expect(readPage(answer)).toEqual({ rows: [1], total: undefined, ...more });
	});

	it('may be empty', () => {
		expect(readPage({ data: [], total: 0 })).toEqual({ rows: [], total: 0 });
		expect(readPage([])).toEqual({ rows: [] });
	});
});

describe('a record of a list', () => {
	it('is an object as it came', () => {
		fc.assert(
			fc.property(around, (record) => {
				expect(readListRecord(record)).toBe(record);
				expect(readListRecord(record, 'id')).toBe(record);
			}),
		);
	});

	it('gets a name, or an id, where it is a bare text or number', () => {
		expect(readListRecord('vip')).toEqual({ name: 'vip' });
		expect(readListRecord(5)).toEqual({ name: 5 });
		expect(readListRecord('3f2a', 'id')).toEqual({ id: '3f2a' });
	});

	it('is always an object, whatever the service gives', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (row) => {
				expect(Object.prototype.toString.call(readListRecord(row))).toBe('[object Object]');
			}),
		);
	});
});

describe('the output of an operation whose answer is not shown', () => {
	const known = { contact_id: '3f2a', tag: 'vip' };
	const failureKeys = ['error', 'message', 'details'];
	const answer = fc.oneof(
		fc.jsonValue(),
		fc.dictionary(fc.constantFrom(...failureKeys, 'id'), fc.jsonValue(), { noNullPrototype: true }),
	);

	it('never looks like a failed item to n8n', () => {
		fc.assert(
			fc.property(fc.option(answer, { nil: undefined }), (given) => {
				const output = withAnswer(known, given);
				expect(output).not.toHaveProperty('error');
				expect(Object.keys(output).every((key) => failureKeys.includes(key))).toBe(false);
			}),
			{ numRuns: 500 },
		);
	});

	it('holds all that is known, and all that was answered', () => {
		fc.assert(
			fc.property(answer, (given) => {
				const output = withAnswer(known, given);
				expect(Object.keys(output)).toEqual(expect.arrayContaining(Object.keys(known)));
				if (Object.hasOwn(output, 'answer') && output.answer === given) return;
				for (const [key, value] of Object.entries(given as IDataObject)) {
					expect(Object.getOwnPropertyDescriptor(output, key)?.value).toBe(value);
				}
			}),
			{ numRuns: 500 },
		);
	});

	it.each<[unknown, IDataObject]>([
		[undefined, known],
		[{ status: 'queued' }, { ...known, status: 'queued' }],
		[{ message: 'ok' }, { ...known, message: 'ok' }],
		[{ error: 'none' }, { ...known, answer: { error: 'none' } }],
		[['vip'], { ...known, answer: ['vip'] }],
		['queued', { ...known, answer: 'queued' }],
		[null, { ...known, answer: null }],
	])('after %j is %j', (given, expected) => {
		expect(withAnswer(known, given)).toStrictEqual(expected);
	});
});

describe('a choice of a drop-down', () => {
	it.each([
		[
			{ id: 7, name: 'Welcome' },
			{ name: 'Welcome', value: '7' },
		],
		[{ id: 0 }, { name: '0', value: '0' }],
		[
			{ uuid: 'u', title: 'T' },
			{ name: 'T', value: 'u' },
		],
		[
			{ key: 'k', label: 'L' },
			{ name: 'L', value: 'k' },
		],
		[
			{ slug: 's', display_name: 'D' },
			{ name: 'D', value: 's' },
		],
		[
			{ id: '', name: 'Welcome' },
			{ name: 'Welcome', value: 'Welcome' },
		],
		[
			{ id: 's1', url: 'https://a.example' },
			{ name: 'https://a.example', value: 's1' },
		],
		[
			{ id: 'c1', name: null, phone: '+4915123456789' },
			{ name: '+4915123456789', value: 'c1' },
		],
		['vip', { name: 'vip', value: 'vip' }],
		[5, { name: '5', value: '5' }],
	])('for %j is %j', (row, expected) => {
		expect(readChoice(row)).toEqual(expected);
	});

	it.each([{}, { id: '' }, { id: null, name: {} }, { other: 'x' }, '', null, [], true])(
		'is not made of %j, in which nothing could identify it',
		(row) => {
			expect(readChoice(row)).toBeUndefined();
		},
	);

	it('never has a blank name or value, whatever the record is', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (row) => {
				const choice = readChoice(row);
				if (choice === undefined) return;
				expect(choice.name).not.toBe('');
				expect(choice.value).not.toBe('');
				expect(typeof choice.value).toBe('string');
			}),
		);
	});
});

describe('an entry of a list', () => {
	it.each([
		[
			{ template_id: 't1', template_name: 'hello' },
			{ name: 'hello', value: 't1' },
		],
		[
			{ templateId: 't1', templateName: 'hello' },
			{ name: 'hello', value: 't1' },
		],
		[
			{ uuid: 'u', title: 'Hello' },
			{ name: 'Hello', value: 'u' },
		],
		[
			{ id: 'x', account_id: 'a', name: 'Hello' },
			{ name: 'Hello', value: 'x' },
		],
		[{ language: 'de' }, undefined],
	])('%j', (record, choice) => {
		expect(readChoice(record, 'template')).toEqual(choice);
	});
});

describe('the default bodies', () => {
	it('name the contact, and variables only when there are any', () => {
		const { send, enroll } = readBodyFields({});
		expect(sendTemplateBody('c1', 'hello', {}, send)).toEqual({
			contact_id: 'c1',
			template: 'hello',
		});
		expect(sendTemplateBody('c1', 'hello', { '1': 'Ann' }, send)).toEqual({
			contact_id: 'c1',
			template: 'hello',
			variables: { '1': 'Ann' },
		});
		expect(enrollBody('c1', enroll)).toEqual({ contact_id: 'c1' });
	});
});

describe('the variables that the record of a template tells of', () => {
	test.each<[string, object, string[]]>([
		['names', { variables: ['name', 'date'] }, ['name', 'date']],
		['records with names', { parameters: [{ name: 'a' }, { key: 'b' }] }, ['a', 'b']],
		['their number', { params: 3 }, ['1', '2', '3']],
		['numbers', { placeholders: [1, 2] }, ['1', '2']],
		['placeholders', { body: 'Hi {{1}}, {{ 2 }} and {{1}}' }, ['1', '2']],
		[
			'components',
			{
				components: [
					{ type: 'HEADER', text: '{{title}}' },
					{ type: 'BODY', text: 'Hi {{first_name}}' },
				],
			},
			['title', 'first_name'],
		],
		['names of letters, digits and signs', { body: '{{größe_1}} {{a.b-c}}' }, ['größe_1', 'a.b-c']],
		['lists before placeholders', { params: ['a'], text: '{{b}}' }, ['a']],
		['entries of which some have names', { variables: [{}, 'a', null, { id: 7 }] }, ['a', '7']],
		['names given twice', { variables: ['a', 'b', 'a'] }, ['a', 'b']],
		['placeholders that are none', { body: '{1} {{}} {{a b}} {{ }} {{a}' }, []],
		['placeholders with lines in them', { body: '{{\n name\n}}' }, ['name']],
		['their number, which is zero', { variables: 0, body: '{{1}}' }, []],
		['an empty list', { variables: [], body: 'Hi {{1}}' }, []],
		['nothing', { name: 'plain', language: 'en' }, []],
		['something else', { variables: 'name', body: null }, []],
	])('as %s', (_name, record, expected) => {
		const { variables, hasMore } = readTemplateVariables(record as IDataObject);
		expect(variables.map(({ name }) => name)).toEqual(expected);
		expect(hasMore).toBe(false);
	});

	const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`);
	const inText = (count: number) =>
		numbers(count)
			.map((name) => `{{${name}}} `)
			.join('');

	test.each<[string, (count: number) => object]>([
		['their number', (count) => ({ variables: count })],
		['a list', (count) => ({ params: numbers(count) })],
		['a list of records', (count) => ({ params: numbers(count).map((name) => ({ name })) })],
		['one text', (count) => ({ body: inText(count) })],
		['many texts', (count) => ({ components: numbers(count).map((name) => `{{${name}}}`) })],
	])('are at most 100, as %s', (_name, recordOf) => {
		for (const count of [99, 100, 101, 5_000]) {
			const { variables, hasMore } = readTemplateVariables(recordOf(count) as IDataObject);
			expect(variables.map(({ name }) => name)).toEqual(numbers(Math.min(count, 100)));
			expect(hasMore).toBe(count > 100);
		}
	});

	test.each([
		[-1, 0],
		[-1e308, 0],
		[NaN, 0],
		[1e308, 100],
		[5e7, 100],
		[Infinity, 100],
	])('are as many as the number %d lets', (variables, expected) => {
		expect(readTemplateVariables({ variables }).variables).toHaveLength(expected);
	});

	test('are found in one pass, however hostile the record is', () => {
		const text = inText(16_000);
		let looks = 0;
		const counted = new Proxy(
			[text, 'y'.repeat(59_000), '{{'.repeat(30_000), `{{${' '.repeat(59_000)}`],
			{
				get(target, key, self) {
					looks += key === '0' ? 1 : 0;
					return Reflect.get(target, key, self) as unknown;
				},
			},
		);
		const names = numbers(16_000).reverse();
		const record = { variables: names, components: counted } as never as IDataObject;
		const { variables } = readTemplateVariables(record);
		expect(variables).toHaveLength(100);
		expect(variables[99]).toEqual({
			name: '15901',
			context: '…{{15900}} {{15901}} {{15902}}…',
		});
		expect(looks).toBe(1);
	});
});

describe('where a variable stands in the text of a template', () => {
	const contextIn = (record: object, name = '1') =>
		readTemplateVariables({ variables: [name], ...record } as IDataObject).variables[0].context;
	const context = (text: unknown) => contextIn({ body: text });

	it.each([
		['{{1}}', '{{1}}'],
		[' {{1}}\n', '{{1}}'],
		[`Hi {{1}}${' x'.repeat(100)}`, 'Hi {{1}} x x x x x x…'],
		['Hi {{1}}!', 'Hi {{1}}!'],
		['Hi {{ 1 }}, how are you today?', 'Hi {{ 1 }}, how are you…'],
		['Your order for {{1}} is on its way to you', '…order for {{1}} is on its…'],
		['Hello,\n\t dear {{1}}\n\n- bye', 'Hello, dear {{1}} - bye'],
		['12345678901234{{1}}12345678901234', '12345678901234{{1}}12345678901234'],
		['0002345 78901234{{1}}1234 6789012345', '…78901234{{1}}1234…'],
		['a {{2}} b {{1}} c {{1}} d', 'a {{2}} b {{1}} c {{1}} d'],
	])('in %j is shown as %j', (text, expected) => {
		expect(context(text)).toBe(expected);
	});

	it('is found in any text of the record, in the first that has it', () => {
		const components = [{ text: '{{2}}' }, { text: 'Hi {{1}}' }, { text: 'Bye {{1}}' }];
		expect(contextIn({ id: 5, none: null, components })).toBe('Hi {{1}}');
	});

	it('is not told where no text has it', () => {
		expect(context('Hi {{2}}')).toBeUndefined();
		expect(context(null)).toBeUndefined();
		expect(context('Hi 1')).toBeUndefined();
	});
});
