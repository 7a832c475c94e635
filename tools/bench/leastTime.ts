import type { LimiterOptions } from '../sandbox';

/**
 * The least time, in milliseconds, in which a limiter lets a number of requests pass if each is sent as soon as
 * it is allowed. It follows from the limiter, not from how a client behaves.
 *
 * @param leftMs what is left of the first request's window, if windows follow the clock
 */
export function leastTimeMs(options: LimiterOptions, requests: number, leftMs = 0): number {
	const { kind, limit = 120, windowMs = 60_000, burst = limit, fixedWindowFrom } = options;
	if (kind === 'off') return 0;
	// It never overflows, because each token is used as soon as it is there.
	if (kind === 'tokenBucket') return Math.max(0, requests - burst) * (windowMs / limit);
	const windowsMs = Math.floor((requests - 1) / limit) * windowMs;
	const isOfClock = kind === 'fixed' && fixedWindowFrom === 'epoch';
	// The clock's first window is shorter, and each later one starts where the one before it ends.
	return isOfClock && windowsMs > 0 ? windowsMs - windowMs + leftMs : windowsMs;
}
