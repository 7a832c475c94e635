import type { IDataObject } from 'n8n-workflow';

import { InputProblem } from '../../../domain/inputProblem';
import type { JsonObject } from '../../../domain/plainData';
import type { BulkResult, Outcome } from '../../../operations/define';
import { otherStatus } from '../optInAnswer';
import { findMissing, type Missing } from './missing';
import { shownChanges, type Changes } from './changes';
import type { SyncResult } from './syncResult';
import type { Row } from './row';
import { ACTIONS, failedTitle, summarize, type SyncReport } from './summary';
import type { SyncOptions } from './syncFields';

export function toReport(run: SyncReport): BulkResult & Pick<Missing, 'doubt'> {
	const { results, rows, options } = run;
	const { listed, sentences, doubt } = findMissing(run);
	return {
		outcomes: results.map((result, index) => toOutcome(result, rows[index], options)),
		more: listed.map(({ record }) => withSync(record, { action: 'missing' }, options)),
		summary: summarize(run, sentences),
		failedTitle: failedTitle(run),
		doubt,
	};
}

/** A dry run has no errors. */
function toOutcome(
	result: SyncResult,
	row: Row | undefined,
	options: SyncOptions,
): Outcome | undefined {
	const { action, changes, record, error } = result;
	if (action === 'notStarted') return undefined;
	const sync = {
		action: options.dryRun ? ACTIONS[action].dryRun : action,
		...(row?.rowNumber === undefined ? { item: (row?.item ?? 0) + 1 } : { row: row.rowNumber }),
		...(row?.typedPhone !== undefined && { phone: row.typedPhone }),
		...shown(changes),
	};
	if (error !== undefined && !options.dryRun) return { json: { sync }, error };
	const note = noteOn(result, options);
	// In a table of n8n, a name that is missing would be "undefined".
	const known = record ?? { id: row?.id, name: row?.fields.name ?? '', phone: row?.phone };
	return { json: withSync(known, { ...sync, ...(note && { note }) }, options) };
}

function shown(changes: Changes = new Map()): IDataObject {
	const all = shownChanges(changes);
	const changedFields = Object.keys(all);
	return changedFields.length > 0 ? { changedFields, changes: all as IDataObject } : {};
}

function noteOn(result: SyncResult, { dryRun }: SyncOptions): string {
	const { action, error, notes = [] } = result;
	if (action === 'skipped') return 'No column of this item has a value.';
	if (action === 'notInCrm') return "The CRM does not have this contact, and 'Only Update' is on.";
	if (error instanceof InputProblem) return `${error.message}. ${error.description}`;
	if (error instanceof Error) return error.message;
	const status = dryRun ? undefined : otherStatus(result);
	return [...(status ? [`The contact ${status}.`] : []), ...notes].join(' ');
}

/** Puts the action, name and phone first, where users see them. */
function withSync(record: JsonObject, sync: IDataObject, { dryRun }: SyncOptions): IDataObject {
	const { name, phone } = record;
	const all = { sync: { ...sync, ...(dryRun && { dryRun: true }) }, name, phone, ...record };
	return all as IDataObject;
}
