import {
	ATTRIBUTE,
	CONTACT_COLUMNS,
	mapAutomatically,
	type AutomaticMapping,
} from '../../../domain/contactColumns';
import { isCampaignAttribute } from '../../../domain/campaignMark';
import { InputProblem } from '../../../domain/problem';
import { defineBulkOperation, ItemFailure } from '../../../operations/define';
import { applyPlans } from './apply';
import { OptOuts } from './consent';
import { mergeRows } from './desired';
import { Missing } from './missingContacts';
import { planFor, planToSave, withoutDoubles, type Plan } from './plan';
import { readKnown } from './read';
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

		const wanted = mergeRows(rows);
		const optOuts = new OptOuts(api, clock, wanted);
		const missing = new Missing(rows);
		const startedMs = clock.elapsedMs();
		const known = await readKnown(api, wanted, settings, (contact) => {
			optOuts.note(contact);
			if (outputsMissing) missing.note(contact);
		});
		if (known.isComplete) optOuts.allRead(startedMs);
		const plans = withoutDoubles(
			wanted.map((each) => {
				const found = known.of(each);
				return found ? planFor(each, found, settings) : planToSave(each, true);
			}),
		);
		const possible = plans.filter(({ problem }) => !problem);
		noteProblems(plans, rows);
		if (settings.stopsAtFirst) assertNoProblem(rows);
		for (const { current } of possible) if (current) optOuts.watch(current);
		const results = await applyPlans(api, possible, settings, optOuts);

		const { contacts, unclear } = missing.without(results);
		const desired = possible.map((plan) => plan.desired);
		return {
			outcomes: toOutcomes(rows, desired, results, isDryRun),
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

/** What cannot be done to a contact can be done for none of its rows. */
function noteProblems(plans: readonly Plan[], rows: Row[]): void {
	for (const { desired, problem } of plans) {
		for (const item of problem ? desired.items : []) Object.assign(rows[item] ?? {}, { problem });
	}
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
): { rows: Row[]; ignored: AutomaticMapping['ignored'] } {
	const schema = firstParams(items)?.columns.schema ?? [];
	const types = new Map(schema.map(({ id, type = 'string' }) => [id, type] as const));
	const attributeIds = [...types.keys()].filter((id) => id.startsWith(ATTRIBUTE));
	const mapping = mapAutomatically(attributeIds, otherColumns);
	const marks = new Set<string>();
	const rows = items.map((item): Row => {
		const { columns, options = {} } = 'params' in item ? item.params : item.readable;
		const given = columns?.values ?? {};
		const values = tryRead(() => (columns?.isAutomatic ? mapping.map(given) : given));
		if (values instanceof InputProblem) return { phone: '', fields: {}, problem: values };
		return withoutMarks(readRow(values, options, types, item.problem), marks);
	});
	return { rows, ignored: new Set([...mapping.ignored, ...marks]) };
}

/**
 * A row without the marks of campaigns: an older mark that is written over a newer one would have a
 * message sent twice.
 *
 * @param ignored gets the names of those that were left out
 */
function withoutMarks(row: Row, ignored: Set<string>): Row {
	const { attributes = {}, ...fields } = row.fields;
	const entries = Object.entries(attributes);
	const others = entries.filter(([name]) => !isCampaignAttribute(name));
	if (others.length === entries.length) return row;
	for (const [name] of entries) if (isCampaignAttribute(name)) ignored.add(name);
	const kept = others.length > 0 && { attributes: Object.fromEntries(others) };
	return { ...row, fields: { ...fields, ...kept } };
}
