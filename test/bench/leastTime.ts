/**
 * The least possible time in which a limiter lets a number of requests pass, when each is sent at
 * the very moment from which on it is allowed. Exact, and computed from what the limiter is, not
 * from how a client behaves. In milliseconds, up to the last request's arrival.
 */
import type { LimiterOptions } from '../sandbox';

interface Rate {
	limit: number;
	windowMs: number;
}

/**
 * Windows that begin with the first request, and every span of a window: both let `limit` requests
 * pass at once, and the next ones a window later, so request n waits for n / limit whole windows.
 */
function leastInWindows(requests: number, { limit, windowMs }: Rate): number {
	return Math.floor((requests - 1) / limit) * windowMs;
}

/**
 * Windows of the clock: the first ends after `leftMs`, and gives up to `limit` requests like any
 * other; each later one begins where the one before it ends.
 */
function leastInClockWindows(requests: number, rate: Rate, leftMs: number): number {
	const fullWindowsMs = leastInWindows(requests, rate);
	return fullWindowsMs === 0 ? 0 : fullWindowsMs - rate.windowMs + leftMs;
}

/**
 * A bucket gives `burst` requests at once. It then never overflows, because each token is used as
 * soon as it is there, so every further request costs the time in which one token comes.
 */
function leastFromBucket(requests: number, { limit, windowMs }: Rate, burst: number): number {
	return Math.max(0, requests - burst) * (windowMs / limit);
}

/** @param leftMs of the window in which the first request comes, where windows are the clock's */
export function leastTimeMs(options: LimiterOptions, requests: number, leftMs = 0): number {
	const rate = { limit: options.limit ?? 120, windowMs: options.windowMs ?? 60_000 };
	switch (options.kind) {
		case 'off':
			return 0;
		case 'sliding':
			return leastInWindows(requests, rate);
		case 'fixed':
			return options.fixedWindowFrom === 'epoch'
				? leastInClockWindows(requests, rate, leftMs)
				: leastInWindows(requests, rate);
		case 'tokenBucket':
			return leastFromBucket(requests, rate, options.burst ?? rate.limit);
	}
}
