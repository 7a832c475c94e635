import type { LimiterOptions } from '../../sandbox';

/** A way in which a service may count, and when in its minute we come. */
export interface LimiterKind {
	name: string;
	limiter: LimiterOptions;
	/** Where windows are the clock's: what is left of the first one. Default: all of it. */
	leftMs?: number;
}

const clockWindows = (leftMs: number): LimiterKind => ({
	name: `windows of the clock, ${leftMs / 1_000} s left of the first`,
	limiter: { kind: 'fixed', fixedWindowFrom: 'epoch' },
	leftMs,
});
const bucket = (burst: number): LimiterKind => ({
	name: `a token bucket of ${burst}`,
	limiter: { kind: 'tokenBucket', burst },
});

export const limiterKinds: LimiterKind[] = [
	{ name: 'any minute', limiter: { kind: 'sliding' } },
	{ name: 'windows from the first request', limiter: { kind: 'fixed' } },
	...[5_000, 15_000, 30_000, 45_000, 58_000].map(clockWindows),
	...[120, 60, 20].map(bucket),
	{ name: 'any minute, half of the rate', limiter: { kind: 'sliding', limit: 60 } },
];
