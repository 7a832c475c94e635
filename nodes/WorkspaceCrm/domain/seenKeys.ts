import { createHash } from 'node:crypto';

/**
 * Keys of deliveries that have started the workflow, as they are stored: for each minute since
 * 1970, its keys in one text. That is small, and what is too old goes a minute at a time.
 */
export type StoredKeys = Record<string, string>;

/**
 * The service gives up after about 31 minutes (API reference, delivery). Clocks differ, and a
 * service may be down for a while, so keys are kept for two hours.
 */
export const KEEP_MS = 2 * 60 * 60_000;

const MINUTE_MS = 60_000;
const KEY_CHARACTERS = 12;

/** A short text that stands for any other: 72 bits of its hash, without a space. */
export function keyOf(text: string | Buffer): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, KEY_CHARACTERS);
}

/** The keys of a minute, and when the minute began, for each minute stored. */
export function readKeys(
	stored: StoredKeys,
): Array<{ minute: string; startMs: number; text: string }> {
	return Object.entries(stored)
		.filter(([minute, text]) => Number.isSafeInteger(Number(minute)) && typeof text === 'string')
		.map(([minute, text]) => ({ minute, startMs: Number(minute) * MINUTE_MS, text }));
}

/** Adds keys, and drops the oldest minutes beyond the time and the number that are kept. */
export function addKeys(stored: StoredKeys, keys: string[], atMs: number, maxKeys: number): void {
	const minute = Math.floor(atMs / MINUTE_MS);
	stored[minute] = `${stored[minute] ?? ' '}${keys.join(' ')} `;

	const minutes = Object.keys(stored)
		.map(Number)
		.sort((a, b) => b - a);
	let count = 0;
	for (const each of minutes) {
		count += Math.floor(stored[each].length / (KEY_CHARACTERS + 1));
		const isOld = each < minutes[0] - KEEP_MS / MINUTE_MS;
		if (isOld || (count > maxKeys && each !== minutes[0])) delete stored[each];
	}
}

/** Takes keys out, as if they had never come. */
export function removeKeys(stored: StoredKeys, keys: string[]): void {
	for (const minute of Object.keys(stored)) {
		for (const key of keys) stored[minute] = stored[minute].replace(` ${key} `, ' ');
	}
}
