import type { RecordPage } from '../api/client';
import { CrmError } from '../api/crmError';
import { firstText } from '../api/assumptions';
import type { WireRecord } from '../api/types';
import { isJsonObject } from '../domain/json';
import type { Baseline, Reading } from './baseline';

/**
 * - `complete`: each contact of the list was found, so those that were not found are missing.
 * - `incomplete`: the end was reached, but contacts may have been skipped.
 * - `paused`: the time is over, and the next poll goes on.
 */
export type ReadingEnd = 'complete' | 'incomplete' | 'paused';

/** With all that can be kept, 50,000 contacts take 3.7 MB of static data. */
const MAX_CONTACTS = 50_000;

/**
 * Reads the list from where the last poll stopped, page by page. Each contact is handed over once in a
 * reading, at the moment in which it was read, so that a later failure takes nothing back.
 *
 * @param onRecord gets each contact, and is to add it to the baseline if it is not known
 * @throws CrmError when the list is too long; whatever fetching throws
 */
export async function readOn(
	baseline: Baseline,
	fetch: (offset: number) => Promise<RecordPage>,
	onRecord: (id: string, record: WireRecord) => void,
	hasTime: () => boolean,
): Promise<ReadingEnd> {
	const { entries, reading } = baseline;
	while (hasTime()) {
		const page = await fetch(reading.offset);
		countPage(reading, page);
		let isNew = false;
		for (const record of page.records) {
			const id = idOf(record);
			if (id === undefined || entries.get(id)?.isFound) continue;
			isNew = true;
			reading.found += 1;
			reading.foundNew ||= !entries.has(id);
			if (!entries.has(id) && entries.size >= MAX_CONTACTS) throw tooLong();
			onRecord(id, record);
		}
		const { offset, lastTotal } = reading;
		// Without a total, only a page that brings nothing new tells the end.
		const isEnd = lastTotal === undefined ? !isNew : offset >= lastTotal;
		if (isEnd || page.records.length === 0) return isComplete(reading) ? 'complete' : 'incomplete';
	}
	return 'paused';
}

function countPage(reading: Reading, { records, total }: RecordPage): void {
	if (total !== undefined && total > MAX_CONTACTS) throw tooLong();
	reading.offset += records.length;
	if (total === undefined) return;
	reading.hasShrunk ||= total < (reading.lastTotal ?? 0);
	reading.firstTotal ??= total;
	reading.lastTotal = total;
}

/**
 * Whether all that the list held at first was found. Contacts that are added push others back, so those
 * are read twice and none is skipped. One that is removed pulls others forward, past the place of reading.
 */
function isComplete({ found, firstTotal, hasShrunk }: Reading): boolean {
	if (firstTotal === undefined) return true;
	return !hasShrunk && found >= firstTotal;
}

/** The id of the contact in a row; rows of a segment are not stated, and may have an id of their own. */
export function idOf(row: WireRecord): string | undefined {
	const { contact } = row;
	const id = firstText(row, ['contact_id', 'contactId']);
	return (
		id ?? firstText(isJsonObject(contact) ? (contact as WireRecord) : row, ['id', 'uuid', '_id'])
	);
}

function tooLong(): CrmError {
	return new CrmError(
		`More than ${MAX_CONTACTS.toLocaleString('en')} contacts would have to be watched`,
		'Watch a segment, or filter by a tag. Build the segment in the app so that it holds only the contacts that matter to this workflow.',
	);
}
