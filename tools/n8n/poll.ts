import { delay } from '../support/platform';

const pollMs = 100;
/** Long, for slow machines: only a failing test waits until the end. */
const patienceMs = 120_000;

/**
 * Reads until the value is settled, and returns it.
 *
 * @param awaited names in the error what did not happen; the error also shows the beginning of the last value
 */
export async function poll<Value>(
	read: () => Promise<Value> | Value,
	isSettled: (value: Value) => boolean,
	awaited: string,
	timeoutMs = patienceMs,
): Promise<Value> {
	const deadlineMs = Date.now() + timeoutMs;
	let value: Value | undefined;
	while (Date.now() < deadlineMs) {
		value = await read();
		if (isSettled(value)) return value;
		await delay(pollMs);
	}
	const last = String(JSON.stringify(value)).slice(0, 200);
	throw new Error(`Waited ${timeoutMs / 1_000} s in vain for ${awaited}, but: ${last}`);
}
