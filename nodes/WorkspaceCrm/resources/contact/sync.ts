import { mentionTest } from '../../domain/sync/mentions';
import { mergeRows } from '../../domain/sync/merge';
import { mentionOf } from '../../domain/sync/row';
import { planToChange, planToSave } from '../../domain/sync/plan';
import { summarize } from '../../domain/sync/summary';
import { defineBulkOperation, ItemFailure } from '../../operations/define';
import { carryOut, resultAsPlanned } from './sync/carryOut';
import { syncFields } from './sync/fields';
import { readKnown } from './sync/known';
import { countResults, toMissing, toOutcomes } from './sync/outcomes';
import { readRows } from './sync/rows';
import { readSettings } from './sync/settings';

export const sync = defineBulkOperation({
	value: 'sync',
	name: 'Sync',
	action: 'Sync contacts',
	description:
		'Create and update many contacts with as few requests as possible: what the CRM has already is not sent',
	fields: syncFields,

	async executeAll(api, items, { continues }) {
		const settings = readSettings(items, continues);
		const { isDryRun, stopsAtFirst } = settings;
		const { rows, ignored } = readRows(items, settings);
		const invalid = rows.findIndex((row) => 'problem' in row);
		if (stopsAtFirst && invalid >= 0) throw new ItemFailure(invalid, rows[invalid].problem);

		const wanted = mergeRows(
			rows.flatMap((read, item) => ('row' in read ? [{ item, row: read.row }] : [])),
		);
		const isMentioned = mentionTest(
			rows.flatMap((read) => ('row' in read ? mentionOf(read.row) : (read.mention ?? []))),
		);
		const known = await readKnown(api, wanted, isMentioned, settings);
		const plans = wanted.map((each) => {
			const { digits = '' } = each;
			const current = known.contacts.get(digits);
			if (current) return planToChange(each, current, settings);
			return planToSave(each, known.optedOut.has(digits), settings);
		});
		const results = isDryRun ? plans.map(resultAsPlanned) : await carryOut(api, plans, settings);

		const found = new Set(results.map((result) => !result.error && result.contact.id));
		const missing = known.missing.filter(({ id }) => !found.has(id));
		const counts = countResults(rows, results, missing.length);
		return {
			outcomes: toOutcomes(rows, wanted, results, isDryRun),
			more: missing.map((contact) => toMissing(contact, isDryRun)),
			summary: summarize(counts, api.usage, { isDryRun, ignored }),
		};
	},
});
