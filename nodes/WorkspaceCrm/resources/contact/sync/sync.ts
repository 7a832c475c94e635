import type { Api } from '../../../api/client';
import {
	ATTRIBUTE,
	CONTACT_COLUMNS,
	mapAutomatically,
	type AutomaticMapping,
} from '../../../domain/contactColumns';
import { isCampaignAttribute } from '../../../domain/campaignMark';
import { InputProblem } from '../../../domain/problem';
import { defineBulkOperation, ItemFailure } from '../../../operations/define';
import { findContacts, wantedOf } from '../../findContacts';
import { applyPlans, resultAsPlanned, type Result } from './apply';
import {
	identifyRow,
	isUnreadable,
	mergeRows,
	presenceTest,
	readMention,
	type DesiredContact,
	type Mention,
} from './desired';
import { isOptInBarred, type Plan, planFor, planToChange } from './plan';
import { countResults, summarize, toMissing, toOutcomes } from './report';
import { readRow, tryRead, type ReadRow, type Row } from './row';
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
		const { isDryRun, stopsAtFirst, outputsMissing } = settings;
		const { rows: given, mentions, ignored } = readRows(items, settings);
		if (stopsAtFirst) assertNoProblem(given);

		const startedMs = clock.elapsedMs();
		const rows = await findById(api, given);
		if (stopsAtFirst) assertNoProblem(rows);
		const desired = mergeRows(rows);
		const byPhone = desired.filter(({ contact }) => !contact);
		const snapshot = await loadSnapshot(api, byPhone, presenceTest(mentions), settings);
		const contactsOf = ({ digits = '' }: DesiredContact) => snapshot.contacts.get(digits) ?? [];
		const plans = desired.map((each) => planFor(each, contactsOf(each), settings));
		const snapshotMs = snapshot.isComplete ? startedMs : undefined;
		const renewed = watchOptOuts(api, clock, settings, desired, snapshotMs);
		const results = isDryRun
			? plans.map((plan) => preview(plan, snapshot, settings))
			: await applyPlans(api, plans, settings, renewed);

		const named = new Set(mentions.map((mention) => mention?.id?.toLowerCase()));
		const done = new Set(results.map((result) => !result.error && result.contact.id));
		const isFound = (id: string) => done.has(id) || named.has(id.toLowerCase());
		const missing = snapshot.missing.filter(({ id }) => !isFound(id));
		const counts = countResults(rows, results, missing.length);
		const unreadableItem = outputsMissing ? mentions.findIndex(isUnreadable) : -1;
		const unclear = snapshot.unclear.filter((id) => !isFound(id)).length;
		return {
			outcomes: toOutcomes(rows, desired, results, isDryRun),
			more: missing.map((contact) => toMissing(contact, isDryRun)),
			summary: summarize({ ...counts, unclear }, api.usage, {
				isDryRun,
				ignored,
				unreadableItem,
				twoReadings: given.filter((row): row is Row => 'otherReading' in row && !!row.otherReading),
			}),
		};
	},
});

/** The rows with the contacts whose IDs they give; or why a row cannot be done. */
async function findById(api: Api, rows: readonly ReadRow[]): Promise<ReadRow[]> {
	const wantedById = (value: string) =>
		wantedOf({ contactId: { mode: 'id', value }, defaultCountry: '' });
	const idOf = (row: ReadRow) => ('problem' in row ? undefined : row.id);
	const ids = rows.map(idOf).filter((id) => id !== undefined);
	const wanted = new Map(ids.map(wantedById).map((each) => [each.key, each] as const));
	if (wanted.size === 0) return [...rows];
	const found = await findContacts(api, [...wanted.values()]);
	return rows.map((row) =>
		'problem' in row || row.id === undefined
			? row
			: identifyRow(row, found.get(wantedById(row.id).key)),
	);
}

/** @throws ItemFailure for the first row that cannot be done */
function assertNoProblem(rows: readonly ReadRow[]): void {
	for (const [item, row] of rows.entries()) {
		if ('problem' in row) throw new ItemFailure(item, row.problem);
	}
}

/** What a run would say of a plan: of a contact that it would not compare, only that it was saved. */
function preview(plan: Plan, snapshot: Snapshot, settings: SyncSettings): Result {
	const { desired, current } = plan;
	if (current || plan.problem) return resultAsPlanned(plan);
	const [found] = snapshot.uncompared.get(desired.digits ?? '') ?? [];
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
	rows: ReadRow[];
	mentions: Array<Mention | undefined>;
	ignored: AutomaticMapping['ignored'];
} {
	const schema = firstParams(items)?.columns.schema ?? [];
	const types = new Map(schema.map(({ id, type = 'string' }) => [id, type] as const));
	const attributeIds = [...types.keys()].filter((id) => id.startsWith(ATTRIBUTE));
	const mapping = mapAutomatically(attributeIds, otherColumns);
	const mentions: Array<Mention | undefined> = [];
	const marks = new Set<string>();
	const rows = items.map((item): ReadRow => {
		const { columns, options = {} } = 'params' in item ? item.params : item.readable;
		const values = tryRead(() =>
			columns?.isAutomatic ? mapping.map(columns.values) : (columns?.values ?? {}),
		);
		if (values instanceof InputProblem) {
			mentions.push(undefined);
			return { problem: values };
		}
		mentions.push(readMention(values, options));
		if (!('params' in item)) return { problem: item.problem };
		const row = tryRead(() => readRow(values, options, types));
		return row instanceof InputProblem ? { problem: row } : withoutMarks(row, marks);
	});
	return { rows, mentions, ignored: new Set([...mapping.ignored, ...marks]) };
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
