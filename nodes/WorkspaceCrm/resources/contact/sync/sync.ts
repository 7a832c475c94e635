import { mapAutomatically } from '../../../domain/automaticMapping';
import { ATTRIBUTE, CONTACT_COLUMNS } from '../../../domain/contactColumns';
import { InputProblem } from '../../../domain/problem';
import { defineBulkOperation, ItemFailure } from '../../../operations/define';
import { applyAll } from './apply';
import { mergeRows, type DesiredContact } from './desired';
import { KnownContacts } from './known';
import { findCurrent } from './plan';
import { toReport } from './report';
import { readRow, tryRead, type Row } from './row';
import {
	firstParams,
	readSettings,
	syncFields,
	type SyncItem,
	type SyncSettings,
} from './syncFields';

export const sync = defineBulkOperation({
	value: 'sync',
	name: 'Sync',
	action: 'Sync contacts',
	description:
		'Create and update many contacts with as few requests as possible. Values that the CRM already has are not sent.',
	hints: [
		{
			message: `Input fields are matched by their names: ${CONTACT_COLUMNS.map(({ displayName }) => displayName).join(', ')}, and the names of attributes. Phone Number, Mobile, WhatsApp and Full Name also match. An item without a phone number can use the 'id' of a contact. Other fields are ignored, unless 'Other Columns' under 'Options' saves them as attributes. To try it without changing anything, turn on 'Dry Run' under 'Options'.`,
			when: '$parameter["columns"]?.["mappingMode"] === "autoMapInputData"',
		},
		{
			message:
				"Is a column missing here? Attributes that are objects, lists or yes/no are in the menu 'Add column to send'. Add new ones under 'Options' > 'Attributes'. To see what a run would change without changing anything, turn on 'Dry Run' under 'Options'.",
			when: '$parameter["columns"]?.["mappingMode"] !== "autoMapInputData" && !$parameter["options"]?.["attributes"] && !$parameter["options"]?.["dryRun"]',
		},
	],
	effect: 'idempotent',
	fields: syncFields,

	async executeAll(api, items, { context, runtime }) {
		const settings = readSettings(items, context.continueOnFail());
		const { rows, ignored } = readRows(items, settings);
		if (settings.stopsAtFirst) assertNoProblem(rows);

		const desired = mergeRows(rows);
		const known = new KnownContacts(api, runtime.clock, settings, rows);
		await known.read(desired);
		markProblems(rows, desired, known);
		if (settings.stopsAtFirst) assertNoProblem(rows);

		const possible = desired.filter(({ items: [first = 0] }) => !rows[first]?.problem);
		const results = await applyAll({ api, settings, known }, possible);
		const unmentioned = [...known.unmentioned.values()];
		const { requestCount: requests } = api;
		return toReport({ rows, desired: possible, results, unmentioned, settings, ignored, requests });
	},
});

/** Marks all rows of a contact as invalid if it is not certain which contact is meant. */
function markProblems(
	rows: readonly Row[],
	desired: readonly DesiredContact[],
	known: KnownContacts,
): void {
	const byId = new Map<string, DesiredContact[]>();
	const mark = (contacts: readonly DesiredContact[], problem: InputProblem) => {
		for (const item of contacts.flatMap(({ items }) => items)) {
			Object.assign(rows[item] ?? {}, { problem });
		}
	};
	for (const each of desired) {
		const current = tryRead(() => findCurrent(each, known));
		if (current instanceof InputProblem) {
			mark([each], current);
			continue;
		}
		// The row of an ID may have shown a contact that was not looked for by its phone.
		for (const { id } of current ? [current] : known.of(each)) {
			byId.set(id, [...(byId.get(id) ?? []), each]);
		}
	}
	for (const [id, same] of byId) if (same.length > 1) mark(same, givenTwice(id, same));
}

/** The order of its rows would be unclear. */
function givenTwice(id: string, contacts: readonly DesiredContact[]): InputProblem {
	const items = contacts.map(({ items: [first = 0] }) => first + 1).sort((a, b) => a - b);
	return new InputProblem(
		`Items ${items.join(' and ')} are the same contact, by its ID and by its phone number`,
		`Nothing was sent for them. Give the ID in both, or in none. The ID of the contact: ${id}`,
	);
}

/** @throws ItemFailure for the first invalid row */
function assertNoProblem(rows: readonly Row[]): void {
	for (const [item, { problem }] of rows.entries()) {
		if (problem !== undefined) throw new ItemFailure(item, problem);
	}
}

/** Reads the row of each item, in order. */
function readRows(
	items: readonly SyncItem[],
	{ otherColumns }: SyncSettings,
): { rows: Row[]; ignored: ReadonlySet<string> } {
	const schema = firstParams(items)?.columns.schema ?? [];
	const types = new Map(schema.map(({ id, type = 'string' }) => [id, type] as const));
	const attributeIds = [...types.keys()].filter((id) => id.startsWith(ATTRIBUTE));
	const mapping = mapAutomatically(attributeIds, otherColumns);
	const rows = items.map((item): Row => {
		const { columns, options = {} } = 'params' in item ? item.params : item.readable;
		const given = columns?.values ?? {};
		const values = tryRead(() => (columns?.isAutomatic ? mapping.map(given) : given));
		if (values instanceof InputProblem) return { phone: '', fields: {}, problem: values };
		return readRow(values, options, types, item.problem);
	});
	return { rows, ignored: mapping.ignored };
}
