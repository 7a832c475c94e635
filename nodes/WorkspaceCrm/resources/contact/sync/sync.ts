import {
	ATTRIBUTE,
	CONTACT_COLUMNS,
	mapAutomatically,
	type AutomaticMapping,
} from '../../../domain/contactColumns';
import { isCampaignAttribute } from '../../../domain/campaignMark';
import { InputProblem } from '../../../domain/problem';
import { defineBulkOperation, ItemFailure } from '../../../operations/define';
import { readAttributes } from '../attributes';
import { applyPlans, resultAsPlanned, type Result } from './apply';
import { isUnreadable, mergeRows, presenceTest, type DesiredContact } from './desired';
import { isOptInBarred, type Plan, planFor, planToChange } from './plan';
import { countResults, summarize, toMissing, toOutcomes } from './report';
import { readMention, readRow, tryRead, type ItemRow, type Mention, type ReadRow } from './row';
import { loadSnapshot, type Snapshot, watchOptOuts } from './snapshot';
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
			message: `Input fields are matched by their names: ${CONTACT_COLUMNS.map(({ displayName }) => displayName).join(', ')}, and the names of attributes. Phone Number, Mobile, WhatsApp and Full Name will do, too. Others are ignored, unless 'Other Columns' under 'Options' saves them as attributes. To try it without changing anything, turn on 'Dry Run' under 'Options'.`,
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
		const { isDryRun, stopsAtFirst, outputsMissing } = settings;
		const { rows, mentions, ignored } = readRows(items, settings);
		for (const [item, row] of rows.entries()) {
			if (stopsAtFirst && 'problem' in row) throw new ItemFailure(item, row.problem);
		}

		const desired = mergeRows(
			rows.flatMap((read, item) => ('row' in read ? [{ item, row: read.row }] : [])),
		);
		const startedMs = clock.elapsedMs();
		const snapshot = await loadSnapshot(api, desired, presenceTest(mentions), settings);
		const contactsOf = ({ digits = '' }: DesiredContact) => snapshot.contacts.get(digits) ?? [];
		const plans = desired.map((each) => planFor(each, contactsOf(each), settings));
		const snapshotMs = snapshot.isComplete ? startedMs : undefined;
		const renewed = watchOptOuts(api, clock, settings, desired, snapshotMs);
		const results = isDryRun
			? plans.map((plan) => preview(plan, snapshot, settings))
			: await applyPlans(api, plans, settings, renewed);

		const found = new Set(results.map((result) => !result.error && result.contact.id));
		const missing = snapshot.missing.filter(({ id }) => !found.has(id));
		const counts = countResults(rows, results, missing.length);
		const unreadableItem = outputsMissing ? mentions.findIndex(isUnreadable) : -1;
		const unclear = snapshot.unclear.filter((id) => !found.has(id)).length;
		return {
			outcomes: toOutcomes(rows, desired, results, isDryRun),
			more: missing.map((contact) => toMissing(contact, isDryRun)),
			summary: summarize({ ...counts, unclear }, api.usage, { isDryRun, ignored, unreadableItem }),
		};
	},
});

/** What a run would say of a plan: of a contact that it would not compare, only that it was saved. */
function preview(plan: Plan, snapshot: Snapshot, settings: SyncSettings): Result {
	const { desired, current } = plan;
	if (current || plan.problem) return resultAsPlanned(plan);
	// Only the service can read its number, and so tell whether it is new.
	if (desired.digits === undefined) return resultAsPlanned(plan, false);
	const [found] = snapshot.uncompared.get(desired.digits) ?? [];
	if (!found) return resultAsPlanned(plan);
	// The list of opted-out contacts, which a run reads before it opts in anybody, has this one.
	const isCompared = found.optInStatus === 'opted_out' && isOptInBarred(desired.fields, settings);
	return resultAsPlanned(planToChange(desired, found, settings), isCompared);
}

/** Reads the row of every item, in their order, and whom it is about. */
export function readRows(
	items: readonly SyncItem[],
	{ otherColumns }: SyncSettings,
): {
	rows: ItemRow[];
	mentions: Array<Mention | undefined>;
	ignored: AutomaticMapping['ignored'];
} {
	const schema = firstParams(items)?.columns.schema ?? [];
	const types = new Map(schema.map(({ id, type = 'string' }) => [id, type] as const));
	const attributeIds = [...types.keys()].filter((id) => id.startsWith(ATTRIBUTE));
	const mapping = mapAutomatically(attributeIds, otherColumns);
	const mentions: Array<Mention | undefined> = [];
	const marks = new Set<string>();
	const rows = items.map((item): ItemRow => {
		const { columns, options } = 'params' in item ? item.params : item.readable;
		const values = tryRead(() =>
			columns?.isAutomatic ? mapping.map(columns.values) : (columns?.values ?? {}),
		);
		if (values instanceof InputProblem) {
			mentions.push(undefined);
			return { problem: values };
		}
		const source = { values, country: options?.defaultCountry };
		mentions.push(readMention(source));
		if (!('params' in item)) return { problem: item.problem };
		const given = tryRead(() => readAttributes(options?.attributes, options?.attributesJson));
		return given instanceof InputProblem
			? { problem: given }
			: withoutMarks(readRow({ ...source, ...given }, types), marks);
	});
	return { rows, mentions, ignored: new Set([...mapping.ignored, ...marks]) };
}

/**
 * A row without the marks of campaigns: an older mark that is written over a newer one would have a
 * message sent twice.
 *
 * @param ignored gets the names of those that were left out
 */
function withoutMarks(read: ReadRow, ignored: Set<string>): ReadRow {
	if (!('row' in read)) return read;
	const { attributes = {}, ...fields } = read.row.fields;
	const entries = Object.entries(attributes);
	const others = entries.filter(([name]) => !isCampaignAttribute(name));
	if (others.length === entries.length) return read;
	for (const [name] of entries) if (isCampaignAttribute(name)) ignored.add(name);
	const kept = others.length > 0 && { attributes: Object.fromEntries(others) };
	return { row: { ...read.row, fields: { ...fields, ...kept } } };
}
