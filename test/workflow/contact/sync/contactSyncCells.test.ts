import type { IDataObject } from 'n8n-workflow';

import { detailsOf } from '../../../../tools/engine/runNode';
import { addContact, useSandbox, writes } from '../../support';
import { actionsOf, automatic, mapped, runSync } from './syncNode';

/** What a cell means beside the value that the CRM has: nothing is guessed, and the error says what to write. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const continues = { onError: 'continueRegularOutput' } as const;
const stored = () => sandbox.store.findByPhone(phone);
const withMark = automatic({ otherColumns: 'attributes' });

async function refusal(row: IDataObject, parameters = withMark) {
	const { json } = await runSync(sandbox, [{ phone, ...row }], parameters, continues);
	expect([row, actionsOf(json), writes(sandbox)]).toEqual([row, ['invalid'], []]);
	return `${String(json[0].error)}. ${String(detailsOf(json[0]).description)}`;
}

describe('a number over a text', () => {
	test.each([
		['2026-07-02', 46205],
		['15%', 0.15],
		['1,234.50 €', 1234.5],
		['12,5', 12.5],
		['007', 8],
		['4111111111111111', 4111111111111110],
		['0049 30 1234', 49301234],
		['yes', 1],
		['7 ', 8],
		['1e3', 8],
		['=1+1', 2],
	])('%p is refused: %p', async (text, number) => {
		addContact(sandbox, { phone, attributes: { x: text, deep: { x: text }, list: [text] } });
		for (const name of ['x', 'attributes.x', 'attributes.deep.x', 'attributes.list.0']) {
			const said = await refusal({ [name]: number, 'sync.action': 'updated' });
			expect(said).toContain(`is ${number}, but the CRM has "${text}", which is text.`);
			expect(said).toContain('{{ $json.x?.toString() }}');
		}
	});

	test('that is followed as advised becomes a date, or the number as text', async () => {
		addContact(sandbox, { phone, attributes: { x: '2026-06-30' } });
		const said = await refusal({ x: 46205 });
		const [date, number] = said.match(/\{\{.*? \}\}/g) ?? [];
		const cells = [{ x: 46205 }, {}, { x: null }, { x: '' }, { x: 'May' }, { x: 46206.75 }];
		for (const [code, ...expected] of [
			[date, '2026-07-02', 'May', '2026-07-03'],
			[number, '46205', 'May', '46206.75'],
		]) {
			sandbox.reset();
			const items = cells.map((cell, index) => ({ ...cell, phone: `+491512345678${index}` }));
			const columns = mapped({ phone: '={{ $json.phone }}', 'attributes.x': `=${code}` });
			await runSync(sandbox, items, columns);
			const [first, second, third] = expected.map((x) => ({ attributes: { x } }));
			const blank = { attributes: {} };
			const attributes = [...sandbox.store.contacts.values()].map((each) => each.attributes);
			expect(attributes).toEqual(
				[first, blank, blank, blank, second, third].map((each) => each.attributes),
			);
		}
	});

	test.each([
		['7', 8, '8'],
		['7', 7, '7'],
		['2024', 2025.5, '2025.5'],
		['-1.5', -1, '-1'],
	])('%p that is a plain number is saved as text: %p', async (text, number, saved) => {
		addContact(sandbox, { phone, source: text, attributes: { x: text } });
		await runSync(sandbox, [{ phone, source: number, x: number }], withMark);
		expect(stored()).toMatchObject({ source: saved, attributes: { x: saved } });
	});

	test.each(['name', 'source', 'locale'])('is refused as %s, too', async (field) => {
		addContact(sandbox, { phone, [field]: 'Maria' });
		expect(await refusal({ [field]: 46205 })).toMatch(/is 46205, but the CRM has "Maria"/);
	});

	test('is text where the field was empty', async () => {
		addContact(sandbox, { phone, source: '2024' });
		await runSync(sandbox, [{ phone, source: 2024, name: 7 }]);
		expect(stored()).toMatchObject({ name: '7', source: '2024' });
	});

	test('as a proof of consent is refused, and as text it is sent', async () => {
		addContact(sandbox, { phone, opt_in_status: 'none' });
		const said = await refusal({ opt_in: 'yes', consent_proof: 46205 });
		expect(said).toContain("'Consent Proof' is 46205, which is no text");
		await runSync(sandbox, [{ phone, opt_in: 'yes', consent_proof: '46205' }]);
		expect(sandbox.store.consentTrail).toMatchObject([{ consent_proof: '46205' }]);
	});
});

describe('a text over a number', () => {
	/** As countries show 600025, 600.025, 13.5, 1234.5 and 1234567.89. */
	test.each([
		['600.025', '600025 or 600.0250'],
		['600,025', '600025 or 600.0250'],
		['13,50', '13.50'],
		['1,234.5', '1234.5'],
		['1.234,5', '1234.5'],
		['1 234,5', '1234.5'],
		['1\u202f234,5', '1234.5'],
		['1\u2019234.5', '1234.5'],
		["1'234.5", '1234.5'],
		['1.234.567,89', '1234567.89'],
		['12,34,567.89', '1234567.89'],
		['1.234.567', '1234567'],
		['-1.234', '-1234 or -1.2340'],
		['0,5', '0.5'],
		['007', '7'],
	])('%s is refused, and is read as it is advised: %s', async (text, forms) => {
		addContact(sandbox, { phone, attributes: { x: 975242.5 } });
		expect(await refusal({ x: text })).toContain(`in plain digits, such as ${forms}. `);
		for (const form of forms.split(' or ')) {
			await runSync(sandbox, [{ phone, x: form }], withMark);
			expect(stored()?.attributes).toEqual({ x: Number(form) });
		}
	});

	test.each(['15%', '1,234.50 €', '$12', 'N/A', 'twelve', '0x1F', '1,2,3x', '٣'])(
		'%s is refused, and is stored from JSON',
		async (text) => {
			addContact(sandbox, { phone, attributes: { x: 12 } });
			expect(await refusal({ x: text })).toContain('such as 12 or -1.5');
			const attributesJson = '={{ { "x": $json.x } }}';
			await runSync(sandbox, [{ phone, x: text }], automatic({ attributesJson }));
			expect(stored()?.attributes).toEqual({ x: text });
		},
	);

	test.each([
		['1.234', 1234],
		['1,234', 1234],
		['1.10', '1.1'],
		['007', '7'],
	])('%p is not the same as %p', async (text, before) => {
		addContact(sandbox, { phone, attributes: { x: before } });
		const { json } = await runSync(sandbox, [{ phone, x: text }], withMark, continues);
		expect(actionsOf(json)).not.toEqual(['unchanged']);
	});

	test('follows the same rule where only the column is of numbers', async () => {
		const columns = () =>
			mapped(
				{ phone: '={{ $json.phone }}', 'attributes.x': '={{ $json.x }}' },
				{},
				{
					'attributes.x': 'number',
				},
			);
		for (const x of ['600.025', '13,50']) {
			sandbox.reset();
			expect(await refusal({ x }, columns())).toContain('in plain digits');
		}
		await runSync(sandbox, [{ phone, x: '13.50' }], columns());
		expect(stored()?.attributes).toEqual({ x: 13.5 });
		sandbox.reset();
		addContact(sandbox, { phone, attributes: { x: 600.025 } });
		const { json } = await runSync(sandbox, [{ phone, x: '600.025' }], columns());
		expect(actionsOf(json)).toEqual(['unchanged']);
	});
});

test.each<[unknown, unknown, string]>([
	[true, 'maybe', 'neither yes nor no'],
	[true, 2, 'neither yes nor no'],
	[false, 0.5, 'neither yes nor no'],
	[5, true, "'Attributes (JSON)'"],
	[['de'], 'de, en', 'a JSON array'],
	[{ city: 'Bern' }, 'Bern', 'not a JSON object'],
	['Bern', { city: 'Bern' }, "'Attributes (JSON)'"],
	[['de'], { a: 1 }, "'Attributes (JSON)'"],
	[5, ['5'], "'Attributes (JSON)'"],
])('over %j, another kind of value is refused: %j', async (before, given, advice) => {
	addContact(sandbox, { phone, attributes: { x: before } });
	expect(await refusal({ attributes: { x: given } } as IDataObject)).toContain(advice);
	const attributesJson = '={{ { "x": $json.x } }}';
	await runSync(sandbox, [{ phone, x: given }] as IDataObject[], automatic({ attributesJson }));
	expect(stored()?.attributes).toEqual({ x: given });
});

test.each([
	[true, 1, 'unchanged', true],
	[true, 0, 'updated', false],
	[false, 1, 'updated', true],
	[false, 0, 'unchanged', false],
])('over %j, the number %j is yes or no', async (before, given, action, after) => {
	addContact(sandbox, { phone, attributes: { x: before } });
	const { json } = await runSync(sandbox, [{ phone, x: given }], withMark);
	expect(actionsOf(json)).toEqual([action]);
	expect(stored()?.attributes).toEqual({ x: after });
});

test('a part of a file is refused where the CRM has a text', async () => {
	addContact(sandbox, { phone, attributes: { address: 'Bern' } });
	const said = await refusal({ 'attributes.address.city': 'Köln', 'sync.action': 'x' });
	expect(said).toContain('but the CRM has "Bern"');
});

describe('the summary', () => {
	test('names the cells that are written otherwise, but are the same', async () => {
		addContact(sandbox, { phone, name: '-Anna', attributes: { a: '007', b: 0.1 + 0.2, c: 5 } });
		const row = { phone, name: "'-Anna", a: 7, b: '0.3', c: '5' };
		const { json, hints } = await runSync(sandbox, [row], withMark);
		expect(actionsOf(json)).toEqual(['unchanged']);
		expect(hints[0]).toContain(`<br>Name stays "-Anna": "'-Anna" means the same.<br>`);
		expect(hints[0].match(/ stays .{1,30} means the same/g)).toHaveLength(4);
		const [one] = (await runSync(sandbox, [{ phone, a: 7 }], withMark)).hints;
		expect(one).toContain('<br>Attribute: a stays "007": 7 means the same.');
	});

	test('does not count cells as they are in the CRM', async () => {
		addContact(sandbox, { phone, name: 'Anna', attributes: { a: '007', b: 5 } });
		const { hints } = await runSync(sandbox, [{ phone, name: ' Anna', a: '007', b: 5 }], withMark);
		expect(hints.join()).not.toContain('differently');
	});

	test('shows numbers of new attributes, each column once', async () => {
		const rows = [26092, 26093].map((day, n) => ({
			phone: `+491512345678${n}`,
			Lahir: day,
			Rabatt: 0.1,
			name: 7,
		}));
		const { hints } = await runSync(sandbox, rows, withMark);
		expect(hints[0]).toContain(
			'<br>2 contacts, for example: The new attribute Lahir is stored as the number 26092, which may be a date.<br>2 contacts: The new attribute Rabatt is stored as the number 0.1, which may be a date.',
		);
	});
});

/** `text` as readers show it that take UTF-8 for Windows-1252 or ISO 8859-1. */
const HIGH = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const misread = (text: string, isLatin1 = false) =>
	Array.from(Buffer.from(text), (byte) =>
		byte >= 0x80 && byte < 0xa0 && !isLatin1 ? HIGH[byte - 0x80] : String.fromCharCode(byte),
	).join('');

test.each(['Don\u0092t', 'An\0na', 'a\u001bb'])(
	'the control character in %j is refused, and unchanged if the CRM has it',
	async (name) => {
		addContact(sandbox, { phone, name: 'Maria' });
		for (const row of [{ name }, { tags: `vip,${name}` }, { city: name }])
			expect(await refusal(row)).toContain('was read in a wrong encoding');
		sandbox.reset();
		addContact(sandbox, { phone, name, tags: [name], attributes: { city: name } });
		const { json } = await runSync(sandbox, [{ phone, name, tags: [name], city: name }], withMark);
		expect(actionsOf(json)).toEqual(['unchanged']);
	},
);

describe('letters that were read in a wrong encoding', () => {
	const NAMES = [
		...['Müller', 'Martí', 'Nicolà', 'José', 'Łukasz', 'Ünal', 'Đặng Thị', 'أحمد', 'आशा'],
		...['王伟', '김민준', 'Ελένη', 'Дмитрий', 'Anna 🎉', 'O’Neill', 'Şule'],
	];
	test.each(NAMES)('in %s are refused, and unchanged if the CRM has them', async (name) => {
		for (const wrong of [misread(name), misread(name, true)]) {
			sandbox.reset();
			addContact(sandbox, { phone, name: 'Maria' });
			for (const row of [{ name: wrong }, { tags: `vip,${wrong}` }, { city: wrong }])
				expect(await refusal(row)).toContain('was read in a wrong encoding');
			expect(await refusal({ opt_in: 'yes', consent_proof: wrong })).toContain('encoding');
			sandbox.reset();
			addContact(sandbox, { phone, name: wrong, tags: [wrong], attributes: { city: wrong } });
			const row = { phone, name: wrong, tags: [wrong], city: wrong };
			const { json } = await runSync(sandbox, [row], withMark);
			expect(actionsOf(json)).toEqual(['unchanged']);
		}
		sandbox.reset();
		await runSync(sandbox, [{ phone, name, tags: [name], city: name }], withMark);
		expect(stored()).toMatchObject({ name, tags: [name], attributes: { city: name } });
	});

	test.each(['naïve', 'JOSÉ', 'IRMÃ', 'Ângela', '20 °C', '5 €', 'São João', '«Ã»', 'Ÿ', '™'])(
		'%s is no such text',
		async (name) => {
			await runSync(sandbox, [{ phone, name }]);
			expect(stored()?.name).toBe(name);
		},
	);
});

/** https://pandas.pydata.org/docs/reference/api/pandas.read_csv.html, `na_values`, and what databases write. */
const NO_VALUES = [
	...[
		'NULL',
		'N/A',
		'nan',
		'None',
		'\\N',
		'<NA>',
		'-',
		' - ',
		'n/a',
		'NA',
		'#NA',
		'#N/A N/A',
		'null',
	],
	...['NaN', '-NaN', '-nan', '1.#IND', '-1.#IND', '1.#QNAN', '-1.#QNAN'],
];

describe('a cell that says that there is no value', () => {
	test.each(NO_VALUES)('%p is blank, but in an attribute it is a text', async (cell) => {
		addContact(sandbox, { phone, name: 'Maria', locale: 'de', source: 'shop', tags: ['vip'] });
		const row = { phone, name: cell, locale: cell, source: cell, tags: cell };
		const { json, hints } = await runSync(sandbox, [row], automatic({ tagMode: 'match' }));
		expect(actionsOf(json)).toEqual(['unchanged']);
		if (cell !== 'null' && cell !== 'NaN' && cell !== '-NaN')
			expect(hints[0]).toContain(
				`4 cells '${cell.trim().replace('<', '‹').replace('>', '›')}' read as blank`,
			);
		await runSync(sandbox, [{ ...row, phone: '+4915123456780' }]);
		expect(stored()).toMatchObject({ name: 'Maria', tags: ['vip'] });
	});

	test('is a text of an attribute', async () => {
		await runSync(sandbox, [{ phone, tags: 'N/A', plan: 'None' }], withMark);
		expect(stored()).toMatchObject({ tags: [], attributes: { plan: 'None' } });
	});

	test('is unchanged where the CRM has it', async () => {
		addContact(sandbox, { phone, name: 'NULL', tags: ['N/A', 'vip'] });
		const row = { phone, name: 'NULL', tags: 'N/A, vip' };
		const { json } = await runSync(sandbox, [row], automatic({ tagMode: 'match' }));
		expect(actionsOf(json)).toEqual(['unchanged']);
		expect(stored()?.tags).toEqual(['N/A', 'vip']);
	});

	test.each(['Nan', 'Null', 'None Smith', 'Na', 'NONE', '—x', 'nancy'])(
		'%p is a name',
		async (name) => {
			await runSync(sandbox, [{ phone, name }]);
			expect(stored()?.name).toBe(name);
		},
	);

	test.each(['Loading...', '#BUSY!', '#ARG!', ' Loading... '])(
		'%p is refused in every column',
		async (cell) => {
			for (const name of ['name', 'tags', 'source', 'locale', 'plan', 'consent_proof'])
				expect(await refusal({ [name]: cell })).toContain('the sheet has an error in this cell');
		},
	);
});

test.each([
	['1.234.567', 1, '1234567'],
	['1,00,000', 1, '100000'],
	['0,005', 1, '0.005'],
	['1.234,567', 1, '1234.567'],
	['00,50', 1, '0.50'],
	['007,125', 1, '7.1250'],
])(
	'%s over a number is advised in the only way that it can be meant',
	async (text, number, form) => {
		addContact(sandbox, { phone, attributes: { x: number } });
		expect(await refusal({ x: text })).toContain(`such as ${form}. `);
		await runSync(sandbox, [{ phone, x: form }], withMark);
		expect(stored()?.attributes).toEqual({ x: Number(form) });
	},
);

test.each(['name', 'source', 'locale'])(
	'yes or no over the text of %s is refused',
	async (field) => {
		addContact(sandbox, { phone, [field]: 'Maria' });
		expect(await refusal({ [field]: true })).toMatch(/is true, but the CRM has "Maria"/);
	},
);

test('yes or no as a proof of consent is refused', async () => {
	addContact(sandbox, { phone, opt_in_status: 'none' });
	expect(await refusal({ opt_in: 'yes', consent_proof: true })).toContain(
		'is true, which is no text',
	);
});

test.each(['#REF!, vip', 'vip, Loading...', '["#N/A"]'])(
	'the error of a sheet within the tags %s is refused',
	async (tags) => {
		addContact(sandbox, { phone });
		expect(await refusal({ tags })).toMatch(/the sheet has an error/);
	},
);

test('"NA" is no tag as the whole cell, and one among others', async () => {
	addContact(sandbox, { phone, tags: [] });
	await runSync(sandbox, [{ phone, tags: 'NA' }]);
	expect(stored()?.tags).toEqual([]);
	await runSync(sandbox, [{ phone, tags: 'EMEA, NA' }]);
	expect(stored()?.tags).toEqual(['EMEA', 'NA']);
});

test('a heading in a wrong encoding makes no attribute', async () => {
	addContact(sandbox, { phone, attributes: { StraÃŸe: '5' } });
	expect(await refusal({ 'GrÃ¶ÃŸe': 'L' })).toContain('wrong encoding');
	const { json } = await runSync(sandbox, [{ phone, StraÃŸe: '6' }], withMark);
	expect(actionsOf(json)).toEqual(['updated']);
});
