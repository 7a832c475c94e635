import { mapAutomatically } from '../../../domain/automaticMapping';
import { ATTRIBUTE, CONTACT_COLUMNS } from '../../../domain/contactColumns';
import { InputProblem } from '../../../domain/problem';
import { defineBulkOperation, ItemFailure } from '../../../operations/define';
import { applyPlans } from './apply';
import { mergeRows } from './desired';
import { KnownContacts } from './known';
import { Missing } from './missingContacts';
import { planFor, planToSave, withoutDoubles, type Plan } from './plan';
import { readContacts } from './read';
import { summarize, toMissing, toOutcomes } from './report';
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
		'Create and update many contacts with as few requests as possible: what the CRM has already is not sent',
	hints: [
		{
			message: `Input fields are matched by their names: ${CONTACT_COLUMNS.map(({ displayName }) => displayName).join(', ')}, and the names of attributes. Phone Number, Mobile, WhatsApp and Full Name will do, too. An item without a phone number can have the 'id' of a contact. Others are ignored, unless 'Other Columns' under 'Options' saves them as attributes. To try it without changing anything, turn on 'Dry Run' under 'Options'.`,
			when: '$parameter["columns"]?.["mappingMode"] === "autoMapInputData"',
		},
		{
			message:
				"Is a column missing here, such as the e-mail address? Add it under 'Options' > 'Attributes'. To see what a run would change without changing anything, turn on 'Dry Run' under 'Options'.",
			when: '$parameter["columns"]?.["mappingMode"] !== "autoMapInputData" && !$parameter["options"]?.["attributes"] && !$parameter["options"]?.["dryRun"]',
		},
	],
	effect: 'idempotent',
	fields: syncFields,

	async executeAll(api, items, { continues, clock }) {
		const settings = readSettings(items, continues);
		const { isDryRun, outputsMissing } = settings;
		const { rows, ignored } = readRows(items, settings);
		if (settings.stopsAtFirst) assertNoProblem(rows);

		const desired = mergeRows(rows);
		const known = new KnownContacts(api, clock, desired);
		const missing = new Missing(rows);
		const startedMs = clock.elapsedMs();
		const { isComplete, isRead } = await readContacts(api, desired, settings, (contact) => {
			known.note(contact);
			if (outputsMissing) missing.note(contact);
		});
		if (isComplete) known.allRead(startedMs);

		const plans = desired.map((each) =>
			isRead(each) ? planFor(each, known.of(each), settings) : planToSave(each, 'saved'),
		);
		const possible = markInvalid(withoutDoubles(plans), rows);
		if (settings.stopsAtFirst) assertNoProblem(rows);
		const results = await applyPlans({ api, settings, known }, possible);

		const { contacts, unclear } = missing.without(results);
		return {
			outcomes: toOutcomes(rows, possible, results, isDryRun),
			more: contacts.map((contact) => toMissing(contact, isDryRun)),
			summary: summarize({
				rows,
				results,
				isDryRun,
				ignored,
				missing: contacts.length,
				unclear,
				unreadableItem: outputsMissing ? missing.unreadableItem : -1,
				usage: api.usage,
			}),
		};
	},
});

/** What cannot be done to a contact can be done for none of its rows. Gives the other plans. */
function markInvalid(plans: readonly Plan[], rows: Row[]): Plan[] {
	for (const { desired, problem } of plans) {
		for (const item of problem ? desired.items : []) Object.assign(rows[item] ?? {}, { problem });
	}
	return plans.filter(({ problem }) => !problem);
}

/** @throws ItemFailure for the first row that cannot be done */
function assertNoProblem(rows: readonly Row[]): void {
	for (const [item, { problem }] of rows.entries()) {
		if (problem !== undefined) throw new ItemFailure(item, problem);
	}
}

/** Reads the row of every item, in their order. */
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
