import * as fc from 'fast-check';

import type { JsonObject } from '../../../nodes/WorkspaceCrm/domain/json';
import {
	CONTACT_COLUMNS,
	mapAutomatically,
	type OtherColumns,
} from '../../../nodes/WorkspaceCrm/domain/contactColumns';

const attributeIds = ['attributes.Favourite Colour', 'attributes.plan', 'attributes.name'];

/** What becomes of one item, and which of its columns are ignored. */
function map(item: JsonObject, others: OtherColumns = 'ignore', ids = attributeIds) {
	const mapping = mapAutomatically(ids, others);
	return { values: mapping.map(item), ignored: [...mapping.ignored] };
}

/** A name as people write it: in any case, with blanks, dashes and underscores anywhere. */
const written = (name: string) =>
	fc
		.array(fc.tuple(fc.boolean(), fc.constantFrom('', '', ' ', '_', '-', '\t')), {
			minLength: name.length,
			maxLength: name.length,
		})
		.map((changes) =>
			changes
				.map(([isUpper, blank], index) => {
					const character = name[index];
					return (isUpper ? character.toUpperCase() : character.toLowerCase()) + blank;
				})
				.join(''),
		);

describe('an input column', () => {
	it('goes to the field of a contact whose id or label it has, however it is written', () => {
		const named = fc
			.constantFrom(
				...CONTACT_COLUMNS.flatMap(({ id, displayName }) => [
					[id, id],
					[displayName, id],
				]),
			)
			.chain(([text, id]) => fc.tuple(written(text), fc.constant(id)));
		fc.assert(
			fc.property(
				named,
				fc.constantFrom<OtherColumns>('ignore', 'attributes'),
				([name, id], others) => {
					expect(map({ [name]: 'x' }, others)).toEqual({ values: { [id]: 'x' }, ignored: [] });
				},
			),
			{ numRuns: 500 },
		);
	});

	it('goes to the attribute that it names, with or without saying that it is one', () => {
		const named = fc
			.constantFrom('Favourite Colour', 'plan')
			.chain((key) =>
				fc.tuple(
					fc.oneof(written(key), written(`attributes.${key}`), written(`Attribute: ${key}`)),
					fc.constant(`attributes.${key}`),
				),
			)
			// With this beginning, exactly so written, a column names an attribute by itself.
			.filter(([name, id]) => name === id || !name.startsWith('attributes.'));
		fc.assert(
			fc.property(named, ([name, id]) => {
				expect(map({ [name]: 'x' })).toEqual({ values: { [id]: 'x' }, ignored: [] });
			}),
			{ numRuns: 500 },
		);
	});

	it('of the name of a contact field is that field, also when an attribute is called so', () => {
		expect(map({ name: 'x' }).values).toEqual({ name: 'x' });
		expect(map({ 'attributes.name': 'x' }).values).toEqual({ 'attributes.name': 'x' });
		expect(map({ 'Attribute: name': 'x' }).values).toEqual({ 'attributes.name': 'x' });
	});

	it('goes to the attribute of its very name when others are called almost the same', () => {
		const ids = ['attributes.City', 'attributes.city', 'attributes.CITY'];
		expect(map({ city: 1, City: 2, CITY: 3 }, 'ignore', ids).values).toEqual({
			'attributes.city': 1,
			'attributes.City': 2,
			'attributes.CITY': 3,
		});
	});

	it('that begins with "attributes." is an attribute, also a new one', () => {
		expect(map({ 'attributes.shoe size': 42 })).toEqual({
			values: { 'attributes.shoe size': 42 },
			ignored: [],
		});
		expect(map({ 'attributes.': 1, 'my attributes.x': 2 })).toEqual({
			values: {},
			ignored: ['attributes.', 'my attributes.x'],
		});
	});

	it('called attributes goes as a whole', () => {
		const attributes = { plan: 'x' };
		expect(map({ attributes })).toEqual({ values: { attributes }, ignored: [] });
	});

	it.each(['created_at', 'last_inbound_at', 'opt_in_status', 'created', 'sync'])(
		'that the service or this node sets goes nowhere, and nothing is said of it: %s',
		(name) => {
			for (const others of ['ignore', 'attributes'] as const) {
				expect(map({ [name]: 'x' }, others)).toEqual({ values: {}, ignored: [] });
			}
		},
	);
});

describe('the ID of a contact', () => {
	it.each(['id', 'Contact ID', 'contact_id', 'contactId'])(
		'is %s, in an item without a phone',
		(name) => {
			for (const others of ['ignore', 'attributes'] as const) {
				expect(map({ [name]: 'x', phone: ' ' }, others)).toEqual({
					values: { id: 'x' },
					ignored: [],
				});
				const values = { phone: '+1' };
				const { values: mapped } = map({ [name]: 'x', Mobile: '+1' }, others);
				expect(mapped).toMatchObject(values);
				expect(mapped).not.toHaveProperty('id');
			}
		},
	);

	it('is the field id, where there are more', () => {
		expect(map({ 'Contact ID': 'x', id: 'y' })).toEqual({
			values: { id: 'y' },
			ignored: ['Contact ID'],
		});
	});

	it.each(['ID', 'Id', 'i d', 'customer_id'])('may not be what is called %s', (name) => {
		expect(map({ [name]: 'x' })).toEqual({ values: {}, ignored: [name] });
	});
});

describe('any other input column', () => {
	it('is ignored, and that is told, or is an attribute, as the user chooses', () => {
		const item = { 'Shoe Size': 42, Phone: '+1', 'Last Order': 'x' };
		expect(map(item, 'ignore')).toEqual({
			values: { phone: '+1' },
			ignored: ['Shoe Size', 'Last Order'],
		});
		expect(map(item, 'attributes')).toEqual({
			values: { 'attributes.Shoe Size': 42, phone: '+1', 'attributes.Last Order': 'x' },
			ignored: [],
		});
	});

	it('without a name is never an attribute', () => {
		expect(map({ '': 1, ' ': 2 }, 'attributes')).toEqual({ values: {}, ignored: ['', ' '] });
	});

	it('is told once, for all items together', () => {
		const mapping = mapAutomatically([], 'ignore');
		expect(mapping.map({ a: 1, phone: '+1' })).toEqual({ phone: '+1' });
		expect(mapping.map({ a: 1, b: 2, phone: '+2' })).toEqual({ phone: '+2' });
		expect([...mapping.ignored]).toEqual(['a', 'b']);
	});

	it('is not told as long as it holds nothing', () => {
		expect(map({ a: '', b: ' ', c: null, d: undefined })).toEqual({ values: {}, ignored: [] });
	});
});

describe('several input columns for one field', () => {
	it('give the value of the one with its very name, else of the first', () => {
		expect(map({ Phone: '1', phone: '2', PHONE: '3' }).values).toEqual({ phone: '2' });
		expect(map({ PHONE: '3', Phone: '1' }).values).toEqual({ phone: '3' });
		expect(map({ phone: '2', Phone: '1' }).values).toEqual({ phone: '2' });
	});

	it('give the value of one that is not blank', () => {
		expect(map({ phone: ' ', Phone: '1' }).values).toEqual({ phone: '1' });
		expect(map({ phone: null, Phone: 0 }).values).toEqual({ phone: 0 });
	});
});

describe('another name of a column', () => {
	const aliases = CONTACT_COLUMNS.flatMap(({ id, aliases: others = [] }) =>
		others.map((alias) => [alias, id] as const),
	);

	it.each(aliases)('"%s" goes to it, however it is written', (alias, id) => {
		fc.assert(
			fc.property(written(alias), (name) => {
				expect(map({ [name]: 'x' })).toEqual({ values: { [id]: 'x' }, ignored: [] });
			}),
			{ numRuns: 20 },
		);
	});

	it('is a column like any other where the column has a value by its own name', () => {
		const item = { Mobile: '2', Phone: '1' };
		expect(map(item)).toEqual({ values: { phone: '1' }, ignored: ['Mobile'] });
		expect(map(item, 'attributes').values).toEqual({ phone: '1', 'attributes.Mobile': '2' });
	});

	it('is the attribute that has it, if one has', () => {
		const item = { Mobile: '1', WhatsApp: 'yes' };
		expect(map(item, 'ignore', ['attributes.WhatsApp'])).toEqual({
			values: { phone: '1', 'attributes.WhatsApp': 'yes' },
			ignored: [],
		});
	});

	it('may come twice with the same value, and not with two', () => {
		expect(map({ Mobile: '1', WhatsApp: '1' }).values).toEqual({ phone: '1' });
		expect(() => map({ Mobile: '1', WhatsApp: '2' })).toThrow(
			"The input fields 'Mobile' and 'WhatsApp' could both be the phone",
		);
		expect(map({ Mobile: '1', WhatsApp: ' ' }).values).toEqual({ phone: '1' });
	});
});
