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
