import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import { fs, process, runInNewContext } from '../../../../tools/support/platform';
import { exportedContact, NARROWED } from './exportedContact';
import { addContact, addContacts, useSandbox, writes } from '../../support';
import { actionsOf, automatic, runSync } from './syncNode';

/** Our own export, read and synced again, changes nothing: as it is, and out of a file. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const numRuns = Number(process.env.WORLDS ?? 60);

type Cells = Record<string, unknown>;

/** Writes a record into one row, as n8n's Convert to File does: a column for each part of a list or an object. */
function flat(record: object, prefix = ''): Cells {
	const cells: Cells = {};
	for (const [name, value] of Object.entries(record)) {
		if (typeof value === 'object' && value !== null)
			Object.assign(cells, flat(value as object, `${prefix}${name}.`));
		else cells[prefix + name] = value;
	}
	return cells;
}

/** The rows of a file have all columns. */
function sameColumns(rows: Cells[]): Cells[] {
	const names = [...new Set(rows.flatMap(Object.keys))];
	return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? ''])));
}

const asXlsx = (records: object[]) => sameColumns(records.map((record) => flat(record)));

/** In a CSV file, all is text. */
const textOf = (value: unknown) =>
	typeof value === 'boolean'
		? String(value).toUpperCase()
		: (NARROWED.get(value as number) ?? String(value));
const asCsv = (records: object[]) =>
	asXlsx(records).map((row) =>
		Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])),
	);
const withMark = (rows: Cells[]) =>
	rows.map((row) =>
		Object.fromEntries(
			Object.entries(row).map(([name, value], index) => [
				index === 0 ? `\ufeff${name}` : name,
				value,
			]),
		),
	);

/** The expressions of examples/export-segment.json. */
const example = JSON.parse(fs.readFileSync('examples/export-segment.json', 'utf8')) as {
	nodes: Array<{
		parameters: { assignments?: { assignments: Array<{ name: string; value: string }> } };
	}>;
};
const assignments = example.nodes.flatMap(
	({ parameters }) => parameters.assignments?.assignments ?? [],
);
const asExample = (records: object[]) =>
	records.map((record) =>
		Object.fromEntries(
			assignments.map(({ name, value }) => {
				const code = value.slice('={{'.length, -'}}'.length);
				return [name, textOf(runInNewContext(code, { $json: record }))];
			}),
		),
	);

const FORMS: Record<string, (records: object[]) => object[]> = {
	'as it is': (records) => records,
	'an XLSX file of n8n': asXlsx,
	'a CSV file of n8n': asCsv,
	'a CSV file with a byte order mark': (records) => withMark(asCsv(records)),
	'the file of the example': asExample,
	'the file of the example with a byte order mark': (records) =>
		withMark(asExample(records) as Cells[]),
};

describe.each(['getAll', 'sync'])('the output of %s', (operation) => {
	test.each(Object.entries(FORMS))('%s changes nothing', async (_form, write) => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(exportedContact, { minLength: 1, maxLength: 3 }),
				fc.constantFrom('ignore', 'attributes'),
				async (contacts, otherColumns) => {
					sandbox.reset();
					for (const [index, each] of contacts.entries()) {
						addContact(sandbox, { ...each, phone: `+491512345678${index}` } as never);
					}
					const options = { otherColumns, tagMode: 'match' };
					const { json: all } = await runNode(sandbox, {
						parameters: { resource: 'contact', operation: 'getAll', returnAll: true },
					});
					const exported =
						operation === 'getAll' ? all : (await runSync(sandbox, all, automatic(options))).json;
					const items = write(exported) as IDataObject[];
					const dry = await runSync(sandbox, items, automatic({ ...options, dryRun: true }));
					const plans = dry.json.map(({ sync }) => sync as IDataObject);
					expect(dry.error).toBeUndefined();
					expect(plans).toEqual(
						contacts.map(() => expect.objectContaining({ action: 'unchanged' }) as unknown),
					);
					expect(writes(sandbox)).toEqual([]);
				},
			),
			{ numRuns: Math.ceil(numRuns / 3) },
		);
	});
});

test('a file of n8n creates the same contacts in another workspace', async () => {
	const phone = '+4915123456789';
	const given = {
		name: '-Anna',
		tags: ['Berlin, Mitte', 'vip'],
		attributes: { address: { city: 'Bern' }, langs: ['de', 'en'] },
	};
	addContact(sandbox, { ...given, phone, opt_in_status: 'none' });
	const { json } = await runNode(sandbox, {
		parameters: { resource: 'contact', operation: 'getAll' },
	});
	for (const write of [asXlsx, asCsv, asExample]) {
		sandbox.reset();
		const created = await runSync(
			sandbox,
			write(json) as IDataObject[],
			automatic({ otherColumns: 'attributes' }),
		);
		expect(actionsOf(created.json)).toEqual(['created']);
		expect(sandbox.store.findByPhone(phone)).toMatchObject(given);
	}
});

/** Stored, and what n8n's files make of it: another type, or fewer digits. */
test.each([
	['01067', 1067],
	['1.50', 1.5],
	['+49301234567', 49301234567],
	['TRUE', true],
	[0.8333333333333334, 0.833333333],
	[13.404953999, 13.404954],
	[0.1 + 0.2, 0.3],
	[12.5, '12.5'],
	[1.234, '1.234'],
	[600.025, '600.025'],
])('a spreadsheet that has made of %p the value %p changes nothing', async (stored, given) => {
	const phone = '+4915123456789';
	addContact(sandbox, { phone, attributes: { size: stored, sizes: [stored] } });
	const row = { phone, 'attributes.size': given, 'attributes.sizes.0': given };
	await runSync(sandbox, [row], automatic({}));
	expect(writes(sandbox)).toEqual([]);
});

test.each([
	['7', '007', '007'],
	['1.5', '1.50', '1.50'],
	['1.10', '1.1', '1.1'],
	['01067', '1067', '1067'],
	['true', 'TRUE', 'TRUE'],
	[12345678901, 12345678900, 12345678900],
	[49151234567, '49151234570', 49151234570],
	['', 0, 0],
	[12.5, '13', 13],
	[1.5, '1.1250', 1.125],
	[1.5, '0.125', 0.125],
	[12.3456789123, '12.3457', 12.3457],
	[13.404953999, '13.404955', 13.404955],
	[12345678901.2, '12345678902', 12345678902],
	[0, '', 0],
])('a number that somebody has changed is saved: %p, %p', async (stored, given, saved) => {
	const phone = '+4915123456789';
	addContact(sandbox, { phone, attributes: { size: stored } });
	const row = { phone, size: given };
	await runSync(sandbox, [row], automatic({ otherColumns: 'attributes' }));
	expect(sandbox.store.findByPhone(phone)?.attributes).toEqual({ size: saved });
});

test.each([1767230000000, '1.76723E+12'])(
	'a whole number that has lost digits is refused: %p',
	async (given) => {
		const phone = '+4915123456789';
		addContact(sandbox, { phone, attributes: { since: 1767225600123 } });
		const { json } = await runSync(
			sandbox,
			[{ phone, name: 'Anna', attributes: { since: given } }],
			automatic(),
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(json[0].error).toMatch(/rounded/);
		expect(writes(sandbox)).toEqual([]);
	},
);

describe('a list of the CRM in which somebody has changed', () => {
	const numbers = ['+4915123456780', '+4915123456781', '+4915123456782'];
	/** @param others so many more that a contact is looked up by itself */
	const exported = async (others = 0) => {
		numbers.forEach((phone, n) =>
			addContact(sandbox, { phone, name: `Name ${n}`, tags: [`t${n}`] }),
		);
		addContacts(sandbox, others);
		const { json } = await runNode(sandbox, {
			parameters: { resource: 'contact', operation: 'getAll', returnAll: true },
		});
		return json.filter(({ phone }) => numbers.includes(String(phone)));
	};
	const synced = async (items: IDataObject[]) => {
		const { json, error } = await runSync(sandbox, items, automatic({ tagMode: 'match' }), {
			settings: { onError: 'continueRegularOutput' },
		});
		expect(error).toBeUndefined();
		return json;
	};

	test.each([0, 400])('a phone number: nobody is created, beside %i others', async (others) => {
		const [first] = await exported(others);
		const [{ error }] = await synced([{ ...first, phone: '+4915199999999' }]);
		expect(error).toMatch(/does not have the phone number \+4915199999999/);
		expect(writes(sandbox)).toEqual([]);
	});

	test('the order of one column: nobody gets the data of another', async () => {
		const items = await exported();
		const moved = items.map((each, n) => ({ ...each, phone: items[(n + 1) % 3].phone }));
		const json = await synced(moved);
		expect(json.map(({ error }) => typeof error)).toEqual(['string', 'string', 'string']);
		expect(writes(sandbox)).toEqual([]);
	});

	test('a phone number, without its ID: that is a new contact', async () => {
		const [first] = await exported();
		const json = await synced([{ ...first, id: '', phone: '+4915199999999' }]);
		expect(actionsOf(json)).toEqual(['created']);
	});

	test.each([
		['in one item', 0, {}],
		['with consent', 400, { 'Opt In': 'yes' }],
		['with an opt-out', 400, { 'Opt In': 'no' }],
	])('one phone number to that of another %s: nothing is sent', async (_how, others, consent) => {
		const [first, second, third] = await exported(others);
		const moved = { ...first, ...consent, phone: second.phone };
		const json = await synced(others ? [moved, { ...third, ...consent }] : [moved]);
		expect(json[0].error).toMatch(/does not have the phone number/);
		const bodies = JSON.stringify(writes(sandbox));
		expect(bodies).not.toContain(second.id);
		expect(bodies).not.toContain(second.phone);
	});

	test.each(['phone', 'Phone of a new contact'])(
		'the column of numbers to one %s: nobody gets the data of another',
		async (which) => {
			const [first, second] = await exported(400);
			const phone = which === 'phone' ? second.phone : '+4915199999999';
			const json = await synced([
				which === 'phone' ? second : { phone, name: 'New' },
				{ ...first, phone },
			]);
			expect(json.map(({ error }) => typeof error)).toEqual(['string', 'string']);
			expect(writes(sandbox)).toEqual([]);
		},
	);

	test('a phone number beside two IDs: one of another contact is enough', async () => {
		const [first, second] = await exported(400);
		const foreign = '00000000-0000-4000-8000-000000000000';
		const json = await synced([
			{ id: foreign, 'Contact ID': first.id, phone: second.phone, name: 'X' },
		]);
		expect(json[0].error).toMatch(/does not have the phone number/);
		expect(writes(sandbox)).toEqual([]);
	});

	test('a phone number in a row with a No: no Yes is sent to the contact', async () => {
		const [first] = await exported();
		const json = await synced([
			{ ...first, phone: '+4915199999999', 'Opt In': 'no' },
			{ ...first, 'Opt In': 'yes' },
		]);
		expect(actionsOf(json)).toEqual(['invalid', 'consentWithheld']);
		expect(JSON.stringify(writes(sandbox))).not.toContain('opt_in');
	});

	test('a number among too many contacts to compare', async () => {
		const contacts = addContacts(sandbox, 12_300);
		const items = contacts.slice(-120).map((each) => ({ ...each }) as IDataObject);
		const [optedOut, ...others] = contacts.slice(-120);
		optedOut.opt_in_status = 'opted_out';
		items[0].opt_in_status = 'opted_out';
		items[1].phone = '+4915199999999';
		items[2].phone = contacts[200].phone;
		items[3].id = '';
		items[3].opt_in_status = 'opted_out';
		items[4].name = 'New';
		const json = await synced(items);
		const actions = ['unchanged', 'invalid', 'invalid', 'saved', 'updated', 'unchanged'];
		expect(actionsOf(json).slice(0, 6)).toEqual(actions);
		const notes = json.slice(0, 4).map(({ sync }) => (sync as IDataObject).note);
		expect([notes[0], notes[3]]).toEqual([undefined, undefined]);
		expect(writes(sandbox).map(({ body }) => body)).toEqual([
			expect.objectContaining({ phone: others[2].phone }),
			{ name: 'New' },
		]);
	});

	test.each(['opted_out', 'Opted Out '])(
		'the status to %p: the row and the summary say that it is not sent',
		async (status) => {
			const [first, second] = await exported();
			const { json, hints } = await runSync(
				sandbox,
				[{ ...first, opt_in_status: status }, second],
				automatic(),
			);
			const notes = json.map(({ sync }) => (sync as IDataObject).note);
			expect(notes).toEqual([expect.stringContaining("'Opt In'"), undefined]);
			expect(hints.join()).toContain('opted_out');
		},
	);
});

test.each(['+44 (0)20 7946 0958', '+1 (312) 555-0100', '+33 (0)1 23 45 67 89', '+91 98765 43210'])(
	'a contact stored as %p is found by its ID if it is looked up by itself',
	async (phone) => {
		const { id } = addContact(sandbox, { phone, name: 'Anna' });
		addContacts(sandbox, 400);
		const item = { id, phone, name: 'Anna', opt_in_status: 'none' };
		const { json } = await runSync(sandbox, [item]);
		expect(actionsOf(json)).toEqual(['unchanged']);
		expect(writes(sandbox)).toEqual([]);
	},
);

test.each([0, 400])(
	'an ID that the CRM does not have is asked for once, beside %i others',
	async (others) => {
		addContacts(sandbox, others);
		const id = '00000000-0000-4000-8000-000000000000';
		const items = [{ id, name: 'Anna' }];
		const settings = { onError: 'continueRegularOutput' as const };
		const { json } = await runSync(sandbox, items, automatic(), { settings });
		expect(json[0].error).toMatch('No contact has the ID');
		expect(sandbox.requests.filter(({ path }) => path.endsWith(id))).toHaveLength(1);
	},
);

describe('a file that was read in a wrong encoding', () => {
	const phone = '+4915123456789';
	test.each([
		['a name', { name: 'J\ufffdrgen' }, 'Name'],
		['a tag', { tags: 'Gr\ufffd\ufffde L' }, 'Tags'],
		['an attribute', { attributes: { address: { city: 'K\ufffdln' } } }, 'Attribute: address'],
	])('loses no letter of %s, and creates nobody', async (_what, fields, label) => {
		addContact(sandbox, { phone, name: 'Jürgen', tags: ['Größe L'] });
		const items = [
			{ phone, ...fields },
			{ phone: '+4915123456780', ...fields },
			{ phone: '+4915123456781', name: 'Eva' },
		];
		const { json } = await runSync(sandbox, items as IDataObject[], automatic(), {
			settings: { onError: 'continueRegularOutput' },
		});
		const message = expect.stringMatching(new RegExp(`'${label}'.*encoding`)) as unknown;
		expect(json.map(({ error }) => error)).toEqual([message, message, undefined]);
		expect(writes(sandbox)).toHaveLength(1);
	});

	test('is assumed for each field by itself', async () => {
		addContact(sandbox, { phone, name: 'Jörg', attributes: { note: 'caf\ufffd' } });
		const { json } = await runSync(sandbox, [{ phone, name: 'J\ufffdrg' }], automatic(), {
			settings: { onError: 'continueRegularOutput' },
		});
		expect(json[0].error).toMatch('encoding');
	});

	test('is not assumed where the CRM has that character itself', async () => {
		addContact(sandbox, { phone, name: 'Anna \ufffd' });
		const { json } = await runSync(sandbox, [{ phone, name: 'Anna \ufffd', tags: 'vip' }]);
		expect(actionsOf(json)).toEqual(['updated']);
	});
});

test('other columns of a list are no fields of ours', async () => {
	const row = {
		phone: '+4915123456789',
		created_at: 'May',
		'address.city': 'Bern',
		sync: 'x',
		campaign: 'y',
	};
	await runSync(sandbox, [row], automatic({ otherColumns: 'attributes' }));
	const { phone, ...others } = row;
	expect(writes(sandbox)[0].body).toMatchObject({ phone, attributes: others });
});
