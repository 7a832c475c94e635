import { CrmError } from '../../../crm/crmError';
import { REFERENCE_RULE } from '../../../crm/rateLimiter';
import type { Contact } from '../../../crm/records';
import { InputProblem } from '../../../domain/problem';
import { MAX_LABEL_CHARACTERS, plainText, several } from '../../../domain/text';
import type { Result } from './plan';
import type { Row } from './row';
import type { SyncOptions } from './syncFields';

/** A tag that a run would create, and one that differs from it only in case or spelling. */
export interface NewTag {
	name: string;
	similar?: string;
}

export interface SyncReport {
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
	newTags: readonly NewTag[];
}

/** For each action: its name in a dry run, and its words in the summaries of a run and of a dry run. */
export const ACTIONS = {
	created: { dryRun: 'wouldCreate', words: 'created', plan: 'to create' },
	updated: { dryRun: 'wouldUpdate', words: 'updated', plan: 'to update' },
	unchanged: { dryRun: 'unchanged', words: 'unchanged', plan: 'unchanged' },
	optInNo: {
		dryRun: 'wouldSendNo',
		words: "sent only 'Opt In: No' again",
		plan: "to send only 'Opt In: No' again",
	},
	saved: {
		dryRun: 'wouldSave',
		words: 'saved (changes unknown)',
		plan: 'to save without comparing',
	},
	merged: {
		dryRun: 'merged',
		words: 'merged with another row of the same contact',
		plan: 'to merge with another row of the same contact',
	},
	skipped: { dryRun: 'skipped', words: 'skipped (blank)', plan: 'skipped (blank)' },
	invalid: { dryRun: 'invalid', words: 'invalid', plan: 'invalid' },
	failed: { dryRun: 'failed', words: 'failed', plan: 'failed' },
	notStarted: { dryRun: 'notStarted', words: 'not started', plan: 'not started' },
} as const;

type Counted = keyof typeof ACTIONS;

/** How each row is counted: of the rows of one contact, the first has the result, the others are merged. */
export function countRows(results: readonly Result[]): Map<Counted, number> {
	const counts = new Map<Counted, number>();
	const seen = new Set<Result>();
	for (const result of results) {
		const counted = seen.has(result) && result.error === undefined ? 'merged' : result.action;
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
	const saved = count('created', 'updated', 'optInNo', 'saved', 'unchanged');
	// If nothing was saved, the reason is the title.
	if (rows.length < 2 || saved === 0) return undefined;
	const are = saved === 1 ? 'is' : 'are';
	return `${open} of ${rows.length} rows were not synced, ${several(saved, 'contact')} ${are} saved`;
}

/** A text that is left out if its count is zero. */
type Line = [count: number, text: string];

interface Missing {
	listed: number;
	missing: number;
	why: string;
}

/** Summarizes a run in a few sentences, or a dry run line by line. */
export function summarize(run: SyncReport, { listed, missing, why }: Missing): string {
	const { rows, results, ignored, newTags } = run;
	const { dryRun } = run.options;
	const counts = countRows(results);
	const inOrder = Object.entries(ACTIONS).map(([action, { words, plan }]): Line => {
		const count = counts.get(action as Counted) ?? 0;
		return [count, `${count} ${dryRun ? plan : words}`];
	});
	const contacts = [...new Set(results)];
	const optedOut = contacts.filter(({ keepsOptOut }) => keepsOptOut).length;
	const pending = contacts.filter(({ isPending }) => isPending).length;
	const stored = contacts.flatMap(({ storedDifferently }) => storedDifferently ?? []);
	const ambiguous = rows.filter(({ otherReading }) => otherReading !== undefined);
	const example = `${ambiguous[0]?.phone} could be ${ambiguous[0]?.otherReading}`;
	const similar = newTags.flatMap((tag) =>
		tag.similar ? [`${tag.name} (there is ${tag.similar})`] : [],
	);
	const asked = (answer: string) =>
		contacts.filter(({ changes }) => changes?.opt_in?.to === answer).length;
	const [yes, no] = [asked('Yes'), asked('No')];
	const consent = textsOf([
		[yes, `Yes for ${several(yes, 'contact')}`],
		[no, `No for ${several(no, 'contact')}`],
	]).join(', ');
	const sentences = textsOf([
		[consent.length, `'Opt In' ${dryRun ? 'to send' : 'sent'}: ${consent}.`],
		...reasonsIn(results).map((reason): Line => [1, reason]),
		[listed, `${several(listed, 'contact')} of the CRM missing from the input.`],
		[
			missing - listed,
			`${several(missing - listed, 'contact')} not listed as missing, because ${why}.`,
		],
		[
			ambiguous.length,
			`${several(ambiguous.length, 'phone number')} without a plus could also be of another country: ${example}.`,
		],
		[optedOut, `${several(optedOut, 'opted-out contact')} not opted in again.`],
		[pending, `${several(pending, 'pending contact')} not confirmed yet, so not opted in again.`],
		[newTags.length, `Tags that would be created: ${named(newTags.map(({ name }) => name))}.`],
		[similar.length, `Some differ only in case or spelling: ${named(similar)}.`],
		[
			stored.length,
			`The CRM stores some values differently, so each run sends them again: ${named(stored)}.`,
		],
		[ignored.size, `Columns ignored: ${named(ignored)}.`],
	]);
	const head = several(rows.length, 'row');
	const cost = costIn(run);
	if (!dryRun) return [`${head}: ${textsOf(inOrder).join(', ')}.`, cost, ...sentences].join(' ');
	// The editor shows hints as HTML.
	const lines = [`Dry run, nothing was changed: ${head}.`, ...textsOf(inOrder), cost, ...sentences];
	return lines.join('<br>');
}

/** What a run took; for a dry run, what the run will take. It reads the same, and then writes. */
function costIn({ results, requests, options }: SyncReport): string {
	if (!options.dryRun) return `${several(requests, 'request')}.`;
	const writes = [...new Set(results)].reduce((sum, { cost = 0 }) => sum + cost, 0);
	const needed = requests + writes;
	const minutes = Math.ceil(needed / REFERENCE_RULE.limit);
	return `A run takes about ${several(needed, 'request')}, or ${several(minutes, 'minute')} at ${REFERENCE_RULE.limit} requests a minute.`;
}

const SHOWN_REASONS = 3;

/** Why rows were not synced: the reasons that concern most rows first, each with what to do. */
function reasonsIn(results: readonly Result[]): string[] {
	const reasons = new Map<string, { count: number; text: string }>();
	for (const { error } of results) {
		if (!(error instanceof InputProblem || error instanceof CrmError)) continue;
		// Without the values, which differ from row to row.
		const kind = error.message.replace(/\\./g, '').replace(/"[^"]*"|[+\d][\d-]*/g, '…');
		const { count = 0, text = `${error.message}. ${error.description}` } = reasons.get(kind) ?? {};
		reasons.set(kind, { count: count + 1, text });
	}
	const sorted = [...reasons.values()].sort((a, b) => b.count - a.count);
	const shown = sorted
		.slice(0, SHOWN_REASONS)
		.map(
			({ count, text }) =>
				`${several(count, 'row')}${count > 1 ? ', for example' : ''}: ${plainText(text, MAX_REASON_CHARACTERS)}`,
		);
	const more = sorted.length - SHOWN_REASONS;
	return [...shown, ...(more > 0 ? [`${several(more, 'other reason')}.`] : [])];
}

const MAX_REASON_CHARACTERS = 300;

function textsOf(all: readonly Line[]): string[] {
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
