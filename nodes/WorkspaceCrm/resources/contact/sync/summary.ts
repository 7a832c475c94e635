import { CrmError } from '../../../crm/crmError';
import { timeFor } from '../../../crm/rateLimiter';
import { InputProblem, quoted } from '../../../domain/inputProblem';
import type { JsonObject } from '../../../domain/plainData';
import { named, plainText, several } from '../../../domain/text';
import { isStillConfirmed, otherStatuses } from '../optInAnswer';
import { kindsOf, summaryNotes } from './notes';
import type { SyncResult } from './syncResult';
import { placesOf, type Others, type Row } from './row';
import type { Synced } from './allContacts';
import type { SyncOptions } from './syncFields';
import { takenIn } from './taken';

/** What a run has done, and for what. */
export interface SyncReport extends Synced, Others {
	rows: readonly Row[];
	/** The JSON of the input items. */
	inputs: readonly JsonObject[];
	options: SyncOptions;
	/** Whether failed rows go to an output. If not, they end the run with an error. */
	continues?: boolean;
}

/** For each action: its name in a dry run, and its words in the summaries of a run and of a dry run. */
export const ACTIONS = {
	created: { dryRun: 'wouldCreate', words: 'created', plan: 'to create' },
	updated: { dryRun: 'wouldUpdate', words: 'updated', plan: 'to update' },
	unchanged: { dryRun: 'unchanged', words: 'unchanged', plan: 'unchanged' },
	noNotTaken: {
		dryRun: 'wouldSendNo',
		words: "not opted out after 'Opt In: No'",
		plan: "to send 'Opt In: No'",
	},
	saved: {
		dryRun: 'wouldSave',
		words: 'saved (changes unknown)',
		plan: 'to save without comparing',
	},
	merged: {
		dryRun: 'merged',
		words: 'merged with another of the same contact',
		plan: 'to merge with another of the same contact',
	},
	consentWithheld: {
		dryRun: 'consentWithheld',
		words: 'saved without their consent',
		plan: 'to save without their consent',
	},
	notInCrm: {
		dryRun: 'notInCrm',
		words: 'skipped (not in the CRM)',
		plan: 'skipped (not in the CRM)',
	},
	skipped: { dryRun: 'skipped', words: 'skipped (blank)', plan: 'skipped (blank)' },
	invalid: { dryRun: 'invalid', words: 'invalid', plan: 'invalid' },
	failed: { dryRun: 'failed', words: 'failed', plan: 'failed' },
	notStarted: { dryRun: 'notStarted', words: 'not started', plan: 'not started' },
} as const;

type Counted = keyof typeof ACTIONS;

/** How each row is counted: of the rows of one contact, the first has the result, the others are merged. */
export function countRows(results: readonly SyncResult[]): Map<Counted, number> {
	const counts = new Map<Counted, number>();
	const seen = new Set<SyncResult>();
	for (const result of results) {
		const { action, error } = result;
		const isSaved = error === undefined || action === 'consentWithheld';
		const isMerged = seen.has(result) && isSaved && action !== 'notInCrm';
		const counted = isMerged ? 'merged' : action;
		counts.set(counted, (counts.get(counted) ?? 0) + 1);
		seen.add(result);
	}
	return counts;
}

/** The title of a run that fails because of some of its rows. */
export function failedTitle({ rows, results }: SyncReport): string | undefined {
	const counts = countRows(results);
	const count = (...actions: Counted[]) =>
		actions.reduce((sum, action) => sum + (counts.get(action) ?? 0), 0);
	const open = count('invalid', 'failed', 'notStarted');
	const withheld = count('consentWithheld');
	const saved = count('created', 'updated', 'noNotTaken', 'saved', 'unchanged') + withheld;
	// If nothing was saved, the reason is the title.
	if (rows.length < 2 || saved === 0) return undefined;
	const are = saved === 1 ? 'is' : 'are';
	const were = open === 1 ? 'was' : 'were';
	const merged = count('merged');
	const areOthers = merged > 0 && open > 0 && open + saved + merged === rows.length;
	const parts = [
		...(open > 0
			? [`${open} of ${several(rows.length, placesOf(rows).word)} ${were} not synced`]
			: []),
		areOthers
			? `the other ${saved + merged} are saved as ${several(saved, 'contact')}`
			: `${several(saved, 'contact')} ${are} saved`,
		...(withheld > 0 ? [`${withheld} of them without their consent`] : []),
	];
	return parts.join(', ');
}

/**
 * Summarizes a run line by line. n8n's editor shows hints and descriptions of errors as HTML.
 *
 * @param missing what it says of missing contacts
 */
export function summarize(run: SyncReport, missing: readonly string[]): string {
	const { rows, results } = run;
	const { dryRun } = run.options;
	const contacts = [...new Set(results)];
	const counts = countsIn(run);
	// The editor cuts a long summary off, so the reasons are last.
	const sentences = [
		...takenIn(run),
		...othersIn(run),
		...endIn(run),
		...newTagsIn(run),
		...consentIn(contacts, run.options),
		...ambiguousIn(rows),
		...costIn(run),
		...summaryNotes(contacts.map(({ notes = [] }) => notes)),
		...missing,
		...reasonsIn(run),
	];
	const head = several(rows.length, placesOf(rows).word);
	const first = dryRun
		? [`Dry run, nothing was changed: ${head}.`, ...counts]
		: [`${head}: ${counts.join(', ')}.`];
	const alarming = dryRun ? [] : otherStatuses(contacts.filter(isStillConfirmed));
	return [...alarming, ...first, ...sentences].join('<br>');
}

function othersIn(report: SyncReport): string[] {
	const { ignored, asAttributes, partsOfName, options } = report;
	// Of those that are left, none can be an attribute.
	const isSet = options.otherColumns === 'attributes';
	const setting = isSet ? '' : " set 'Other Columns' under 'Options' to 'Save as Attributes',";
	return [
		...(ignored.size > 0
			? [
					`Columns ignored: ${named(ignored)}. To use them, rename them,${setting} or choose 'Map Each Column Manually'.`,
				]
			: []),
		...(asAttributes.size > 0 ? [`Columns saved as attributes: ${named(asAttributes)}.`] : []),
		...(partsOfName.length > 0
			? [
					`No column is the name: ${named(partsOfName)} may be only a part of it. For whole names, use the heading 'Full Name'.`,
				]
			: []),
	];
}

function countsIn({ results, options }: SyncReport): string[] {
	const counts = countRows(results);
	return Object.entries(ACTIONS).flatMap(([action, { words, plan }]) => {
		const count = counts.get(action as Counted);
		return count ? [`${count} ${options.dryRun ? plan : words}`] : [];
	});
}

/** How a run ends for which there was a dry run. */
function endIn({ rows, results, options, continues }: SyncReport): string[] {
	const failed = results.filter(({ error }) => error !== undefined);
	if (!options.dryRun || continues || failed.length === 0) return [];
	const { word } = placesOf(rows);
	if (options.stopAtFirstProblem)
		return [`A run stops with an error at the first of the ${word}s that fail.`];
	const stops = `A run stops with an error because of ${several(failed.length, word)}`;
	if (failed.length === rows.length) return [`${stops}.`];
	return [
		`${stops}, after it has saved the others. To go on, set 'On Error' in the node's settings to 'Continue (using error output)'.`,
	];
}

function consentIn(contacts: readonly SyncResult[], { dryRun }: SyncOptions): string[] {
	const sent = [true, false].flatMap((asked) => {
		const count = contacts.filter(({ optIn }) => optIn === asked).length;
		return count > 0 ? [`${asked ? 'Yes' : 'No'} for ${several(count, 'contact')}`] : [];
	});
	if (sent.length === 0) return [];
	const others = contacts.filter((each) => !isStillConfirmed(each));
	return [
		`'Opt In' ${dryRun ? 'to send' : 'sent'}: ${sent.join(', ')}.`,
		...(dryRun ? [] : otherStatuses(others)),
	];
}

function ambiguousIn(rows: readonly Row[]): string[] {
	const ambiguous = rows.filter(({ otherReading }) => otherReading !== undefined);
	const [first] = ambiguous;
	if (!first) return [];
	const count = several(ambiguous.length, 'phone number');
	const typed = `${quoted(first.typedPhone)} (${nameRows([first])})`;
	return [
		`${count} without a plus could also be of another country, such as ${typed}: it is read as ${first.phone}, but may be ${first.otherReading}. Write a plus before a number of another country.`,
	];
}

function newTagsIn({ newTags, rows, results }: SyncReport): string[] {
	if (newTags.length === 0) return [];
	const told = new Set<string>();
	const similar = newTags.flatMap(({ name, similar: other, isSimilarNew }) => {
		const pair = [name, other].sort().join('\n');
		if (other === undefined || told.has(pair)) return [];
		told.add(pair);
		return [`"${name}" (${isSimilarNew ? 'the input also has' : 'there is'} "${other}")`];
	});
	const created = `Tags that would be created: ${named(newTags.map(({ name }) => `"${name}"`))}.`;
	const { word } = placesOf(rows);
	const someFail = results.some(({ action }) => action === 'invalid' || action === 'failed');
	return [
		someFail ? `${created} Tags of ${word}s that fail are not listed.` : created,
		...(similar.length > 0
			? [
					`Some differ only in case or spelling: ${named(similar)}. Unless you correct them in the input, each is a tag of its own.`,
				]
			: []),
	];
}

/** What a run took; for a dry run, what the run will take. It reads the same, and then writes. */
function costIn({ results, requests, options }: SyncReport): string[] {
	if (!options.dryRun) return requests > 0 ? [`${several(requests, 'request')}.`] : [];
	const writes = [...new Set(results)].reduce((sum, { cost = 0 }) => sum + cost, 0);
	const needed = requests + writes;
	if (needed === 0) return [];
	return [`A run takes about ${several(needed, 'request')}: ${timeFor(needed)}.`];
}

const SHOWN_REASONS = 5;
const MAX_REASON_CHARACTERS = 400;

/** Why rows were not synced: the reasons that concern most rows first, each with what to do. */
function reasonsIn({ rows, results, options }: SyncReport): string[] {
	const said = results.flatMap(({ error }, index) => {
		const row = rows[index];
		return error === undefined || !row ? [] : [[textOf(error), row] as const];
	});
	const reasons = kindsOf(said).sort((a, b) => b.about.size - a.about.size);
	const isNoneSynced = results.every(
		({ action, error }) => error !== undefined || action === 'skipped',
	);
	const shown = reasons.slice(0, SHOWN_REASONS).map(({ sentence, areSame, about }, index) => {
		// If no row is synced, and most for this reason, it may be a setting, and the rows are no matter.
		if (isNoneSynced && index === 0 && areSame && about.size > 1) return sentence;
		const which = nameRows([...about]);
		return `${which.charAt(0).toUpperCase()}${which.slice(1)}${areSame ? '' : ', for example'}: ${sentence}`;
	});
	const more = reasons.length - SHOWN_REASONS;
	const where = options.dryRun ? "the 'note'" : 'the error';
	const { word } = placesOf(rows);
	return [
		...shown,
		...(more > 0 ? [`${several(more, 'other reason')}: see ${where} of the ${word}.`] : []),
	];
}

export function nameRows(rows: readonly Row[]): string {
	const { word, numbers } = placesOf(rows);
	return `${word}${numbers.length > 1 ? 's' : ''} ${named(numbers.map(String))}`;
}

/** Also of an error that nobody has foreseen. */
function textOf(error: unknown): string {
	if (!(error instanceof InputProblem) && !(error instanceof CrmError))
		return error instanceof Error ? error.message : 'Unknown error';
	const texts = [`${error.message}.`, error.description];
	return texts.map((text) => plainText(text, MAX_REASON_CHARACTERS)).join(' ');
}
