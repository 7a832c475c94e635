import type { LimiterOptions } from '../../sandbox';

/** A way in which a service may count, and when in its minute we come. */
export interface LimiterKind {
	name: string;
	limiter: LimiterOptions;
	/** Where windows are the clock's: what is left of the first one. Default: all of it. */
	leftMs?: number;
	/** By how much the last of 121 to 1,500 requests may be answered later than possible. */
	mostLateMs: number;
}

const clockWindows = (leftMs: number): LimiterKind => ({
	name: `windows of the clock, ${leftMs / 1_000} s left of the first`,
	limiter: { kind: 'fixed', fixedWindowFrom: 'epoch' },
	leftMs,
	mostLateMs: 1_600,
});

const bucket = (burst: number, mostLateMs: number): LimiterKind => ({
	name: `a token bucket of ${burst}`,
	limiter: { kind: 'tokenBucket', burst },
	mostLateMs,
});

const lowerLimit = (limit: number, mostLateMs: number): LimiterKind => ({
	name: `any minute, ${limit} requests`,
	limiter: { kind: 'sliding', limit },
	mostLateMs,
});

/** 120 requests a minute, as the API reference says. */
export const referenceKinds: LimiterKind[] = [
	{ name: 'any minute', limiter: { kind: 'sliding' }, mostLateMs: 1_800 },
	{ name: 'windows from the first request', limiter: { kind: 'fixed' }, mostLateMs: 1_800 },
	...[5_000, 15_000, 30_000, 45_000, 58_000].map(clockWindows),
	bucket(120, 700),
];

/** Fewer than the reference says: a smaller bucket, or fewer in any minute. */
export const lowerKinds: LimiterKind[] = [bucket(60, 700), bucket(20, 800), lowerLimit(60, 1_800)];

/** So few in any minute that one refusal in each is more than 5 %. */
export const lowestKinds: LimiterKind[] = [
	lowerLimit(30, 2_800),
	lowerLimit(20, 4_000),
	lowerLimit(10, 7_600),
];

export const limiterKinds: LimiterKind[] = [...referenceKinds, ...lowerKinds, ...lowestKinds];
