import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readChoice, readPage, withAnswer } from '../../../nodes/WorkspaceCrm/api/assumptions';

const rows = fc.array(fc.jsonValue(), { maxLength: 4 });
const notAnArray = fc.jsonValue().filter((value) => !Array.isArray(value));
const name = fc.string().filter((key) => key !== 'total' && key !== '__proto__');
/** Anything around the array of an envelope, as long as it is no other array. */
const around = fc.dictionary(name, notAnArray, { maxKeys: 4, noNullPrototype: true });

describe('a list in an answer', () => {
	it('is a bare array, the only array under any name, or the one called data', () => {
		fc.assert(
			fc.property(around, name, rows, rows, fc.nat(), (envelope, key, list, other, total) => {
				expect(readPage(list)).toEqual({ rows: list });
				expect(readPage({ ...envelope, total, [key]: list })).toEqual({ rows: list, total });
				fc.pre(key !== 'data');
				expect(readPage({ ...envelope, [key]: other, data: list })?.rows).toBe(list);
			}),
		);
	});

	it.each<[object, object]>([
		// A null stands for an empty list, as services in Go write it.
		[{ data: null, total: 0, limit: 50, offset: 0 }, { total: 0 }],
		[{ total: 0, contacts: null }, { total: 0 }],
		[{ data: null, next: null, total: 0 }, { total: 0 }],
		// Such as a page behind the last one: by its total it is known that rows are missing.
		[{ data: null, total: 5 }, { total: 5 }],
		[{ tags: null }, {}],
		[{ data: { items: null, total: 0 }, meta: { x: 1 } }, { total: 0 }],
		[{ data: [], total: 0 }, { total: 0 }],
	])('may be empty: %j', (answer, page) => {
		expect(readPage(answer)).toEqual({ rows: [], total: undefined, ...page });
	});

	it.each<[object, object]>([
		[{ data: { tags: [1], total: 7 } }, { total: 7 }],
		[{ success: true, result: { items: [1] } }, {}],
		[{ items: [1], meta: { total: 7 } }, { total: 7 }],
		[{ items: [1], pagination: { total_count: 7 } }, { total: 7 }],
		[{ data: { items: [1] }, meta: { totalItems: 7 } }, { total: 7 }],
		[{ data: [1], meta: { pagination: { total: 120 } } }, { total: 120 }],
		[{ data: [1], links: { next: null }, total: '120' }, { total: 120 }],
		// May be the count of the page.
		[{ items: [1], count: 1 }, {}],
		[
			{ count: 120, next: 'https://x/?page=2', results: [1] },
			{ total: 120, hasMore: true },
		],
		[
			{ content: [1], totalElements: 120, last: false },
			{ total: 120, hasMore: true },
		],
		[{ data: [1], has_more: true }, { hasMore: true }],
		[{ data: [1], links: { next: 'https://x' } }, { hasMore: true }],
		[{ data: { items: [1] }, next_cursor: 'abc' }, { hasMore: true }],
		[{ data: [1], has_more: false, next: '' }, {}],
		...['3.5', 3.5, -1, null, 2 ** 60, {}].map((total): [object, object] => [
			{ data: [1], total },
			{},
		]),
	])(
		'may be deeper, with a total or without, and may say that there is more: %j',
		(answer, page) => {
			expect(readPage(answer)).toEqual({ rows: [1], total: undefined, ...page });
		},
	);

	it.each([
		...[undefined, null, 'text', 5, true, {}, { total: 0 }, { data: {} }],
		// Several, of which none is called data.
		...[
			{ items: [], others: [] },
			{ items: [], others: [], data: {} },
		],
		...[{ data: { items: [], others: [] } }, { data: { page: { items: [] } } }],
		// A null that may stand for anything.
		...[
			{ data: null, limit: 50 },
			{ data: null, message: 'try later' },
			{ data: null, total: -1 },
		],
		...[
			{ error: null, total: 0 },
			{ message: null, total: 0 },
		],
		// An error, although the status says success.
		{ error: 'maintenance', details: [] },
		{ success: false, message: 'expired', data: null, total: 0 },
		{ ok: false, items: [] },
		{ status: 'error', messages: ['Invalid token'] },
		{ errors: [{ code: 1 }] },
		{ response: { errors: ['bad'] } },
		// A record, one of whose fields is a list; and a map.
		{ id: '1', phone: '+49', tags: ['vip'] },
		{ contact: { id: '1', tags: ['vip'] } },
		{ meta: { next: null }, tags: { vip: {} } },
	])('is not there in %j', (answer) => {
		expect(readPage(answer)).toBeUndefined();
	});
});

test('the output of an answer that is not shown holds all of it, and never looks like a failed item', () => {
	const known = { contact_id: '3f2a', tag: 'vip' };
	const failureKeys = ['error', 'message', 'details'];
	const answer = fc.oneof(
		fc.jsonValue(),
		fc.dictionary(fc.constantFrom(...failureKeys, 'id'), fc.jsonValue(), { noNullPrototype: true }),
	);
	fc.assert(
		fc.property(answer, (given) => {
			const output = withAnswer(known, given);
			expect(output).not.toHaveProperty('error');
			expect(Object.keys(output)).toEqual(expect.arrayContaining(Object.keys(known)));
			if (Object.hasOwn(output, 'answer') && output.answer === given) return;
			for (const [key, value] of Object.entries(given as IDataObject)) {
				expect(Object.getOwnPropertyDescriptor(output, key)?.value).toBe(value);
			}
		}),
		{ numRuns: 500 },
	);
});

describe('a choice of a drop-down', () => {
	it.each([
		[{ id: 7, name: 'Welcome' }, 'Welcome', '7'],
		[{ id: 0 }, '0', '0'],
		[{ uuid: 'u', title: 'T' }, 'T', 'u'],
		[{ slug: 's', display_name: 'D' }, 'D', 's'],
		[{ id: '', name: 'Welcome' }, 'Welcome', 'Welcome'],
		[{ id: 'c1', name: null, phone: '+4915123456789' }, '+4915123456789', 'c1'],
		[{ template_id: 't1', templateName: 'hello' }, 'hello', 't1'],
		[{ id: 'x', account_id: 'a', name: 'Hello' }, 'Hello', 'x'],
		['vip', 'vip', 'vip'],
		[5, '5', '5'],
	])('of %j is %j, which stands for %j', (row, shown, value) => {
		expect(readChoice(row, 'template')).toEqual({ name: shown, value });
	});

	it('is not made where nothing could identify it, and never has a blank name or value', () => {
		for (const row of [{}, { id: '' }, { id: null, name: {} }, { language: 'de' }, '', null, []]) {
			expect(readChoice(row, 'template')).toBeUndefined();
		}
		fc.assert(
			fc.property(fc.jsonValue(), (row) => {
				const { name: shown, value } = readChoice(row) ?? { name: 'x', value: 'x' };
				expect([typeof shown, typeof value, shown === '', value === '']).toEqual([
					...['string', 'string', false, false],
				]);
			}),
		);
	});
});
