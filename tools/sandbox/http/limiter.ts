import type { Clock } from '../../support/clock';
import type { LimiterOptions } from '../options';

export interface Limiter {
	/** Says how long the caller must wait: 0 when the request may pass (and is then counted). */
	waitMs(key: string): number;
}

interface Rate {
	limit: number;
	windowMs: number;
}

/** Counts in every span of `windowMs`, whenever it begins. Refused requests are not counted. */
function slidingLimiter(clock: Clock, { limit, windowMs }: Rate): Limiter {
	const timesMs = new Map<string, number[]>();
	return {
		waitMs(key) {
			const nowMs = clock.now();
			const all = timesMs.get(key) ?? [];
			const firstRecent = all.findIndex((atMs) => atMs > nowMs - windowMs);
			const recent = firstRecent === 0 ? all : firstRecent < 0 ? [] : all.slice(firstRecent);
			timesMs.set(key, recent);
			if (recent.length >= limit) return recent[recent.length - limit] + windowMs - nowMs;
			recent.push(nowMs);
			return 0;
		},
	};
}

/** Counts from the start of a window and forgets everything at its end. */
function fixedLimiter(clock: Clock, { limit, windowMs }: Rate, fromEpoch: boolean): Limiter {
	const windows = new Map<string, { startMs: number; count: number }>();
	return {
		waitMs(key) {
			const nowMs = clock.now();
			let window = windows.get(key);
			if (!window || nowMs >= window.startMs + windowMs) {
				window = { startMs: fromEpoch ? nowMs - (nowMs % windowMs) : nowMs, count: 0 };
				windows.set(key, window);
			}
			if (window.count >= limit) return window.startMs + windowMs - nowMs;
			window.count += 1;
			return 0;
		},
	};
}

/** A bucket of `burst` tokens that refills evenly, `limit` tokens in each window. */
function tokenBucketLimiter(clock: Clock, { limit, windowMs }: Rate, burst: number): Limiter {
	const buckets = new Map<string, { tokens: number; atMs: number }>();
	const tokensPerMs = limit / windowMs;
	return {
		waitMs(key) {
			const nowMs = clock.now();
			const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
			bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) * tokensPerMs);
			bucket.atMs = nowMs;
			buckets.set(key, bucket);
			if (bucket.tokens < 1) return (1 - bucket.tokens) / tokensPerMs;
			bucket.tokens -= 1;
			return 0;
		},
	};
}

/** Builds the limiter that `options` asks for, with nothing counted yet. */
export function createLimiter(clock: Clock, options: LimiterOptions): Limiter {
	const rate: Rate = { limit: options.limit ?? 120, windowMs: options.windowMs ?? 60_000 };
	switch (options.kind) {
		case 'sliding':
			return slidingLimiter(clock, rate);
		case 'fixed':
			return fixedLimiter(clock, rate, options.fixedWindowFrom === 'epoch');
		case 'tokenBucket':
			return tokenBucketLimiter(clock, rate, options.burst ?? rate.limit);
		case 'off':
			return { waitMs: () => 0 };
	}
}
