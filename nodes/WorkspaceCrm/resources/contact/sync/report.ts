import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../api/types';
import { isJsonObject } from '../../../domain/json';
import { InputProblem } from '../../../domain/problem';
import { MAX_LABEL_CHARACTERS, plainText, several, usageText } from '../../../domain/text';
import type { BulkResult } from '../../../operations/define';
import type { Result } from './apply';
import type { DesiredContact } from './desired';
import type { Row } from './row';

/** How many other items of the same contact an output names. */
const SHOWN_ITEMS = 10;

const OPTED_OUT = 'The contact has opted out and was not opted in again.';
const KEPT_TAGS =
	'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';

const WOULD = { created: 'wouldCreate', updated: 'wouldUpdate', saved: 'wouldSave' };

type Outcome = BulkResult['outcomes'][number];

/** What came of each item; those of the same contact get the same. A dry run has no errors. */
export function toOutcomes(
	rows: readonly Row[],
	desired: readonly DesiredContact[],
	results: readonly Result[],
	isDryRun: boolean,
): Outcome[] {
	const mark = isDryRun ? { dryRun: true } : {};
	const outcomes = rows.map(({ phone, id, problem }): Outcome => {
		if (problem === undefined) return { json: {} };
		const known = isDryRun ? { ...(id && { id }), ...(phone && { phone }) } : {};
		return withError({ action: 'invalid', ...mark }, problem, known, isDryRun);
	});
	results.forEach((result, index) => {
		const { items = [] } = desired[index] ?? {};
		for (const item of items) {
			// Only some, because thousands may be the same by mistake, and each would name all others.
			const some = items.slice(0, SHOWN_ITEMS + 1);
			const same = some.filter((each) => each !== item).slice(0, SHOWN_ITEMS);
			const extra = { ...(same.length > 0 && { sameContactAs: same }), ...mark };
			outcomes[item] = result.error
				? withError({ action: 'failed', ...extra }, result.error, {}, isDryRun)
				: { json: withSync(result.contact.record, { ...toSync(result, isDryRun), ...extra }) };
		}
	});
	return outcomes;
}

function withError(
	sync: IDataObject,
	error: unknown,
	known: IDataObject,
	isDryRun: boolean,
): Outcome {
	if (!isDryRun) return { json: { sync }, error };
	const remedy = error instanceof InputProblem ? error.remedy : '';
	const note = [(error as Error).message, remedy].filter((text) => text).join('. ');
	return { json: withSync(known, { ...sync, note }) };
}

function toSync(result: Exclude<Result, { error: Error }>, isDryRun: boolean): IDataObject {
	const { action, changedFields, keepsOptOut, keepsTags } = result;
	const note = [keepsOptOut ? OPTED_OUT : '', keepsTags ? KEPT_TAGS : ''].join(' ').trim();
	return {
		action: isDryRun && action !== 'unchanged' ? WOULD[action] : action,
		...(changedFields && { changedFields }),
		...(note && { note }),
	};
}

export function toMissing({ record }: Contact, isDryRun: boolean): IDataObject {
	return withSync(record, { action: 'missing', ...(isDryRun && { dryRun: true }) });
}

/** What happened, the name and the phone come first, where they are seen. */
function withSync(record: IDataObject, sync: IDataObject): IDataObject {
	const { name, phone } = record;
	const first = { ...('name' in record && { name }), ...('phone' in record && { phone }) };
	return { sync, ...first, ...record, ...(isJsonObject(record.sync) && { sync }) };
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
	const [saved, keptOptOuts] = [count('saved'), done.filter((each) => each.keepsOptOut).length];
	const counts = [
		`${count('created')} ${isDryRun ? 'to create' : 'created'}`,
		`${count('updated')} ${isDryRun ? 'to update' : 'updated'}`,
		`${count('unchanged')} unchanged`,
		...(saved > 0 ? [`${saved} ${isDryRun ? 'to save' : 'saved'} without comparing`] : []),
		...(failed > 0 ? [`${failed} failed`] : []),
		...(invalid > 0 ? [`${several(invalid, 'row')} invalid`] : []),
		...(missing > 0 ? [`${missing} missing from the input`] : []),
	];
	return [
		`${isDryRun ? 'Dry run, nothing was changed: ' : ''}${several(rows.length, 'row')}, ${several(results.length, 'contact')}: ${counts.join(', ')}.`,
		usageText(usage.requests, usage.waitedMs),
		notMissing(run),
		withSecondReading(rows),
		keptOptOuts === 0
			? ''
			: `${keptOptOuts === 1 ? '1 contact has opted out and was' : `${keptOptOuts} contacts have opted out and were`} not opted in again.`,
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
	return `${several(unclear, 'contact')} not listed as missing, because the CRM has no international phone number for ${unclear === 1 ? 'it' : 'them'}.`;
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
