import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../api/types';
import { isValidWithPlus } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { MAX_LABEL_CHARACTERS, plainText, several } from '../../../domain/text';
import type { BulkResult, Outcome } from '../../../operations/define';
import type { Done, SyncResult } from './apply';
import type { DesiredContact } from './desired';
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
	/** The contacts of the valid rows, and the result for each. */
	desired: readonly DesiredContact[];
	results: readonly SyncResult[];
	/** The contacts in the CRM that no row mentions. */
	unmentioned: readonly Contact[];
	settings: SyncSettings;
	/** The input columns that were not used. */
	ignored: Iterable<string>;
	/** How many requests the run has sent. */
	requests: number;
}

export function toReport(run: Run): BulkResult {
	const { isDryRun } = run.settings;
	// An item without a readable ID or phone number may mean any contact.
	const unreadable = run.rows.findIndex(({ id, phone }) => id === undefined && phone === '');
	// A contact may have been saved under another form of its number.
	const done = new Set(run.results.map((result) => !result.error && result.contact.id));
	const missing = unreadable < 0 ? run.unmentioned.filter(({ id }) => !done.has(id)) : [];
	const listed = missing.filter(({ phone }) => isComparable(phone));
	const notListed = run.settings.outputsMissing
		? notMissing(unreadable, missing.length - listed.length)
		: '';
	return {
		outcomes: toOutcomes(run),
		more: listed.map(({ record }) => withSync(record, { action: 'missing' }, isDryRun)),
		summary: summarize(run, listed.length, notListed),
	};
}

/** Whether a stored number is international, with or without its plus. */
function isComparable(phone: string): boolean {
	return /^\+[1-9]\d{6,14}$/.test(phone) || (/^[1-9]\d+$/.test(phone) && isValidWithPlus(phone));
}

/** The outcome of each item; items of one contact share it. A dry run has no errors. */
function toOutcomes({ rows, desired, results, settings }: Run): Outcome[] {
	const { isDryRun } = settings;
	const byItem = new Map<number, SyncResult>();
	for (const [index, result] of results.entries()) {
		for (const item of desired[index]?.items ?? []) byItem.set(item, result);
	}
	return rows.map(({ id, phone, problem }, item): Outcome => {
		const result = byItem.get(item);
		if (result && !result.error) {
			return { json: withSync(result.contact.record, syncOf(result, settings), isDryRun) };
		}
		const action = result ? 'failed' : 'invalid';
		const error = result?.error ?? problem;
		if (!isDryRun) return { json: { sync: { action } }, error };
		const remedy = error instanceof InputProblem ? error.remedy : '';
		const note = [(error as Error).message, remedy].filter((text) => text).join('. ');
		const known = { ...(id && { id }), ...(phone && { phone }) };
		return { json: withSync(known, { action, note }, isDryRun) };
	});
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

/** Puts the action, name and phone first, where users see them. */
function withSync(record: IDataObject, sync: IDataObject, isDryRun: boolean): IDataObject {
	const { name, phone } = record;
	const first = { ...(name !== undefined && { name }), ...(phone !== undefined && { phone }) };
	return { sync: { ...sync, ...(isDryRun && { dryRun: true }) }, ...first, ...record };
}

/** Summarizes a run in a few sentences, or a dry run line by line. */
function summarize(run: Run, missing: number, notListed: string): string {
	const { rows, results, settings, requests, ignored } = run;
	const { isDryRun } = settings;
	const done = results.filter((result) => result.error === undefined);
	const countOf = (action: string) => done.filter((result) => result.action === action).length;
	const invalid = rows.filter(({ problem }) => problem !== undefined).length;
	const saved = isDryRun ? 'to save' : 'saved';
	const optedOut = done.filter(({ keepsOptOut }) => keepsOptOut).length;
	const counts = [
		`${countOf('created')} ${isDryRun ? 'to create' : 'created'}`,
		`${countOf('updated')} ${isDryRun ? 'to update' : 'updated'}`,
		`${countOf('unchanged')} unchanged`,
		...ifAny(countOf('saved'), `${countOf('saved')} ${saved} without comparing`),
		...ifAny(results.length - done.length, `${results.length - done.length} failed`),
		...ifAny(invalid, `${several(invalid, 'row')} invalid`),
		...ifAny(missing, `${missing} missing from the input`),
	];
	const sentences = [
		`${several(requests, 'request')}.`,
		notListed,
		withSecondReading(rows),
		...ifAny(optedOut, `${several(optedOut, 'opted-out contact')} not opted in again.`),
		storedDifferently(done.map((each) => each.storedDifferently)),
		named('Columns ignored', [...ignored]),
	].filter((sentence) => sentence !== '');
	const head = `${several(rows.length, 'row')}, ${several(results.length, 'contact')}`;
	if (!isDryRun) return [`${head}: ${counts.join(', ')}.`, ...sentences].join(' ');
	// The editor shows hints as HTML.
	return [`Dry run, nothing was changed: ${head}.`, ...counts, ...sentences].join('<br>');
}

function ifAny(count: number, text: string): string[] {
	return count > 0 ? [text] : [];
}

/** @param unreadable the index of an item that may mean any contact; -1 for none */
function notMissing(unreadable: number, unclear: number): string {
	if (unreadable >= 0) {
		return `No contacts are listed as missing, because the phone number of item ${unreadable + 1} cannot be read. Correct it and run the sync again.`;
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
