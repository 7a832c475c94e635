import { itemLabel } from '../../../nodes/WorkspaceCrm/operations/itemLabel';
import type { JsonObject } from '../../../nodes/WorkspaceCrm/domain/json';

/** What the second of two items is called. */
const labelOf = (json: JsonObject) => itemLabel([{ json: { name: 'First' } }, { json }], 1);

test('the only item needs no name, nor does one of none', () => {
	expect(itemLabel([{ json: { name: 'Anna' } }], 0)).toBeUndefined();
	expect(itemLabel([], 0)).toBeUndefined();
});

test('items are counted from 1', () => {
	const items = [{ json: {} }, { json: {} }, { json: { name: 'Anna' } }];
	expect(items.map((_, index) => itemLabel(items, index))).toEqual([
		'item 1',
		'item 2',
		'item 3, Anna',
	]);
});

test.each([
	'name',
	'Name',
	'NAME',
	' name ',
	'full_name',
	'Full Name',
	'fullName',
	'displayName',
	'display-name',
	'First Name',
	'firstname',
	'phone',
	'Phone',
	'phone_number',
	'Phone Number',
	'mobile',
	'MOBILE',
])('the field %j tells which one it is', (field) => {
	expect(labelOf({ id: 7, [field]: ' Anna ', note: 'x' })).toBe('item 2, Anna');
});

test.each(['id', 'email', 'nickname', 'lastName', 'name2', 'names', ''])(
	'the field %j does not',
	(field) => {
		expect(labelOf({ [field]: 'Anna' })).toBe('item 2');
	},
);

test('a name comes before a phone, whatever their order', () => {
	const fields = {
		mobile: '6',
		phoneNumber: '5',
		phone: '4',
		firstName: 'C',
		displayName: 'B',
		fullName: 'A',
		name: 'Anna',
	};
	const labels = Object.keys(fields).map((_, count) =>
		labelOf(Object.fromEntries(Object.entries(fields).slice(0, 7 - count))),
	);
	expect(labels).toEqual(['Anna', 'A', 'B', 'C', '4', '5', '6'].map((text) => `item 2, ${text}`));
});

test.each([
	[4915123456789, 'item 2, 4915123456789'],
	[0, 'item 2, 0'],
])('the number %j is shown as it is', (phone, expected) => {
	expect(labelOf({ phone })).toBe(expected);
});

test.each([undefined, null, '', '  ', true, {}, ['Anna'], { name: 'Anna' }])(
	'a name of %j is skipped',
	(name) => {
		expect(labelOf({ name, phone: '+4915123456789' } as JsonObject)).toBe('item 2, +4915123456789');
		expect(labelOf({ name } as JsonObject)).toBe('item 2');
	},
);

test.each([
	['<img src=x onerror=alert(1)>', '‹img src=x onerror=alert(1)›'],
	['Anna\n\u001b[31m  B', 'Anna [31m B'],
	['An\u202ena\u200b', 'Anna'],
	['={{ $env }}', "'={{ $env }}"],
	['`a` &lt;', "'a' & lt;"],
])('the hostile text %j is made plain', (name, expected) => {
	expect(labelOf({ name })).toBe(`item 2, ${expected}`);
});

test.each([
	[40, 'x'.repeat(40)],
	[41, `${'x'.repeat(40)}… (1 more characters)`],
	[5_000, `${'x'.repeat(40)}… (4960 more characters)`],
])('a name of %i characters is cut at 40', (length, expected) => {
	expect(labelOf({ name: 'x'.repeat(length) })).toBe(`item 2, ${expected}`);
});

test('names that objects have anyway are no fields', () => {
	expect(labelOf({ constructor: 'x', ['__proto__']: { name: 'Anna' } })).toBe('item 2');
	expect(itemLabel([{ json: {} }, undefined as never], 1)).toBe('item 2');
});
