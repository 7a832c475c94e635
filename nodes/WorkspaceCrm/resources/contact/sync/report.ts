import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../api/types';
import { InputProblem } from '../../../domain/problem';
import { MAX_LABEL_CHARACTERS, plainText, several, usageText } from '../../../domain/text';
import type { BulkResult } from '../../../operations/define';
import type { Result } from './apply';
import type { Plan } from './plan';
import type { Row } from './row';

const OPTED_OUT = 'The contact has opted out and was not opted in again.';
const KEPT_TAGS =
	'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';

const WOULD = {
	created: 'wouldCreate',
	updated: 'wouldUpdate',
	saved: 'wouldSave',
	unchanged: 'unchanged',
};

type Outcome = BulkResult['outcomes'][number];
type Success = Exclude<Result, { error: Error }>;

/** What came of each item; those of the same contact get the same. A dry run has no errors. */
export function toOutcomes(
	rows: readonly Row[],
	plans: readonly Plan[],
	results: readonly Result[],
	isDryRun: boolean,
): Outcome[] {
	const outcomes = rows.map(({ phone, id, problem }): Outcome => {
		const known = { ...(id && { id }), ...(phone && { phone }) };
		return withError('invalid', problem, isDryRun, known);
	});
	results.forEach((result, index) => {
		for (const item of plans[index]?.desired.items ?? []) {
			outcomes[item] = result.error
				? withError('failed', result.error, isDryRun)
				: { json: withSync(result.contact.record, syncOf(result, isDryRun)) };
		}
	});
	return outcomes;
}

function withError(
	action: string,
	error: unknown,
	isDryRun: boolean,
	known: IDataObject = {},
): Outcome {
	if (!isDryRun) return { json: { sync: { action } }, error };
	const remedy = error instanceof InputProblem ? error.remedy : '';
	const note = [(error as Error | undefined)?.message, remedy].filter((text) => text).join('. ');
	return { json: withSync(known, { action, note, dryRun: true }) };
}

function syncOf(result: Success, isDryRun: boolean): IDataObject {
	const { action, changedFields, keepsOptOut, keepsTags } = result;
	const note = [keepsOptOut ? OPTED_OUT : '', keepsTags ? KEPT_TAGS : ''].join(' ').trim();
	return {
		action: isDryRun ? WOULD[action] : action,
		...(changedFields && { changedFields }),
		...(note && { note }),
		...(isDryRun && { dryRun: true }),
	};
}

export function toMissing({ record }: Contact, isDryRun: boolean): IDataObject {
	return withSync(record, { action: 'missing', ...(isDryRun && { dryRun: true }) });
}

/** What happened, the name and the phone come first, where they are seen. */
function withSync(record: IDataObject, sync: IDataObject): IDataObject {
	const { name, phone } = record;
	const first = { ...(name !== undefined && { name }), ...(phone !== undefined && { phone }) };
	return { sync, ...first, ...record };
}

interface Run {
	rows: readonly Row[];
	results: readonly Result[];
	isDryRun: boolean;
	/** The input columns that went nowhere. */
	ignored: Iterable<string>;
	/** How many contacts are missing from the input. */
	missing: number;
	/** How many may be missing: the CRM has no phone number of them that could be compared. */
	unclear: number;
	/** The index of an item that may be about anyone; -1 for none. */
	unreadableItem: number;
	usage: { requests: number; waitedMs: number };
}

/** What a run did, in a few sentences. */
export function summarize(run: Run): string {
	const { rows, results, isDryRun, missing, usage } = run;
	const done = results.filter((result) => result.error === undefined);
	const count = (action: string) => done.filter((result) => result.action === action).length;
	const failed = results.length - done.length;
	const invalid = rows.filter(({ problem }) => problem !== undefined).length;
	const keptOptOuts = done.filter((result) => result.keepsOptOut).length;
	const ifAny = (number: number, text: string) => (number > 0 ? [text] : []);
	const counts = [
		`${count('created')} ${isDryRun ? 'to create' : 'created'}`,
		`${count('updated')} ${isDryRun ? 'to update' : 'updated'}`,
		`${count('unchanged')} unchanged`,
		...ifAny(
			count('saved'),
			`${count('saved')} ${isDryRun ? 'to save' : 'saved'} without comparing`,
		),
		...ifAny(failed, `${failed} failed`),
		...ifAny(invalid, `${several(invalid, 'row')} invalid`),
		...ifAny(missing, `${missing} missing from the input`),
	];
	return [
		`${isDryRun ? 'Dry run, nothing was changed: ' : ''}${several(rows.length, 'row')}, ${several(results.length, 'contact')}: ${counts.join(', ')}.`,
		usageText(usage.requests, usage.waitedMs),
		notMissing(run),
		withSecondReading(rows),
		...ifAny(keptOptOuts, `${several(keptOptOuts, 'opted-out contact')} not opted in again.`),
		storedDifferently(done.map((each) => each.storedDifferently ?? [])),
		named('Columns ignored', [...run.ignored]),
	]
		.filter((sentence) => sentence !== '')
		.join(' ');
}

function notMissing({ unreadableItem, unclear }: Run): string {
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
