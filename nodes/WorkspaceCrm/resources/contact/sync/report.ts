import type { IDataObject } from 'n8n-workflow';

import { InputProblem } from '../../../domain/problem';
import { MAX_LABEL_CHARACTERS, plainText, several, usageText } from '../../../domain/text';
import type { BulkResult, Outcome } from '../../../operations/define';
import type { Done, Result } from './apply';
import type { DesiredContact } from './desired';
import type { Missing } from './missing';
import type { Row } from './row';
import type { SyncSettings } from './syncFields';

const OPTED_OUT = 'The contact has opted out and was not opted in again.';
const KEPT_TAGS =
	'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';

const WOULD = {
	created: 'wouldCreate',
	updated: 'wouldUpdate',
	saved: 'wouldSave',
	unchanged: 'unchanged',
};

interface Run {
	rows: readonly Row[];
	/** The contacts of the rows that are valid, and what came of each. */
	desired: readonly DesiredContact[];
	results: readonly Result[];
	/** Undefined if nobody asked. */
	missing?: Missing;
	settings: SyncSettings;
	/** The input columns that went nowhere. */
	ignored: Iterable<string>;
	usage: { requests: number; waitedMs: number };
}

export function toReport(run: Run): BulkResult {
	const { contacts = [] } = run.missing ?? {};
	const { isDryRun } = run.settings;
	return {
		outcomes: toOutcomes(run),
		more: contacts.map(({ record }) => withSync(record, { action: 'missing' }, isDryRun)),
		summary: summarize(run),
	};
}

/** What came of each item; those of the same contact get the same. */
function toOutcomes({ rows, desired, results, settings }: Run): Outcome[] {
	const outcomes = rows.map(({ phone, id, problem }) => {
		const known = { ...(id && { id }), ...(phone && { phone }) };
		return withError('invalid', problem, settings, known);
	});
	for (const [index, result] of results.entries()) {
		for (const item of desired[index]?.items ?? []) {
			outcomes[item] = result.error
				? withError('failed', result.error, settings)
				: { json: withSync(result.contact.record, syncOf(result, settings), settings.isDryRun) };
		}
	}
	return outcomes;
}

/** A dry run has no errors. */
function withError(
	action: string,
	error: unknown,
	{ isDryRun }: SyncSettings,
	known: IDataObject = {},
): Outcome {
	if (!isDryRun) return { json: { sync: { action } }, error };
	const remedy = error instanceof InputProblem ? error.remedy : '';
	const note = [(error as Error | undefined)?.message, remedy].filter((text) => text).join('. ');
	return { json: withSync(known, { action, note }, isDryRun) };
}

function syncOf(done: Done, { isDryRun, tagMode }: SyncSettings): IDataObject {
	const { action, changedFields, keepsOptOut, storedDifferently } = done;
	const keepsTags = tagMode === 'match' && storedDifferently.includes('tags');
	const note = [keepsOptOut ? OPTED_OUT : '', keepsTags ? KEPT_TAGS : ''].join(' ').trim();
	return {
		action: isDryRun ? WOULD[action] : action,
		...(changedFields && { changedFields }),
		...(note && { note }),
	};
}

/** What happened, the name and the phone come first, where they are seen. */
function withSync(record: IDataObject, sync: IDataObject, isDryRun: boolean): IDataObject {
	const { name, phone } = record;
	const first = { ...(name !== undefined && { name }), ...(phone !== undefined && { phone }) };
	return { sync: { ...sync, ...(isDryRun && { dryRun: true }) }, ...first, ...record };
}

/** What a run did, in a few sentences; what a dry run would do, line by line. */
function summarize(run: Run): string {
	const { rows, results, settings, missing, usage, ignored } = run;
	const { isDryRun } = settings;
	const done = results.filter((result) => result.error === undefined);
	const keptOptOuts = done.filter(({ keepsOptOut }) => keepsOptOut).length;
	const head = `${several(rows.length, 'row')}, ${several(results.length, 'contact')}`;
	const sentences = [
		usageText(usage.requests, usage.waitedMs),
		missing ? notMissing(missing) : '',
		withSecondReading(rows),
		keptOptOuts > 0 ? `${several(keptOptOuts, 'opted-out contact')} not opted in again.` : '',
		storedDifferently(done.map((each) => each.storedDifferently)),
		named('Columns ignored', [...ignored]),
	].filter((sentence) => sentence !== '');
	const counts = countsOf(run, done);
	if (!isDryRun) return [`${head}: ${counts.join(', ')}.`, ...sentences].join(' ');
	// The editor shows hints as HTML.
	return [`Dry run, nothing was changed: ${head}.`, ...counts, ...sentences].join('<br>');
}

function countsOf({ rows, results, settings, missing }: Run, done: readonly Done[]): string[] {
	const { isDryRun } = settings;
	const count = (action: string) => done.filter((result) => result.action === action).length;
	const failed = results.length - done.length;
	const invalid = rows.filter(({ problem }) => problem !== undefined).length;
	const listed = missing?.contacts.length ?? 0;
	return [
		`${count('created')} ${isDryRun ? 'to create' : 'created'}`,
		`${count('updated')} ${isDryRun ? 'to update' : 'updated'}`,
		`${count('unchanged')} unchanged`,
		count('saved') > 0 && `${count('saved')} ${isDryRun ? 'to save' : 'saved'} without comparing`,
		failed > 0 && `${failed} failed`,
		invalid > 0 && `${several(invalid, 'row')} invalid`,
		listed > 0 && `${listed} missing from the input`,
	].filter((text) => text !== false);
}

function notMissing({ unreadableItem, unclear }: Missing): string {
	if (unreadableItem >= 0) {
		return `No contacts are listed as missing, because the phone number of item ${unreadableItem + 1} cannot be read. Correct it and run the sync again.`;
	}
	if (unclear === 0) return '';
	return `${several(unclear, 'contact')} without an international phone number not listed as missing.`;
}

function withSecondReading(rows: readonly Row[]): string {
	const found = rows.filter(({ otherReading }) => otherReading !== undefined);
	const [example] = found;
	if (!example) return '';
	return `${several(found.length, 'phone number')} without a plus could also be of another country: ${example.phone} could be ${example.otherReading}.`;
}

function storedDifferently(fields: string[][]): string {
	const count = fields.filter(({ length }) => length > 0).length;
	if (count === 0) return '';
	return `The CRM stores some values of ${several(count, 'contact')} differently, so each run sends them again. ${named('Fields', [...new Set(fields.flat())])}`;
}

const SHOWN_NAMES = 10;

function named(what: string, names: string[]): string {
	if (names.length === 0) return '';
	const shown = names.slice(0, SHOWN_NAMES).map((name) => plainText(name, MAX_LABEL_CHARACTERS));
	const more = names.length - SHOWN_NAMES;
	return `${what}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
