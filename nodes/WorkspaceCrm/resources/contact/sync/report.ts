import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../api/types';
import type { AutomaticMapping } from '../../../domain/contactColumns';
import { MAX_LABEL_CHARACTERS, plainText, several, usageText } from '../../../domain/text';
import type { BulkResult } from '../../../operations/define';
import type { Result } from './apply';
import type { DesiredContact } from './desired';
import type { ReadRow, Row } from './row';

/** How many other items of the same contact an output names. */
const SHOWN_ITEMS = 10;

const OPTED_OUT = 'The contact has opted out and was not opted in again.';
const KEPT_TAGS =
	'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';

type Outcome = BulkResult['outcomes'][number];

/** What came of each item; those of the same contact get the same. */
export function toOutcomes(
	rows: readonly ReadRow[],
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
	results.forEach((result, index) => {
		const { items = [] } = desired[index] ?? {};
		for (const item of items) {
			// Only some, because thousands may be the same by mistake, and each would name all others.
			const some = items.slice(0, SHOWN_ITEMS + 1);
			const same = some.filter((each) => each !== item).slice(0, SHOWN_ITEMS);
			const extra = { ...(same.length > 0 && { sameContactAs: same }), ...marks(isDryRun) };
			outcomes[item] = toOutcome(result, extra);
		}
	});
	return outcomes;
}

export function toMissing({ record }: Contact, isDryRun: boolean): IDataObject {
	return { ...record, sync: { action: 'missing', ...marks(isDryRun) } };
}

export function countResults(
	rows: readonly ReadRow[],
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
		saved: count('saved'),
		failed: results.length - done.length,
		missing,
		keptOptOuts: done.filter(({ keepsOptOut }) => keepsOptOut).length,
	};
}

function toOutcome(result: Result, extra: IDataObject): Outcome {
	if (result.error) return { json: { sync: { action: 'failed', ...extra } }, error: result.error };
	const { contact, action, changedFields, keepsOptOut, keepsTags } = result;
	const note = [keepsOptOut ? OPTED_OUT : '', keepsTags ? KEPT_TAGS : ''].join(' ').trim();
	const sync = {
		action,
		...(changedFields && { changedFields }),
		...(note && { note }),
		...extra,
	};
	return { json: { ...contact.record, sync } };
}

function marks(isDryRun: boolean): IDataObject {
	return isDryRun ? { dryRun: true } : {};
}

interface SyncCounts {
	rows: number;
	invalidRows: number;
	contacts: number;
	created: number;
	updated: number;
	unchanged: number;
	/** Contacts that were there and were saved without comparing them. */
	saved: number;
	failed: number;
	missing: number;
	/** Contacts that may be in the input or not, so that they are not listed as missing. */
	unclear: number;
	keptOptOuts: number;
}

const SHOWN_COLUMNS = 10;

/** What a run did, in a few sentences. */
export function summarize(
	counts: SyncCounts,
	{ requests, waitedMs }: { requests: number; waitedMs: number },
	run: {
		isDryRun: boolean;
		ignored: AutomaticMapping['ignored'];
		unreadableItem: number;
		/** Rows whose number, given without plus, could be another one. */
		twoReadings: readonly Row[];
	},
): string {
	const { isDryRun, ignored, unreadableItem } = run;
	const { rows, contacts, created, updated, unchanged, failed, invalidRows, missing } = counts;
	const results = [
		isDryRun ? `${created} to create` : `${created} created`,
		isDryRun ? `${updated} to update` : `${updated} updated`,
		`${unchanged} unchanged`,
		...savedWithoutComparing(counts.saved, isDryRun),
		...(failed > 0 ? [`${failed} failed`] : []),
		...(invalidRows > 0 ? [`${several(invalidRows, 'row')} invalid`] : []),
		...(missing > 0 ? [`${missing} missing from the input`] : []),
	];
	return [
		`${isDryRun ? 'Dry run, nothing was changed: ' : ''}${several(rows, 'row')}, ${several(contacts, 'contact')}: ${results.join(', ')}.`,
		usageText(requests, waitedMs),
		notMissing(counts.unclear, unreadableItem),
		readNationally(run.twoReadings),
		keptOptOuts(counts.keptOptOuts),
		ignoredColumns([...ignored]),
	]
		.filter((sentence) => sentence !== '')
		.join(' ');
}

function savedWithoutComparing(count: number, isDryRun: boolean): string[] {
	if (count === 0) return [];
	return [`${count} ${isDryRun ? 'to save' : 'saved'} without comparing`];
}

/** @param unreadableItem the index of an item that may be about anyone; -1 for none */
function notMissing(unclear: number, unreadableItem: number): string {
	if (unreadableItem >= 0) {
		return `No contacts are listed as missing, because the phone number of item ${unreadableItem + 1} cannot be read. Correct it and run the sync again.`;
	}
	if (unclear === 0) return '';
	return `${several(unclear, 'contact')} not listed as missing, because the input has a phone number that ends in the same digits.`;
}

function readNationally(rows: readonly Row[]): string {
	const [example] = rows;
	if (!example) return '';
	const { phone, otherReading } = example;
	return `${several(rows.length, 'phone number')} without a plus could also be of another country: ${phone} could be ${otherReading}.`;
}

function keptOptOuts(count: number): string {
	if (count === 0) return '';
	const who =
		count === 1 ? '1 contact has opted out and was' : `${count} contacts have opted out and were`;
	return `${who} not opted in again.`;
}

function ignoredColumns(names: string[]): string {
	if (names.length === 0) return '';
	const shown = names
		.slice(0, SHOWN_COLUMNS)
		.map((name) => plainText(name, MAX_LABEL_CHARACTERS))
		.join(', ');
	const more = names.length - SHOWN_COLUMNS;
	return `Columns ignored: ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}
