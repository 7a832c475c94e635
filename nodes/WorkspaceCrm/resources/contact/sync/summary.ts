import { MAX_LABEL_CHARACTERS, plainText } from '../../../domain/text';
import type { AutomaticMapping } from './automatic';

export interface SyncCounts {
	rows: number;
	invalidRows: number;
	contacts: number;
	created: number;
	updated: number;
	unchanged: number;
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
	run: { isDryRun: boolean; ignored: AutomaticMapping['ignored']; unreadableItem: number },
): string {
	const { isDryRun, ignored, unreadableItem } = run;
	const { rows, contacts, created, updated, unchanged, failed, invalidRows, missing } = counts;
	const results = [
		isDryRun ? `${created} to create` : `${created} created`,
		isDryRun ? `${updated} to update` : `${updated} updated`,
		`${unchanged} unchanged`,
		...(failed > 0 ? [`${failed} failed`] : []),
		...(invalidRows > 0 ? [`${several(invalidRows, 'row')} invalid`] : []),
		...(missing > 0 ? [`${missing} missing from the input`] : []),
	];
	const seconds = several(Math.round(waitedMs / 1_000), 'second');
	return [
		`${isDryRun ? 'Dry run, nothing was changed: ' : ''}${several(rows, 'row')}, ${several(contacts, 'contact')}: ${results.join(', ')}.`,
		`${several(requests, 'request')}, ${seconds} of waiting for the rate limit.`,
		notMissing(counts.unclear, unreadableItem),
		keptOptOuts(counts.keptOptOuts),
		ignoredColumns([...ignored]),
	]
		.filter((sentence) => sentence !== '')
		.join(' ');
}

/** @param unreadableItem the index of an item that may be about anyone; -1 for none */
function notMissing(unclear: number, unreadableItem: number): string {
	if (unreadableItem >= 0) {
		return `No contacts are listed as missing, because the phone number of item ${unreadableItem} cannot be read. Correct it and run the sync again.`;
	}
	if (unclear === 0) return '';
	return `${several(unclear, 'contact')} not listed as missing, because the input has a phone number with the same end.`;
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

function several(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
