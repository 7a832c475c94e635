import type { WireRecord } from '../api/types';
import type { Baseline } from './baseline';
import type { Change } from './changeOutput';
import { compareKept, mergeKept, packKept, readKept, unpackKept, type Difference } from './kept';
import type { Watched } from './watched';

/**
 * Takes a record that was read into the baseline, and gives the events that follow from it: each change
 * once, because the next reading is compared with this one.
 */
export function observe(
	baseline: Baseline,
	watched: Watched,
	id: string,
	contact: WireRecord,
): Change[] {
	const { parts, events } = watched;
	const now = readKept(contact, parts);
	const entry = baseline.entries.get(id);
	if (!entry) {
		baseline.entries.set(id, { kept: packKept(now, parts), misses: 0, isFound: true });
		const isEvent = !baseline.isTakingStock || watched.startForExisting;
		return isEvent && events.has('entered') ? [{ event: 'entered', contact }] : [];
	}
	const before = unpackKept(entry.kept, parts);
	entry.kept = packKept(mergeKept(before, now), parts);
	entry.isFound = true;
	return compareKept(before, now, parts)
		.filter(({ event }) => events.has(event))
		.map((difference) => toChange(difference, contact));
}

function toChange(difference: Difference, contact: WireRecord): Change {
	const { event } = difference;
	switch (event) {
		case 'updated':
			return { event, contact, fields: difference.fields };
		case 'consentChanged':
			return { event, contact, consent: { from: difference.from, to: difference.to } };
		default:
			return { event, contact, tag: difference.tag };
	}
}

/**
 * What asking for a missing contact by its id gave: its record, `erased` for a 404, undefined if it is
 * still in the list, or nothing could be learnt.
 */
export type Found = WireRecord | 'erased' | undefined;

/** Takes a contact that is gone out of the baseline, and gives the event that follows from it. */
export function remove(
	baseline: Baseline,
	{ parts, events }: Watched,
	id: string,
	found: Exclude<Found, undefined>,
): Change[] {
	const entry = baseline.entries.get(id);
	if (!entry) return [];
	baseline.entries.delete(id);
	const { consent, tags } = unpackKept(entry.kept, parts);
	const before = { consent, tags };
	const isErased = found === 'erased';
	const contact = isErased ? { id } : found;
	// An erased contact has left the list, too.
	if (isErased && events.has('erased')) return [{ event: 'erased', contact, before }];
	return events.has('left') ? [{ event: 'left', contact, before }] : [];
}
