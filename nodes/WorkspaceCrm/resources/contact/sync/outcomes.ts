import type { IDataObject } from 'n8n-workflow';

import type { DesiredContact } from './desired';
import type { SyncCounts } from './summary';
import type { BulkResult } from '../../../operations/define';
import type { Result } from './apply';
import type { ItemRow } from './rows';

/** How many other items of the same contact an output names. */
const SHOWN_ITEMS = 10;

const OPTED_OUT = 'The contact has opted out and was not opted in again.';
const KEPT_TAGS =
	'No tags were removed, because the CRM does not show all tags as they were given. Give them as the CRM shows them.';

type Outcome = BulkResult['outcomes'][number];

/** What came of each item; those of the same contact get the same. */
export function toOutcomes(
	rows: readonly ItemRow[],
	desired: readonly DesiredContact[],
	results: readonly Result[],
	isDryRun: boolean,
): Outcome[] {
	const outcomes = rows.map(
		(row): Outcome => ({
			json: { sync: { action: 'invalid' } },
			error: 'problem' in row ? row.problem : undefined,
		}),
	);
	desired.forEach(({ items }, index) => {
		for (const item of items) {
			// Only some, because thousands may be the same by mistake, and each would name all others.
			const some = items.slice(0, SHOWN_ITEMS + 1);
			const same = some.filter((each) => each !== item).slice(0, SHOWN_ITEMS);
			const extra = { ...(same.length > 0 && { sameContactAs: same }), ...marks(isDryRun) };
			outcomes[item] = toOutcome(results[index], extra);
		}
	});
	return outcomes;
}

export function toMissing(contact: IDataObject, isDryRun: boolean): IDataObject {
	return { ...contact, sync: { action: 'missing', ...marks(isDryRun) } };
}

export function countResults(
	rows: readonly ItemRow[],
	results: readonly Result[],
	missing: number,
): Omit<SyncCounts, 'unclear'> {
	const done = results.filter((result) => result.error === undefined);
	const count = (action: string) => done.filter((result) => result.action === action).length;
	return {
		rows: rows.length,
		invalidRows: rows.filter((row) => 'problem' in row).length,
		contacts: results.length,
		created: count('created'),
		updated: count('updated'),
		unchanged: count('unchanged'),
		failed: results.length - done.length,
		missing,
		keptOptOuts: done.filter(({ keepsOptOut }) => keepsOptOut).length,
	};
}

function toOutcome(result: Result, extra: IDataObject): Outcome {
	if (result.error) return { json: { sync: { action: 'failed', ...extra } }, error: result.error };
	const { contact, action, changedFields, keepsOptOut, keepsTags } = result;
	const note = [keepsOptOut ? OPTED_OUT : '', keepsTags ? KEPT_TAGS : ''].join(' ').trim();
	const sync = { action, changedFields, ...(note && { note }), ...extra };
	return { json: { ...contact, sync } };
}

function marks(isDryRun: boolean): IDataObject {
	return isDryRun ? { dryRun: true } : {};
}
