import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { detailsOf } from '../../../../tools/engine/runNode';
import { ensureHost } from '../../../../tools/n8n/installHost';
import { outputItems } from '../../../../tools/n8n/n8nRestClient';
import { crmNode, manualWorkflow, node } from '../../../../tools/n8n/workflows';
import { createRequire, path } from '../../../../tools/support/platform';
import { automatic, mapped } from '../../../workflow/contact/sync/syncNode';
import { addContact, writes } from '../../../workflow/support';
import { useTestbed } from '../../useTestbed';

/** Files of people, read by n8n's own nodes: no cell is saved as a value that nobody meant. */
const bed = useTestbed();

type Format = 'csv' | 'xlsx';
type Action = 'unchanged' | 'updated' | 'invalid';
interface Row {
	/** A cell of a workbook, or the text of a CSV file. */
	cell: object | string;
	stored?: string | number;
	action: Action;
	/** What the CRM has once the cell is read, or once the advice is followed. */
	meant?: string | number;
}

const phoneOf = (index: number) => `+49151234${56000 + index}`;

interface Xlsx {
	write(book: object, options: { type: 'buffer'; bookType: Format }): Buffer;
}

async function fileOf(rows: readonly Row[], format: Format): Promise<Buffer> {
	const lines = [['Phone', 'x'], ...rows.map(({ cell }, index) => [phoneOf(index), cell])];
	if (format === 'csv') return Buffer.from(lines.map((line) => line.join(';')).join('\n'));
	const { folder } = await ensureHost();
	const { write } = createRequire(path.join(folder, 'package.json'))('@e965/xlsx') as Xlsx;
	const cells = lines.flatMap((line, y) =>
		line.map((v, x) => [`${'AB'[x]}${y + 1}`, typeof v === 'string' ? { t: 's', v } : v]),
	);
	const sheet = { '!ref': `A1:B${lines.length}`, ...Object.fromEntries(cells) } as object;
	return write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType: format });
}

// Extract from File runs the code of this node, but does not load in this n8n: a package that it needs is not installed.
const reader = (format: Format) => {
	const parameters = { fileFormat: format, options: { delimiter: ';' } };
	return node('Read', 'n8n-nodes-base.spreadsheetFile', parameters, 2);
};

const AUTOMATIC = automatic({ otherColumns: 'attributes' });

/** Syncs a file with these rows. */
async function syncFile(
	rows: readonly Row[],
	format: Format,
	{
		parameters = AUTOMATIC,
		between = [],
	}: { parameters?: INodeParameters; between?: INode[] } = {},
) {
	const file = await fileOf(rows, format);
	const toFile = { operation: 'toBinary', sourceProperty: 'file' };
	const sheet = node('Sheet', 'n8n-nodes-base.convertToFile', toFile, 1.1);
	const nodes = [sheet, reader(format), ...between];
	return await runSync(nodes, parameters, [{ file: file.toString('base64') }]);
}

async function runSync(nodes: INode[], parameters: INodeParameters, items?: IDataObject[]) {
	const sync = crmNode(parameters, { name: 'Sync', onError: 'continueRegularOutput' });
	const { rest } = bed.n8n;
	const { id } = await rest.createWorkflow(manualWorkflow([...nodes, sync], items));
	const { data } = await rest.runWorkflow(id, 'Start');
	const actions: unknown[] = [];
	const advice: string[] = [];
	for (const json of outputItems(data, 'Sync')) {
		const { item, action } = json.sync as IDataObject;
		actions[Number(item) - 1] = action;
		advice[Number(item) - 1] = detailsOf(json).description ?? '';
	}
	const hints = data.resultData.runData.Sync.flatMap((each) => each.hints ?? []);
	return { actions, advice, hints: hints.map(({ message }) => message).join() };
}

function store(rows: readonly Row[]): void {
	bed.sandbox.reset();
	for (const [index, { stored }] of rows.entries()) {
		const attributes = stored === undefined ? {} : { x: stored };
		addContact(bed.sandbox, { phone: phoneOf(index), attributes });
	}
}

const storedAt = (index: number) =>
	bed.sandbox.store.findByPhone(phoneOf(index))?.attributes.x as Row['stored'];

/** Syncs a file, expects of each row what it says, and returns the advice for it. */
async function expectRows(
	rows: readonly Row[],
	format: Format,
	how?: Parameters<typeof syncFile>[2],
) {
	const { actions, advice, hints } = await syncFile(rows, format, how);
	const got = rows.map(({ cell, stored }, at) => [cell, stored, actions[at], storedAt(at)]);
	const expected = rows.map(({ cell, stored, action, meant }) => {
		return [cell, stored, action, action === 'updated' ? meant : stored];
	});
	expect(got).toEqual(expected);
	expect(writes(bed.sandbox)).toHaveLength(
		rows.filter(({ action }) => action === 'updated').length,
	);
	return { advice, hints };
}

/** The number of a cell, its format, what Excel shows, and whether this is the number in plain digits. */
const CELLS: ReadonlyArray<readonly [number, string, string, isNumber?: boolean]> = [
	[46205, 'yyyy-mm-dd', '2026-07-02'],
	[46205, 'dd/mm/yyyy', '02/07/2026'],
	[0.15, '0%', '15%'],
	[1234.5, '#,##0.00 "€"', '1,234.50 €'],
	[600025, '#,##0', '600,025'],
	[600.025, '#,##0.000', '600.025', true],
	[7, '000', '007', true],
];

const workbook = CELLS.flatMap(([v, z, shown, isNumber]): Row[] => {
	const cell = { t: 'n', v, z };
	const meant = /y/.test(z) ? '2026-07-02' : String(v);
	return [
		{ cell, stored: shown, action: isNumber ? 'unchanged' : 'invalid', meant },
		{ cell, stored: 'another text', action: 'invalid', meant },
		{ cell, stored: v, action: 'unchanged' },
		{ cell, stored: v + 1, action: 'updated', meant: v },
		{ cell, action: 'updated', meant: v },
	];
});

test('a cell of a workbook replaces no text, and becomes one by the expression of the error', async () => {
	store(workbook);
	const { advice, hints } = await expectRows(workbook, 'xlsx');
	expect(hints).toContain('The new attribute x is stored as the number ');
	const said = new Set(advice.filter(Boolean));
	expect(said.size).toBe(1);
	const [date = '', number = ''] = [...said].join().match(/\{\{.*?\}\}/g) ?? [];
	for (const code of [date, number]) {
		const isDate = (value: Row['meant']) => value === '2026-07-02';
		const refused = workbook
			.filter(({ action, meant }) => action === 'invalid' && isDate(meant) === (code === date))
			.map(
				(row) => ({ ...row, action: row.stored === row.meant ? 'unchanged' : 'updated' }) as Row,
			);
		const x = { id: 'x', name: 'x', type: 'string', value: `=${code}` };
		const assignments = { assignments: { assignments: [x] }, includeOtherFields: true };
		const edit = node('Edit', 'n8n-nodes-base.set', assignments, 3.4);
		const parameters = mapped({ phone: '={{ $json.Phone }}', 'attributes.x': `=${code}` });
		for (const way of [{ parameters }, { between: [edit] }]) {
			store(refused);
			await expectRows(refused, 'xlsx', way);
			const { actions } = await syncFile(refused, 'xlsx', way);
			expect(new Set(actions)).toEqual(new Set(['unchanged']));
		}
	}
});

const LOCALES = ['en', 'de', 'fr', 'it', 'es', 'pt-BR', 'pl', 'en-IN', 'id', 'ar-EG'];
const OTHER = 975242.5;

/** How a locale shows numbers. */
function shownIn(locale: string): Array<readonly [number, string]> {
	const show = (number: number, options?: Intl.NumberFormatOptions) =>
		[number, new Intl.NumberFormat(locale, options).format(number)] as const;
	return [
		...[600025, 1234.5, 1234567.89, -1234.5].map((number) => show(number)),
		show(600.025, { minimumFractionDigits: 3 }),
		show(13.5, { minimumFractionDigits: 2 }),
		show(0.15, { style: 'percent' }),
		show(1234.5, { style: 'currency', currency: 'EUR' }),
	];
}

const shown = LOCALES.flatMap(shownIn);
const ofNumbers = shown.flatMap(([meant, cell]): Row[] => [
	// n8n's own files show a number in plain digits.
	{ cell, stored: meant, meant, action: Number(cell) === meant ? 'unchanged' : 'invalid' },
	{ cell, stored: OTHER, meant, action: cell === '13.50' ? 'updated' : 'invalid' },
]);
const ofTexts = [
	...shown.map(([, cell]): Row => ({ cell, stored: cell, action: 'unchanged' })),
	...shownIn('de').flatMap(([, cell]): Row[] => [
		{ cell, stored: 'another text', meant: cell, action: 'updated' },
		{ cell, meant: cell, action: 'updated' },
	]),
];

test('a text of a CSV file is the text of the CRM, as ten locales show numbers', async () => {
	store(ofTexts);
	await expectRows(ofTexts, 'csv');
});

/** The refused rows, with the form of their number that the advice names. */
function corrected(rows: readonly Row[], advice: readonly string[]): Row[] {
	const all = rows.flatMap(({ stored, meant, action }, index): Row[] => {
		if (action !== 'invalid') return [];
		const [, forms = ''] = /in plain digits, such as (.*?)\. /.exec(advice[index]) ?? [];
		// The advice for a percentage, an amount or Arabic digits only shows what plain digits are.
		const isGeneral = forms === '12 or -1.5';
		const form = forms.split(' or ').find((each) => Number(each) === meant);
		const cell = isGeneral ? String(meant) : (form ?? `no form for ${meant}: ${forms}`);
		if (stored === meant) return [{ cell, stored, meant, action: 'unchanged' }];
		return [{ cell, stored, meant, action: cell === '600.025' ? 'invalid' : 'updated' }];
	});
	// Each form once: the service takes 120 requests a minute.
	return [...new Map(all.map((row) => [`${row.cell} ${row.stored}`, row])).values()];
}

test('a text of a CSV file is no number unless it is in plain digits, as the error says', async () => {
	store(ofNumbers);
	const { advice } = await expectRows(ofNumbers, 'csv');
	const first = corrected(ofNumbers, advice);
	store(first);
	const second = corrected(first, (await expectRows(first, 'csv')).advice);
	// In Latin digits, 600.025 may still be a grouped number.
	expect(second.map(({ cell }) => cell)).toEqual(['600.0250']);
	store(second);
	await expectRows(second, 'csv');
});

test.each(['csv', 'xlsx'] as const)(
	'a %s file of n8n with these values changes nothing',
	async (format) => {
		const rows = [...workbook, ...ofNumbers, ...ofTexts];
		store(rows);
		const nodes = [
			crmNode({ resource: 'contact', operation: 'getAll', returnAll: true }, { name: 'Export' }),
			node('Write', 'n8n-nodes-base.convertToFile', { operation: format }, 1.1),
			{ ...reader(format), parameters: { fileFormat: format } },
		];
		const { actions } = await runSync(nodes, AUTOMATIC);
		expect(actions).toEqual(rows.map(() => 'unchanged'));
		expect(writes(bed.sandbox)).toEqual([]);
	},
);
