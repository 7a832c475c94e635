import type { IDataObject } from 'n8n-workflow';

import { isInternational } from '../../../domain/phone';
import { dropNothings } from '../../../domain/nothing';
import { InputProblem, quoted } from '../../../domain/problem';
import type { BulkResult, Outcome } from '../../../operations/define';
import { UnknownId, type Changes, type Result } from './plan';
import type { Row } from './row';
import { ACTIONS, failedTitle, summarize, type SyncReport } from './summary';
import type { SyncOptions } from './syncFields';

const OPTED_OUT = 'The contact has opted out and was not opted in again.';
const PENDING =
	"The contact is pending: it has not confirmed yet. 'Opt In: Yes' was not sent again.";
const OPT_IN_NO =
	"'No' is sent on every run, because the API doesn't show whether the CRM has recorded it.";
const KEPT_TAGS =
	'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';

export function toReport(run: SyncReport): BulkResult {
	const { results, options } = run;
	// A contact may have been saved under another form of its number.
	const done = new Set(results.map(({ record }) => record?.id));
	const missing = run.unmentioned.filter(({ record }) => !done.has(record.id));
	const unreadable = run.rows.find((row, index) => mayBeAnyContact(row, results[index]));
	const listed = missing.filter(({ phone }) => !unreadable && isInternational(phone));
	const why = unreadable
		? `it is unclear which contact item ${unreadable.item + 1} means`
		: 'their phone numbers are not international';
	return {
		outcomes: results.map((result, index) => toOutcome(result, run.rows[index], options)),
		more: listed.map(({ record }) => withSync(record, { action: 'missing' }, options)),
		summary: summarize(run, { listed: listed.length, missing: missing.length, why }),
		failedTitle: failedTitle(run),
	};
}

const HIDDEN_TAGS =
	"No tags were removed, because the answer of the CRM does not show the contact's tags.";

/** Without a phone number, an item with no ID or a wrong one may mean any contact. */
function mayBeAnyContact({ id, phone, isBlank }: Row, result: Result | undefined): boolean {
	const isFound = id !== undefined && !(result?.error instanceof UnknownId);
	return phone === '' && !isFound && !isBlank;
}

/** A dry run has no errors. */
function toOutcome(
	result: Result,
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
	const known = record ?? { id: row?.id, name: row?.fields.name, phone: row?.phone };
	return { json: withSync(known, { ...sync, ...(note && { note }) }, options) };
}

/** n8n shows empty lists and objects in red, as if something were wrong. */
function shown(changes: Changes = {}): IDataObject {
	const { tags } = changes;
	const all: Changes = { ...changes, ...(tags && { tags: dropNothings(tags) }) };
	const changedFields = Object.keys(all);
	return changedFields.length > 0 ? { changedFields, changes: all } : {};
}

function noteOn(result: Result, { tagMode }: SyncOptions): string {
	const { action, error, keepsOptOut, lastingTags = [], storedDifferently = [] } = result;
	if (action === 'skipped') return 'No column of this item has a value.';
	if (error instanceof InputProblem) return `${error.message}. ${error.description}`;
	if (error instanceof Error) return error.message;
	const notes = [
		keepsOptOut && OPTED_OUT,
		result.isPending && PENDING,
		action === 'optInNo' && OPT_IN_NO,
		tagMode === 'match' && storedDifferently.includes('tags') && KEPT_TAGS,
		result.hidesTags && HIDDEN_TAGS,
		...lastingTags.map(lasting),
	];
	return notes.filter((note) => note).join(' ');
}

const lasting = (tag: string) =>
	`The tag ${quoted(tag)} stays, because the API cannot remove a tag of this name.`;

/** Puts the action, name and phone first, where users see them. */
function withSync(record: IDataObject, sync: IDataObject, { dryRun }: SyncOptions): IDataObject {
	const { name, phone } = record;
	return { sync: { ...sync, ...(dryRun && { dryRun: true }) }, name, phone, ...record };
}
