import type { Baseline } from './baseline';

/** A contact counts as gone only after so many complete readings in a row without it. */
const READINGS_UNTIL_GONE = 2;

/**
 * If very many are missing at once, the service has more likely lost its list than its contacts. So they
 * have to be missing from more readings.
 */
export const READINGS_IF_MANY = 5;

const MANY = 10;
const MANY_SHARE = 0.1;

export interface Missing {
	/** Contacts that were missing from as many readings as it takes. */
	ids: string[];
	/** How many are missing, if they are too many to be believed at once. */
	waitsFor?: number;
}

/** Counts who is missing, after a reading that was complete. */
export function countMissing({ entries }: Baseline): Missing {
	const missing: string[] = [];
	for (const [id, entry] of entries) {
		entry.misses = entry.isFound ? 0 : entry.misses + 1;
		if (!entry.isFound) missing.push(id);
	}
	const isMany = missing.length > Math.max(MANY, MANY_SHARE * entries.size);
	const needed = isMany ? READINGS_IF_MANY : READINGS_UNTIL_GONE;
	const ids = missing.filter((id) => (entries.get(id)?.misses ?? 0) >= needed);
	return { ids, ...(isMany && ids.length < missing.length && { waitsFor: missing.length }) };
}

/** After a reading that was not complete, only those that it found are certain. */
export function forgetMisses({ entries }: Baseline): void {
	for (const entry of entries.values()) if (entry.isFound) entry.misses = 0;
}
