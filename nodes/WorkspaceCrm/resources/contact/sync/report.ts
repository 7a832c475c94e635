import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../api/types';
import { isInternational } from '../../../domain/phone';
import { InputProblem, shown } from '../../../domain/problem';
import { MAX_LABEL_CHARACTERS, plainText, several } from '../../../domain/text';
import type { BulkResult, Outcome } from '../../../operations/define';
import type { Result } from './plan';
import type { Row } from './row';
import type { SyncOptions } from './syncFields';

const OPTED_OUT = 'The contact has opted out and was not opted in again.';
const KEPT_TAGS =
	'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';

/** For each action: its name in a dry run, and its words in the summaries of a run and of a dry run. */
const ACTIONS = {
	created: ['wouldCreate', 'created', 'to create'],
	updated: ['wouldUpdate', 'updated', 'to update'],
	unchanged: ['unchanged', 'unchanged', 'unchanged'],
	saved: ['wouldSave', 'saved without comparing', 'to save without comparing'],
	failed: ['failed', 'failed', 'failed'],
	invalid: ['invalid', 'invalid', 'invalid'],
	skipped: ['skipped', 'skipped (blank)', 'skipped (blank)'],
	missing: ['missing', 'missing from the input', 'missing from the input'],
} as const;

interface Run {
	rows: readonly Row[];
	/** The result of each row; rows of one contact share it. */
	results: readonly Result[];
	/** The contacts in the CRM that no row mentions. */
	unmentioned: readonly Contact[];
	options: SyncOptions;
	/** The input columns that were not used. */
	ignored: ReadonlySet<string>;
	/** How many requests the run has sent. */
	requests: number;
}

export function toReport(run: Run): BulkResult {
	const { results, options } = run;
	// A contact may have been saved under another form of its number.
	const done = new Set(results.map(({ record }) => record?.id));
	const missing = run.unmentioned.filter(({ record }) => !done.has(record.id));
	// An item without a readable ID or phone number may mean any contact.
	const unreadable = run.rows.findIndex(
		({ id, phone, isBlank }) => id === undefined && phone === '' && !isBlank,
	);
	const listed = missing.filter(({ phone }) => unreadable < 0 && isInternational(phone));
	const why =
		unreadable < 0
			? 'their phone numbers are not international'
			: `the phone number of item ${unreadable + 1} cannot be read`;
	const unlisted = missing.length - listed.length;
	return {
		outcomes: results.map((result, item) => toOutcome(result, run.rows[item], options)),
		more: listed.map(({ record }) => withSync(record, { action: 'missing' }, options)),
		summary: summarize(run, listed.length, [
			unlisted,
			`${several(unlisted, 'contact')} not listed as missing, because ${why}.`,
		]),
	};
}

/** A dry run has no errors. */
function toOutcome(result: Result, row: Row | undefined, options: SyncOptions): Outcome {
	const { changedFields, record, error } = result;
	const [dryRunName] = ACTIONS[result.action];
	const action = options.dryRun ? dryRunName : result.action;
	if (error !== undefined && !options.dryRun) return { json: { sync: { action } }, error };
	const note = noteOn(result, options);
	const known = record ?? { id: row?.id, phone: row?.phone };
	const sync = { action, ...(changedFields && { changedFields }), ...(note && { note }) };
	return { json: withSync(known, sync, options) };
}

function noteOn(result: Result, { tagMode }: SyncOptions): string {
	const { action, error, keepsOptOut, lastingTags = [], storedDifferently = [] } = result;
	if (action === 'skipped') return 'No column of this item has a value.';
	if (error instanceof InputProblem) return `${error.message}. ${error.description}`;
	if (error instanceof Error) return error.message;
	const keepsTags = tagMode === 'match' && storedDifferently.includes('tags');
	const notes = [keepsOptOut && OPTED_OUT, keepsTags && KEPT_TAGS, ...lastingTags.map(lasting)];
	return notes.filter((note) => note).join(' ');
}

const lasting = (tag: string) =>
	`The tag ${shown(tag)} stays, because the API cannot remove a tag of this name.`;

/** Puts the action, name and phone first, where users see them. */
function withSync(record: IDataObject, sync: IDataObject, { dryRun }: SyncOptions): IDataObject {
	const { name, phone } = record;
	return { sync: { ...sync, ...(dryRun && { dryRun: true }) }, name, phone, ...record };
}

/** A text that is left out if its count is zero. */
type Counted = [count: number, text: string];

/** Summarizes a run in a few sentences, or a dry run line by line. */
function summarize(run: Run, listed: number, notListed: Counted): string {
	const { rows, ignored, requests } = run;
	const { dryRun } = run.options;
	const results = [...new Set(run.results)];
	const countOf = (action: string) => results.filter((each) => each.action === action).length;
	const counts = Object.entries(ACTIONS).map(([action, [, words, dryRunWords]]): Counted => {
		const count = action === 'missing' ? listed : countOf(action);
		return [count, `${count} ${dryRun ? dryRunWords : words}`];
	});
	const optedOut = results.filter(({ keepsOptOut }) => keepsOptOut).length;
	const stored = results.flatMap(({ storedDifferently }) => storedDifferently ?? []);
	const ambiguous = rows.filter(({ otherReading }) => otherReading !== undefined);
	const example = `${ambiguous[0]?.phone} could be ${ambiguous[0]?.otherReading}`;
	const contacts = results.length - countOf('invalid') - countOf('skipped');
	const head = `${several(rows.length, 'row')}, ${several(contacts, 'contact')}`;
	const sentences = textsOf([
		[requests, `${several(requests, 'request')}.`],
		notListed,
		[
			ambiguous.length,
			`${several(ambiguous.length, 'phone number')} without a plus could also be of another country: ${example}.`,
		],
		[optedOut, `${several(optedOut, 'opted-out contact')} not opted in again.`],
		[
			stored.length,
			`The CRM stores some values differently, so each run sends them again: ${named(stored)}.`,
		],
		[ignored.size, `Columns ignored: ${named(ignored)}.`],
	]);
	if (!dryRun) return [`${head}: ${textsOf(counts).join(', ')}.`, ...sentences].join(' ');
	// The editor shows hints as HTML.
	return [`Dry run, nothing was changed: ${head}.`, ...textsOf(counts), ...sentences].join('<br>');
}

function textsOf(all: readonly Counted[]): string[] {
	return all.filter(([count]) => count > 0).map(([, text]) => text);
}

const SHOWN_NAMES = 10;

function named(names: Iterable<string>): string {
	const different = [...new Set(names)];
	const shown = different
		.slice(0, SHOWN_NAMES)
		.map((name) => plainText(name, MAX_LABEL_CHARACTERS));
	const more = different.length - SHOWN_NAMES;
	return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
