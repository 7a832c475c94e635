import * as fc from 'fast-check';

import { CONTACT_COLUMNS } from '../../../../../nodes/WorkspaceCrm/domain/contactColumns';
import type { JsonObject } from '../../../../../nodes/WorkspaceCrm/domain/plainData';
import {
	mapAutomatically,
	type OtherColumns,
} from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/automaticMapping';

const attributeIds = ['attributes.Favourite Colour', 'attributes.plan', 'attributes.name'];

/** How one item is mapped, and which of its columns are ignored. */
function map(item: JsonObject, others: OtherColumns = 'ignore', ids = attributeIds) {
	const mapping = mapAutomatically(ids, others, [item]);
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
				.map(
					([isUpper, blank], at) =>
						(isUpper ? name[at].toUpperCase() : name[at].toLowerCase()) + blank,
				)
				.join(''),
		);

/** Names of columns, each with its column. */
const namings = [
	...CONTACT_COLUMNS.flatMap(({ id, displayName, aliases }) =>
		[id, displayName, ...(aliases?.split(', ') ?? [])].map((name) => [name, id]),
	),
	...['Favourite Colour', 'plan'].flatMap((key) =>
		[key, `attributes.${key}`, `Attribute: ${key}`].map((name) => [name, `attributes.${key}`]),
	),
];

test.each([
	['Phone No.', 'Contact Name', 'Tag', 'Opted In'],
	['Handynr.', 'Vor- und Nachname', 'Etiketten', 'Nachrichten erwünscht'],
	['Tél.', 'Nom', 'Étiquettes', 'Accepte les messages'],
	['Numéro de portable', 'Nom et prénom', 'etiquettes', 'Opt-in'],
	['Número de WhatsApp', 'Nombre', 'Etiquetas', 'Acepta mensajes'],
	['Móvil', 'Nombre y apellidos', 'ETIQUETAS', 'Acepta recibir mensajes'],
	['Celular', 'Nome', 'Etiquetas', 'Aceita mensagens'],
	['Telefone', 'Nome completo', 'Marcadores', 'Aceita receber mensagens'],
	['Cellulare', 'Nome e cognome', 'Etichette', 'opt in'],
	['No. HP', 'Nama', 'Label', 'Bersedia dihubungi'],
	['No HP', 'Nama Lengkap', 'Tag', 'Bersedia menerima pesan'],
	['Nombor Telefon', 'Nama Penuh', 'Label', 'Bersetuju menerima mesej'],
	['رقم الموبايل', 'الاسم', 'الوسوم', 'يوافق على الرسائل'],
	['मोबाइल नंबर', 'नाम', 'टैग', 'संदेश चाहिए'],
])('a list is read by the headings of its language: %s, %s, %s, %s', (...headings) => {
	const [phone, name, tags, opt_in] = headings;
	const item = { [phone]: '1', [name]: 'x', [tags]: 'y', [opt_in]: 'no' };
	const values = { phone: '1', name: 'x', tags: 'y', opt_in: 'no' };
	expect(map(item)).toEqual({ values, ignored: [] });
});

test.each([
	['Nome', 'Sobrenome'],
	['Nome', 'Cognome'],
	['Nombre', 'Apellidos'],
	['Nombre', 'Primer apellido'],
	['NOM', 'Prénom'],
])('%s beside %s is only a part of the name', (one, other) => {
	expect(map({ [one]: 'x', [other]: 'y' })).toEqual({ values: {}, ignored: [one, other] });
	// Also in an item whose surname is blank.
	const items = [{ [one]: 'x' }, { [one]: 'x', [other]: 'y' }];
	expect(mapAutomatically([], 'ignore', items).map(items[0])).toEqual({});
});

test.each([
	['Nome', 'Nome completo'],
	['Name', 'Contact Name'],
	['name', 'Full Name'],
])('%s is no name beside a %s that it does not contain', (bare, whole) => {
	expect(map({ [bare]: 'Ana', [whole]: 'Ana Souza' })).toEqual({
		values: { name: 'Ana Souza' },
		ignored: [bare],
	});
});

test('an input column goes to the field or attribute it names, however it is written', () => {
	const named = fc
		.constantFrom(...namings)
		.chain(([name, id]) => fc.tuple(written(name), fc.constant(id)))
		// If a column begins exactly like this, it names an attribute directly.
		.filter(([name, id]) => name === id || !name.startsWith('attributes.'));
	fc.assert(
		fc.property(
			named,
			fc.constantFrom<OtherColumns>('ignore', 'attributes'),
			([name, id], other) => {
				expect(map({ [name]: 'x' }, other)).toEqual({ values: { [id]: 'x' }, ignored: [] });
			},
		),
		{ numRuns: 500 },
	);
});

/** `workflow/contactSyncMapping` tests what people see. */
test.each<[string, JsonObject, JsonObject, string[]]>([
	['a field before an attribute of its name', { name: 'x' }, { name: 'x' }, []],
	['an attribute that says so', { 'Attribute: name': 1 }, { 'attributes.name': 1 }, []],
	['a new attribute', { 'attributes.shoe size': 1 }, { 'attributes.shoe size': 1 }, []],
	['no attribute without a name', { 'attributes.': 1, '': 1 }, {}, ['attributes.', '']],
	['attributes as a whole', { attributes: { a: 1 } }, { attributes: { a: 1 } }, []],
	['the same number twice', { Mobile: '1', WhatsApp: '1' }, { phone: '1' }, []],
	['the same number in two columns', { PHONE: '3', phone: '3' }, { phone: '3' }, []],
	['an ID where there is no phone', { contact_id: 'x' }, { id: 'x' }, []],
	['the ID of its own record', { id: 'x', opt_in_status: 'none', created: 1 }, { id: 'x' }, []],
	['no ID of something else', { ID: 'x', customer_id: 'y' }, {}, ['ID', 'customer_id']],
	['no ID beside a phone', { id: 'x', Mobile: '+1' }, { phone: '+1' }, ['id']],
	[
		'nothing of what only the service sets, in its own records',
		{
			id: 'x',
			phone: '1',
			opt_in_status: 'none',
			created_at: 1,
			last_inbound_at: 1,
			created: true,
		},
		{ phone: '1' },
		[],
	],
	[
		'nothing of what this node adds',
		{ phone: '1', sync: { action: 'failed' }, campaign: {}, created: 1 },
		{ phone: '1' },
		[],
	],
])('an item gives %s: %j', (_case, item, values, ignored) => {
	expect(map(item)).toEqual({ values, ignored });
});

test('attributes are matched by exact name, and before another name of a field', () => {
	const ids = ['attributes.City', 'attributes.city', 'attributes.WhatsApp'];
	expect(map({ city: 1, City: 2, Mobile: '1', WhatsApp: 'yes' }, 'ignore', ids).values).toEqual({
		'attributes.city': 1,
		'attributes.City': 2,
		phone: '1',
		'attributes.WhatsApp': 'yes',
	});
});

test('any other column is ignored, and named once for all items, or is an attribute, as chosen', () => {
	const items = [
		{ a: 1, phone: '+1' },
		{ a: 1, b: 2, phone: '+2' },
	];
	const mapping = mapAutomatically([], 'ignore', items);
	expect(items.map((item) => mapping.map(item))).toEqual([{ phone: '+1' }, { phone: '+2' }]);
	expect([...mapping.ignored]).toEqual(['a', 'b']);
	expect(map({ 'Shoe Size': 42, WhatsApp: 'yes', Phone: '+1234', ' ': 2 }, 'attributes')).toEqual({
		values: { 'attributes.Shoe Size': 42, 'attributes.WhatsApp': 'yes', phone: '+1234' },
		ignored: [' '],
	});
});

test.each([
	['Telefono', 'phone'],
	['TELEFONE', 'phone'],
	['Tel.', 'phone'],
	['handy nr', 'phone'],
	['numero_de_telephone', 'phone'],
	['ΤΗΛΕΦΩΝΟ', 'phone'],
	['vollstandiger name', 'name'],
	['Phone*', 'phone'],
	['Nome:', 'name'],
	['No. HP/WA', 'phone'],
	['Aceita receber mensagens?', 'opt_in'],
	['¿Acepta mensajes?', 'opt_in'],
	['OK to text?', 'opt_in'],
	['मैसेज भेजने की सहमति', 'opt_in'],
	['Bersedia dikirimi pesan?', 'opt_in'],
])('the heading %s is the %s, also without its accents and with other marks', (heading, id) => {
	expect(map({ [heading]: 'x' }).values).toEqual({ [id]: 'x' });
});

test('the mapping says which headings were used for each column', () => {
	const items = [
		{ Telefon: '1', plan: 'a', Shoe: 1 },
		{ Handy: '2', Naam: 'Ann' },
	];
	const mapping = mapAutomatically(attributeIds, 'attributes', items);
	for (const item of items) mapping.map(item);
	expect(Object.fromEntries([...mapping.headings].map(([id, names]) => [id, [...names]]))).toEqual({
		phone: ['Telefon', 'Handy'],
		'attributes.plan': ['plan'],
		'attributes.Shoe': ['Shoe'],
		name: ['Naam'],
	});
});

test.each(['Vorname', 'Nachname', 'Prénom', 'Sobrenome', 'First Name', 'Consent', 'Labels', 'Fax'])(
	'the heading %s is not guessed',
	(heading) => expect(map({ [heading]: 'x' })).toEqual({ values: {}, ignored: [heading] }),
);

test('two fields that could be the phone are an error', () => {
	expect(() => map({ Mobile: '1', WhatsApp: '2' })).toThrow(
		"The columns 'Mobile' and 'WhatsApp' could both be 'Phone'",
	);
});

describe('fields for one column', () => {
	test.each<[JsonObject, string]>([
		[{ 'Opt In': 'yes', 'opt-in': 'no' }, 'Opt In'],
		[{ Phone: '1', PHONE: '2' }, 'Phone'],
		[{ PHONE: '3', Phone: '3', phone: '2' }, 'Phone'],
		[{ plan: 'a', Plan: 'b' }, 'Attribute: plan'],
		[{ plan: 'a', 'Attribute: plan': 'b' }, 'Attribute: plan'],
		[{ tags: ['a'], Tags: ['b'] }, 'Tags'],
		[{ 'Contact ID': 'x', id: 'y' }, 'Contact ID'],
	])('are an error if they disagree: %j', (item, label) => {
		expect(() => map(item)).toThrow(`could both be '${label}', and differ`);
	});

	test('of the same name are an error, too, if they become attributes', () => {
		expect(() => map({ 'Shoe Size': 1, 'Shoe  Size': 2 }, 'attributes')).toThrow('Shoe Size');
	});

	test('that disagree are left out, and the others are read', () => {
		const failed: string[] = [];
		const item = { phone: '1', 'Opt In': 'yes', 'opt-in': 'no', name: 'Anna' };
		const mapping = mapAutomatically([], 'ignore', [item]);
		const values = mapping.map(item, (_problem, id) => failed.push(id));
		expect({ values, failed }).toEqual({
			values: { phone: '1', name: 'Anna' },
			failed: ['opt_in'],
		});
	});

	test.each<[JsonObject, OtherColumns]>([
		[{ Phone: '1', PHONE: 1 }, 'ignore'],
		[{ Phone: '1', phone: ' 1 ' }, 'attributes'],
		[{ tags: ['a'], Tags: ['a'] }, 'attributes'],
		[{ attributes: { a: 1, b: 2 }, ' attributes': { b: 2, a: 1 } }, 'attributes'],
	])('are used once if they agree: %j', (item, others) => {
		const { values, ignored } = map(item, others);
		expect(Object.keys(values)).toHaveLength(1);
		expect(ignored).toEqual([]);
	});
});
