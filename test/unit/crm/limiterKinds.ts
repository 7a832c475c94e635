import type { LimiterOptions } from '../../../tools/sandbox';

/** A way in which a service may count requests, and at what moment of its minute we begin. */
export interface LimiterKind {
	name: string;
	limiter: LimiterOptions;
	/** If windows follow the clock, what is left of the first one. Default: all of it. */
	leftMs?: number;
	/**
	 * When the last of so many requests (121 to 1,500) was answered with the former limiter, which knew two models
	 * and sent probes (commit c9077cb): five at a time, each answered after 50 ms.
	 */
	baselineMs: (requests: number) => number;
}

/** After the first 120 requests, the next one is answered at `firstMs`, and each later one `stepMs` after it. */
const evenly =
	(firstMs: number, stepMs = 500) =>
	(requests: number) =>
		firstMs + (requests - 121) * stepMs;

/**
 * After the first 120 requests, the others are answered in windows of `size`, five every 50 ms. The first
 * window begins at `firstMs`, each later one a minute after the one before, plus 50 ms for each unit of its
 * digit in `lags` (base 36).
 */
const inWindows = (size: number, firstMs: number, lags: string) => (requests: number) => {
	const index = requests - 121;
	const later = [...lags.slice(0, Math.floor(index / size))];
	const startMs = later.reduce((ms, lag) => ms + 60_000 + 50 * parseInt(lag, 36), firstMs);
	return startMs + 50 * Math.floor((index % size) / 5);
};

const minutes = (firstMs: number) => inWindows(120, firstMs, '1'.repeat(11));

const clockWindows = (leftMs: number): LimiterKind => ({
	name: `windows of the clock, ${leftMs / 1_000} s left of the first`,
	limiter: { kind: 'fixed', fixedWindowFrom: 'epoch' },
	leftMs,
	baselineMs: minutes(leftMs + 550),
});

const bucket = (burst: number, baselineMs: LimiterKind['baselineMs']): LimiterKind => ({
	name: `a token bucket of ${burst}`,
	limiter: { kind: 'tokenBucket', burst },
	baselineMs,
});

const lowerLimit = (limit: number, firstMs: number, lags: string): LimiterKind => ({
	name: `any minute, ${limit} requests`,
	limiter: { kind: 'sliding', limit },
	baselineMs: inWindows(limit, firstMs, lags),
});

/** 120 requests a minute, as the API reference says. */
export const referenceKinds: LimiterKind[] = [
	{ name: 'any minute', limiter: { kind: 'sliding' }, baselineMs: minutes(60_550) },
	{
		name: 'windows from the first request',
		limiter: { kind: 'fixed' },
		baselineMs: minutes(60_550),
	},
	...[5_000, 15_000, 30_000, 45_000, 58_000].map(clockWindows),
	bucket(
		120,
		(requests) => [1_500, 1_550, 1_551, 2_651][requests - 121] ?? evenly(1_151)(requests),
	),
];

/** Fewer than the reference says: a smaller bucket, or fewer in any minute. */
export const lowerKinds: LimiterKind[] = [
	bucket(60, evenly(31_550)),
	bucket(20, evenly(51_500)),
	lowerLimit(60, 121_500, '1d111d' + '1111111d'.repeat(2)),
];

/** So few in any minute that one refusal in each minute is more than 5 %. */
export const lowestKinds: LimiterKind[] = [
	lowerLimit(30, 241_250, '1117' + '11111117'.repeat(5) + '1'),
	lowerLimit(20, 361_000, '15' + '11111115'.repeat(8) + '11'),
	lowerLimit(10, 721_050, '1113' + '11111113'.repeat(16) + '11111'),
];

export const limiterKinds: LimiterKind[] = [...referenceKinds, ...lowerKinds, ...lowestKinds];
