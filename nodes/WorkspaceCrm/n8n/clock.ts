import { sleep } from 'n8n-workflow';

/** Where waiting, time and chance come from; tests bring their own. */
export interface Clock {
	/** The date, in milliseconds since 1970. It jumps when somebody sets the machine's clock. */
	now(): number;
	/** Milliseconds since some moment in the past; never goes back. For durations. */
	elapsedMs(): number;
	sleep(delayMs: number): Promise<void>;
	/** A signal that aborts after so long. */
	signalAfter(delayMs: number): AbortSignal;
	/** From 0 up to 1, not included. */
	random(): number;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	elapsedMs: () => performance.now(),
	sleep: async (delayMs) => await sleep(delayMs),
	// Node.js takes whole milliseconds only, and what is left of a deadline is a fraction.
	signalAfter: (delayMs) => AbortSignal.timeout(Math.ceil(delayMs)),
	random: () => Math.random(),
};

/** Longest sleep in one piece: a stopped execution stops waiting within this time. */
export const MAX_SLEEP_MS = 250;
