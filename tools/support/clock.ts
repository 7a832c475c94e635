import { delay } from './platform';

/** Where the sandbox takes time from. Times are milliseconds since 1970. */
export interface Clock {
	now(): number;
	sleep(delayMs: number): Promise<void>;
}

/** The machine's own time. */
export const realClock: Clock = {
	now: () => Date.now(),
	sleep: async (delayMs) => await delay(delayMs),
};

/** Time that runs `factor` times as fast, so that a minute of waiting costs a test a fraction. */
export function fastClock(factor: number): Clock {
	const startMs = Date.now();
	return {
		now: () => startMs + (Date.now() - startMs) * factor,
		sleep: async (delayMs) => await delay(delayMs / factor),
	};
}
