import * as fc from 'fast-check';

import { readContact } from '../../../../nodes/WorkspaceCrm/api/types';
import type { JsonObject } from '../../../../nodes/WorkspaceCrm/domain/json';
import {
	identifyRow,
	mergeFields,
	mergeRows,
} from '../../../../nodes/WorkspaceCrm/resources/contact/sync/desired';
import type { Row } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/row';
import { fields, without } from './arbitraries';

const phones = fc.constantFrom(
	'+4915123456789',
	'4915123456789',
	'+4915123456780',
	'4915123456780',
);
const rows = fc.array(fc.record({ phone: phones, fields }), { maxLength: 12 });
const digitsOf = (phone: string) => phone.replace('+', '');

describe('rows of the same contact', () => {
	it('become one, which knows all its items, in the order of the first ones', () => {
		fc.assert(
			fc.property(rows, (all) => {
				const desired = mergeRows(all);
				expect(desired.flatMap(({ items }) => items).sort((a, b) => a - b)).toEqual(
					all.map((_, item) => item),
				);
				for (const { items, digits } of desired) {
					expect(items).toEqual([...items].sort((a, b) => a - b));
					expect(items.map((item) => digitsOf(all[item].phone))).toEqual(items.map(() => digits));
				}
				const firsts = desired.map(({ items }) => items[0]);
				expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
				expect(new Set(desired.map(({ digits }) => digits)).size).toBe(desired.length);
			}),
		);
	});

	it('of a contact without a phone are found by their ID only', () => {
		const contact = readContact({ id: 'a' });
		const row = { id: 'a', phone: '', contact, fields: {} };
		expect(mergeRows([row, row])).toEqual([
			{ phone: '', digits: undefined, contact, fields: {}, items: [0, 1] },
		]);
	});

	it('keep the places of their items where others give none', () => {
		const row = { phone: '+4915123456789', fields: {} };
		const none = { problem: new Error('no row') };
		expect(mergeRows([none, row, none, row]).map(({ items }) => items)).toEqual([[1, 3]]);
	});

	it('have a plus if one of them has it', () => {
		fc.assert(
			fc.property(rows, (all) => {
				for (const { items, phone } of mergeRows(all)) {
					const hasPlus = items.some((item) => all[item].phone.startsWith('+'));
					expect(phone.startsWith('+')).toBe(hasPlus);
				}
			}),
		);
	});

	it('become one also where some give its ID and others its phone', () => {
		const contacts = ['+4915123456789', '+4915123456780', ''].map((phone, index) =>
			readContact({ id: `id${index}`, phone }),
		);
		const byPhone: fc.Arbitrary<Row> = fc.record({ phone: phones, fields });
		const byId: fc.Arbitrary<Row> = fc
			.constantFrom(...contacts)
			.chain((contact) =>
				fields.map((given) => ({ id: contact.id, phone: contact.phone, contact, fields: given })),
			);
		fc.assert(
			fc.property(fc.array(fc.oneof(byPhone, byId), { maxLength: 12 }), (all) => {
				const whose = ({ phone, id }: Row) => (phone === '' ? id : digitsOf(phone));
				const desired = mergeRows(all);
				expect(desired.flatMap(({ items }) => items).sort((a, b) => a - b)).toEqual(
					all.map((_, item) => item),
				);
				expect(desired).toHaveLength(new Set(all.map(whose)).size);
				for (const { items, contact } of desired) {
					expect(new Set(items.map((item) => whose(all[item]))).size).toBe(1);
					const named = items.map((item) => all[item]).find((row) => row.contact);
					expect(contact).toBe(named?.contact);
				}
			}),
		);
	});

	it('are two where two contacts have the number, and the phone alone tells neither', () => {
		const row = { phone: '+4915123456789', fields: {} };
		const contacts = [
			readContact({ id: 'a', phone: '+4915123456789' }),
			readContact({ id: 'b', phone: '4915123456789' }),
			undefined,
		];
		const found = contacts.map((contact) => ({ ...row, contact }));
		expect(mergeRows(found).map(({ items }) => items)).toEqual([[0], [1], [2]]);
	});

	it('that only the service can read are the same in the same country only', () => {
		const row = (country?: string) => ({ phone: '0199 123456', country, fields: {} });
		const desired = mergeRows([row('DE'), row('FR'), row('DE'), row()]);
		expect(desired.map(({ items, digits }) => [items, digits])).toEqual([
			[[0, 2], undefined],
			[[1], undefined],
			[[3], '0199123456'],
		]);
	});

	it('may be very many, each with an attribute and a tag of its own', () => {
		const count = 50_000;
		const all = Array.from({ length: count }, (_, item) => ({
			phone: '+4915123456789',
			fields: { attributes: { [`a${item}`]: item }, tags: [`t${item}`] },
		}));
		const [desired, ...others] = mergeRows(all);
		expect(others).toEqual([]);
		expect(Object.keys(desired.fields.attributes ?? {})).toHaveLength(count);
		expect(desired.fields.tags).toHaveLength(count);
	});

	it('may give attributes of any name', () => {
		const attributes = JSON.parse('{ "__proto__": "a", "constructor": "b" }') as JsonObject;
		expect(Object.entries(mergeFields([{ attributes }, {}]).attributes ?? {})).toEqual([
			['__proto__', 'a'],
			['constructor', 'b'],
		]);
	});

	it('leaves the rows as they were', () => {
		fc.assert(
			fc.property(rows, (all) => {
				const before = structuredClone(all);
				mergeRows(all);
				expect(all).toEqual(before);
			}),
		);
	});
});

describe('a row with an ID', () => {
	const contact = readContact({ id: 'a', phone: '4915123456789' });
	const row = { id: 'a', phone: '', fields: {} };

	it.each(['', '+4915123456789', '4915123456789'])('is of its contact: %j', (phone) => {
		expect(identifyRow({ ...row, phone, country: 'DE' }, contact)).toEqual({
			...row,
			phone: contact.phone,
			contact,
		});
	});

	it.each([
		['+4915123456780', contact, 'It has 4915123456789.'],
		['+4915123456780', readContact({ id: 'a' }), 'It has none.'],
	])('is of none with another number: %s', (phone, found, remedy) => {
		expect(identifyRow({ ...row, phone }, found)).toMatchObject({
			problem: {
				message: `The contact with this ID does not have the phone number ${phone}`,
				remedy: `${remedy} Nothing was sent for this item. Correct the ID or the phone number, or leave one of them blank.`,
			},
		});
	});

	it('has the failure of reading it', () => {
		const failure = new Error('x');
		expect(identifyRow(row, failure)).toEqual({ problem: failure });
		expect(identifyRow(row, undefined)).toMatchObject({
			problem: {
				message: 'No contact has the ID a',
				remedy: expect.stringMatching(/^It may have been erased\. .* Correct the ID/) as string,
			},
		});
	});
});

describe('fields of two rows', () => {
	it('are those of the later one where it gives them, attributes one by one, and all tags', () => {
		fc.assert(
			fc.property(fields, fields, (first, later) => {
				const merged = mergeFields([first, later]);
				for (const name of ['name', 'locale', 'source', 'opt_in'] as const) {
					expect(merged[name]).toBe(later[name] ?? first[name]);
				}
				const attributes = [
					...Object.entries(first.attributes ?? {}),
					...Object.entries(later.attributes ?? {}),
				];
				expect(merged.attributes ?? {}).toEqual(Object.fromEntries(attributes));
				expect(merged.tags ?? []).toEqual([
					...new Set([...(first.tags ?? []), ...(later.tags ?? [])]),
				]);
				// A field that neither gives is not there, rather than empty.
				const given = new Set([...Object.keys(first), ...Object.keys(later)]);
				expect(Object.keys(merged).filter((name) => !given.has(name))).toEqual([]);
			}),
		);
	});

	it('are the same when they are merged in other groups, or again', () => {
		fc.assert(
			fc.property(fields, fields, fields, (a, b, c) => {
				const left = mergeFields([mergeFields([a, b]), c]);
				const right = mergeFields([a, mergeFields([b, c])]);
				expect(without(left, 'consent_proof')).toEqual(without(right, 'consent_proof'));
				expect(mergeFields([a, b, c])).toEqual(left);
				expect(mergeFields([left, c])).toEqual(left);
			}),
		);
	});

	it.each([
		['its own', { opt_in: true, consent_proof: 'b' }, 'b'],
		['that of the same consent', { opt_in: true }, 'a'],
		['none, where it says something else', { opt_in: false }, undefined],
		['that of the first, where it says nothing', {}, 'a'],
	])('have of proofs %s', (_case, later, expected) => {
		expect(mergeFields([{ opt_in: true, consent_proof: 'a' }, later]).consent_proof).toBe(expected);
	});

	it.each([true, false])(
		'have the proof of the first where only the later one says what it proves: %j',
		(optIn) => {
			expect(mergeFields([{ consent_proof: 'a' }, { opt_in: optIn }])).toEqual({
				opt_in: optIn,
				consent_proof: 'a',
			});
		},
	);
});
