import type { IExecuteFunctions } from 'n8n-workflow';

import { CONTACT_COLUMNS } from '../../../domain/contactColumns';
import { InputProblem } from '../../../domain/inputProblem';
import { isNothing, plainEntries } from '../../../domain/plainData';
import { assertWholeList } from '../../../n8n/wholeList';
import { defineBulkOperation, optionsOf } from '../../../operations/define';
import { memoryOf, progressOf } from '../../../operations/engine';
import type { SyncResult } from './syncResult';
import { toReport } from './report';
import { readRows, type Row } from './row';
import { syncContacts } from './allContacts';
import { syncFields } from './syncFields';

const FIRST =
	"To see what a run would change, turn on 'Dry Run' under 'Options'. If phone numbers have no country code, set 'Default Country' there.";

export const sync = defineBulkOperation({
	value: 'sync',
	name: 'Sync',
	action: 'Sync contacts',
	description:
		'Create and update many contacts with as few requests as possible. Values that the CRM already has are not sent.',
	hints: [
		{
			message: `${FIRST} Input fields are matched by their names: ${CONTACT_COLUMNS.map(({ displayName }) => displayName).join(', ')}, and the names of attributes. The names need not be exactly these: usual headings such as Mobile, Handynummer, Téléphone, Celular and Full Name match, too. An item without a phone number can use the 'id' of a contact. Other fields are ignored, unless 'Other Columns' under 'Options' saves them as attributes.`,
			when: '$parameter["columns"]?.["mappingMode"] === "autoMapInputData"',
		},
		{
			message: `${FIRST} Is a column missing under 'Values to Sync'? Attributes that are objects, lists or yes/no are in the menu 'Add column to send'. Add new ones under 'Options' > 'Attributes'.`,
			when: '$parameter["columns"]?.["mappingMode"] !== "autoMapInputData" && !$parameter["options"]?.["attributes"] && !$parameter["options"]?.["dryRun"]',
		},
	],
	effect: 'idempotent',
	takes: 'all',
	fields: syncFields,
	searchHint:
		'To bring a list of contacts in, use Contact > Sync once for all items, not a loop with Create or Update.',

	async executeAll(api, items, run) {
		const { context } = run;
		const options = optionsOf(items) ?? {};
		const continues = context.continueOnFail();
		const isStopping = !continues && !options.dryRun;
		const stopsAtFirst = isStopping && (options.stopAtFirstProblem ?? false);
		if (options.missing === 'output') assertWholeList(context, items.length);
		const inputs = context.getInputData().map(({ json }) => json);
		const { rows, ...unused } = readRows(items, options, inputs);
		readSheet(context, rows);
		const memory = {
			of: memoryOf<SyncResult>(context),
			progress: (contacts: number) => progressOf(run, contacts),
		};
		const synced = await syncContacts(api, rows, { ...options, stopsAtFirst }, memory);
		const report = toReport({ rows, inputs, ...synced, options, ...unused, continues });
		const { doubt, outcomes, summary = '' } = report;
		// The error of an item has the summary, which says it, too.
		if (doubt && isStopping && outcomes.every((outcome) => outcome?.error === undefined))
			throw new InputProblem(doubt, `All items are synced. ${summary.replaceAll('<br>', ' ')}`);
		return report;
	},
});

/** What the items of a sheet say beside their columns: the number of the row, and that it is blank. */
function readSheet(context: IExecuteFunctions, rows: readonly Row[]): void {
	const isNamed = ({ id, typedPhone }: Row) => id !== undefined || typedPhone !== undefined;
	const isAnyNamed = rows.some(isNamed);
	for (const row of rows) {
		const { json = {}, binary } = context.getInputData()[row.item] ?? {};
		if (typeof json.row_number === 'number') row.rowNumber = json.row_number;
		if (isNamed(row)) continue;
		const cells = (plainEntries(json) ?? []).filter(([name]) => name !== 'row_number');
		const areBlank = cells.every(([, cell]) => isNothing(cell));
		row.isEmpty = areBlank && binary === undefined;
		// It may still have mapped values, such as a fixed source.
		if (!isAnyNamed || !areBlank || cells.length === 0) continue;
		row.isBlank = true;
		row.problem = undefined;
	}
}
