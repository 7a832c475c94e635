import { isUnreadable, presenceTest } from './sync/mentions';
import { mergeRows, type DesiredContact } from './sync/desired';
import { planFor } from './sync/plan';
import { summarize } from './sync/summary';
import { defineBulkOperation, ItemFailure } from '../../operations/define';
import { applyPlans, resultAsPlanned } from './sync/apply';
import { syncFields } from './sync/syncFields';
import { loadSnapshot } from './sync/snapshot';
import { watchOptOuts } from './sync/optOuts';
import { countResults, toMissing, toOutcomes } from './sync/outcomes';
import { readRows } from './sync/rows';
import { readSettings } from './sync/settings';

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
		const invalid = rows.findIndex((row) => 'problem' in row);
		if (stopsAtFirst && invalid >= 0) throw new ItemFailure(invalid, rows[invalid].problem);

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
