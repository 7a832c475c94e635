import { createHash } from 'node:crypto';

/**
 * Keys of deliveries that have started the workflow, as they are stored: for each minute since
 * 1970, its keys in one text, oldest first. That is small, and what is too old goes a minute at a
 * time.
 */
export type StoredKeys = Record<string, string>;

/**
 * The service gives up after about 31 minutes (API reference, delivery). Clocks differ, and a
 * service may be down for a while, so keys are kept for two hours.
 */
export const KEEP_MS = 2 * 60 * 60_000;

const MINUTE_MS = 60_000;
const KEY_CHARACTERS = 9;

/** A short text that stands for any other: 54 bits of its hash. */
export function keyOf(text: string | Buffer): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, KEY_CHARACTERS);
}

/** The keys of a minute in one text, and when the minute began, for each minute stored. */
export function readMinutes(
	stored: StoredKeys,
): Array<{ minute: string; startMs: number; text: string }> {
	return Object.entries(stored)
		.filter(([minute, text]) => Number.isSafeInteger(Number(minute)) && typeof text === 'string')
		.map(([minute, text]) => ({ minute, startMs: Number(minute) * MINUTE_MS, text }));
}

/** The keys in the text of a minute. */
export function splitKeys(text: string): string[] {
	const count = Math.floor(text.length / KEY_CHARACTERS);
	return Array.from({ length: count }, (_, index) =>
		text.slice(index * KEY_CHARACTERS, (index + 1) * KEY_CHARACTERS),
	);
}

/** Adds keys, and drops the oldest ones beyond the time and the number that are kept. */
export function addKeys(stored: StoredKeys, keys: string[], atMs: number, maxKeys: number): void {
	const minute = Math.floor(atMs / MINUTE_MS);
	stored[minute] = `${stored[minute] ?? ''}${keys.join('')}`;

	// A quarter goes at a time, and not a few with each delivery.
	const quarter = Math.floor(maxKeys / 4) * KEY_CHARACTERS;
	let room = maxKeys * KEY_CHARACTERS;
	const minutes = Object.keys(stored)
		.map(Number)
		.sort((a, b) => b - a);
	for (const each of minutes) {
		const isOld = each < minutes[0] - KEEP_MS / MINUTE_MS;
		const { length } = stored[each];
		if (!isOld && length <= room) {
			room -= length;
			continue;
		}
		const kept = isOld ? 0 : room - quarter;
		if (kept > 0) stored[each] = stored[each].slice(length - kept);
		else delete stored[each];
		room = 0;
	}
}

/** Takes keys out, as if they had never come. */
export function removeKeys(stored: StoredKeys, keys: string[]): void {
	for (const minute of Object.keys(stored)) {
		const kept = splitKeys(stored[minute]).filter((key) => !keys.includes(key));
		stored[minute] = kept.join('');
	}
}
