/** The source of time, sleep and random numbers; tests replace it. */
export interface Clock {
	/** Milliseconds since 1970. It jumps when the machine's clock is set. */
	now(): number;
	/** Milliseconds from an arbitrary start; never goes back. For durations. */
	elapsedMs(): number;
	sleep(delayMs: number): Promise<void>;
	/** A signal that aborts after the delay. */
	signalAfter(delayMs: number): AbortSignal;
	/** From 0 up to 1, not included. */
	random(): number;
}

/** The longest single sleep, so that a stopped execution stops waiting within this time. */
export const MAX_SLEEP_MS = 250;

/** A signal that aborts some time after another one, or after now if that has aborted. */
export function later(signal: AbortSignal, delayMs: number, clock: Clock): AbortSignal {
	const end = new AbortController();
	const begin = () =>
		clock.signalAfter(delayMs).addEventListener('abort', () => end.abort(signal.reason));
	// Node.js warns about more than ten listeners of one signal, and a loop runs the node many times.
	if (signal.aborted) begin();
	else AbortSignal.any([signal]).addEventListener('abort', begin);
	return end.signal;
}
