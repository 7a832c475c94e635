import type { JsonObject } from '../../../nodes/WorkspaceCrm/domain/plainData';
import { itemLabel } from '../../../nodes/WorkspaceCrm/operations/nodeErrors';

/** What the second of two items is called. */
const labelOf = (json: JsonObject) => itemLabel([{ json: { name: 'First' } }, { json }], 1);

test('items are counted from 1; the only one needs no name', () => {
	const items = [{ json: {} }, { json: { name: 'Anna' } }];
	expect(items.map((_, index) => itemLabel(items, index))).toEqual(['item 1', 'item 2, Anna']);
	expect([itemLabel(items.slice(1), 0), itemLabel([], 0)]).toEqual([undefined, undefined]);
	expect(itemLabel([{ json: {} }, undefined as never], 1)).toBe('item 2');
	expect(labelOf({ row_number: 7, Name: 'Ben' })).toBe('row 7, Ben');
});

test('an item is labelled by its name, else by its phone, however the field is written', () => {
	const fields = ['Name', 'full_name', 'firstName', 'PHONE', 'Phone Number', 'mobile'];
	for (const [index, first] of fields.entries()) {
		const later = fields.slice(index).reverse();
		const json = Object.fromEntries(later.map((field) => [field, ` in ${field} `]));
		expect(labelOf({ id: 7, note: 'x', ...json })).toBe(`item 2, in ${first}`);
	}
});

test.each(['id', 'email', 'nickname', 'lastName', 'name2', 'names', '', 'constructor'])(
	'the field %j is not a name',
	(field) => {
		expect(labelOf({ [field]: 'Anna' })).toBe('item 2');
	},
);

test.each([undefined, null, '', '  ', true, {}, ['Anna'], { name: 'Anna' }])(
	'a name of %j is skipped',
	(name) => {
		expect(labelOf({ name, phone: 4915123456789 } as JsonObject)).toBe('item 2, 4915123456789');
		expect(labelOf({ name } as JsonObject)).toBe('item 2');
	},
);

test.each([
	['<img src=x>\n\u001b[31m \u202e`B`', "‹img src=x› [31m 'B'"],
	['x'.repeat(40), 'x'.repeat(40)],
	['x'.repeat(41), `${'x'.repeat(40)}… (1 more characters)`],
])('the name %j is made plain and short', (name, expected) => {
	expect(labelOf({ name })).toBe(`item 2, ${expected}`);
});
