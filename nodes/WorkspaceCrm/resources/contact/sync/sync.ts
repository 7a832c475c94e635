import { ATTRIBUTE, mapAutomatically, type AutomaticMapping } from '../../../domain/contactColumns';
import { InputProblem } from '../../../domain/problem';
import { defineBulkOperation, ItemFailure } from '../../../operations/define';
import { readAttributes } from '../attributes';
import { applyPlans, resultAsPlanned } from './apply';
import { isUnreadable, mergeRows, presenceTest, type DesiredContact } from './desired';
import { planFor } from './plan';
import { countResults, summarize, toMissing, toOutcomes } from './report';
import { readMention, readRow, tryRead, type ItemRow, type Mention } from './row';
import { loadSnapshot, watchOptOuts } from './snapshot';
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
			? plans.map(resultAsPlanned)
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
	const rows = items.map((item): ItemRow => {
		const { columns, options } = 'params' in item ? item.params : item.readable;
		const values = columns?.isAutomatic ? mapping.map(columns.values) : (columns?.values ?? {});
		const source = { values, country: options?.defaultCountry };
		mentions.push(readMention(source));
		if (!('params' in item)) return { problem: item.problem };
		const given = tryRead(() => readAttributes(options?.attributes, options?.attributesJson));
		return given instanceof InputProblem
			? { problem: given }
			: readRow({ ...source, ...given }, types);
	});
	return { rows, mentions, ignored: mapping.ignored };
}
