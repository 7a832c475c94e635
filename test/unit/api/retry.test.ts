import * as fc from 'fast-check';

import {
	isRefusal,
	isUnclear,
	readRetryAfterMs,
	refusalDelayMs,
	retryDelayMs,
	type Failure,
	type RetryState,
} from '../../../nodes/WorkspaceCrm/api/retry';

const status = (code: number, retryAfterMs?: number): Failure => ({
	kind: 'status',
	status: code,
	body: undefined,
	retryAfterMs,
});
const unreadable: Failure = { kind: 'unreadable', status: 200, content: 'page' };
const unreachable: Failure = { kind: 'unreachable', reason: 'ECONNREFUSED' };
const broken: Failure = { kind: 'broken', reason: 'ECONNRESET' };
const timeout: Failure = { kind: 'timeout', reason: 'ETIMEDOUT' };
const notSent: Failure = { kind: 'notSent', reason: 'no credential' };

const FIRST: RetryState = {
	repeatable: true,
	failedTries: 1,
	refusals: 0,
	refusalWaitMs: 0,
	maxRefusalWaitMs: 300_000,
	random: 0,
};

const waitOrMissing = fc.option(fc.oneof(fc.nat(120_000), fc.nat(10_000_000)), { nil: undefined });
const failure: fc.Arbitrary<Failure> = fc.oneof(
	fc.tuple(fc.integer({ min: 300, max: 599 }), waitOrMissing).map(([code, ms]) => status(code, ms)),
	waitOrMissing.map((ms) => status(429, ms)),
	fc.constantFrom(unreadable, unreachable, broken, timeout, notSent),
);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

interface History {
	delays: number[];
	refusalWaitMs: number;
	sent: Failure[];
	state: RetryState;
}

/** One request through all its tries, as the transport counts them. */
function follow(
	failures: Failure[],
	repeatable: boolean,
	allowanceMs: number,
	chance: number,
): History {
	const state = {
		...FIRST,
		repeatable,
		maxRefusalWaitMs: allowanceMs,
		random: chance,
		failedTries: 0,
	};
	const history: History = { delays: [], refusalWaitMs: 0, sent: [], state };
	for (const each of failures) {
		const isRefusal = each.kind === 'status' && each.status === 429;
		if (isRefusal) state.refusals += 1;
		else state.failedTries += 1;
		history.sent.push(each);
		const delayMs = retryDelayMs(each, state);
		if (delayMs === undefined) break;
		history.delays.push(delayMs);
		if (isRefusal) state.refusalWaitMs += delayMs;
	}
	return { ...history, refusalWaitMs: state.refusalWaitMs };
}

const history = fc
	.tuple(fc.array(failure, { minLength: 1, maxLength: 20 }), fc.boolean(), fc.nat(600_000), random)
	.map(([failures, repeatable, allowanceMs, chance]) => ({
		...follow(failures, repeatable, allowanceMs, chance),
		repeatable,
		allowanceMs,
	}));

describe('a failed request', () => {
	/** Failure; whether it may have taken effect; whether a harmless request is sent again. */
	const table: Array<[string, Failure, boolean, boolean]> = [
		...[300, 301, 304, 307].map(row(false, false)),
		...[400, 401, 402, 403, 404, 409, 418, 422].map(row(false, false)),
		row(true, true)(408),
		...[500, 502, 503, 504, 599].map(row(true, true)),
		['unreadable', unreadable, true, false],
		['unreachable', unreachable, false, true],
		['broken', broken, true, true],
		['timeout', timeout, true, true],
		['not sent', notSent, false, false],
	];

	function row(unclear: boolean, repeated: boolean) {
		return (code: number): [string, Failure, boolean, boolean] => [
			`${code}`,
			status(code),
			unclear,
			repeated,
		];
	}

	it.each(table)('(%s) is unclear only if it may have taken effect', (_, each, unclear) => {
		expect(isUnclear(each)).toBe(unclear);
	});

	it.each(table)(
		'(%s) is sent again, twice at most, if that is harmless',
		(_, each, __, repeated) => {
			const delays = [1, 2, 3, 4].map((failedTries) =>
				retryDelayMs(each, { ...FIRST, failedTries }),
			);
			expect(delays).toEqual(
				repeated ? [500, 1_000, undefined, undefined] : Array(4).fill(undefined),
			);
		},
	);

	it.each(table)('(%s) is never sent again if that could do harm', (_, each) => {
		const delayMs = retryDelayMs(each, { ...FIRST, repeatable: false });
		// where no connection could be made, nothing was sent the first time
		expect(delayMs).toBe(each.kind === 'unreachable' ? 500 : undefined);
	});

	it('is a refusal with 429 only, and where none failed, none was refused', () => {
		expect([429, 428, 503].map((code) => isRefusal(status(code)))).toEqual([true, false, false]);
		expect(isRefusal(undefined)).toBe(false);
	});

	it('is a refusal with 429, which is clear and sent again for any request', () => {
		expect(isUnclear(status(429))).toBe(false);
		for (const repeatable of [true, false]) {
			const state = { ...FIRST, repeatable, refusals: 1, failedTries: 0 };
			expect(retryDelayMs(status(429), state)).toBe(5_000);
			expect(retryDelayMs(status(429, 7_000), state)).toBe(7_000);
		}
	});
});

describe('the waits between the tries of a request', () => {
	it('never add up to more than the allowance, as far as the rate limit causes them', () => {
		fc.assert(
			fc.property(history, ({ refusalWaitMs, allowanceMs }) => {
				expect(refusalWaitMs).toBeLessThanOrEqual(allowanceMs);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('use the allowance up to the last millisecond, but not beyond', () => {
		const state = { ...FIRST, refusals: 2, refusalWaitMs: 10_000, maxRefusalWaitMs: 15_000 };
		expect(retryDelayMs(status(429, 5_000), state)).toBe(5_000);
		expect(retryDelayMs(status(429, 5_001), state)).toBeUndefined();
	});

	it('come only where nothing happened, when sending twice could do harm', () => {
		fc.assert(
			fc.property(history, ({ repeatable, delays, sent }) => {
				fc.pre(!repeatable);
				for (const each of sent.slice(0, delays.length)) {
					const isRefusal = each.kind === 'status' && each.status === 429;
					expect(isRefusal || each.kind === 'unreachable').toBe(true);
				}
			}),
			{ numRuns: 2_000 },
		);
	});

	it('are at most two that are not for the rate limit', () => {
		fc.assert(
			fc.property(history, ({ delays, sent }) => {
				const repeated = sent.slice(0, delays.length);
				const others = repeated.filter((each) => each.kind !== 'status' || each.status !== 429);
				expect(others.length).toBeLessThanOrEqual(2);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('are never shorter than the service asked for', () => {
		fc.assert(
			fc.property(history, ({ delays, sent }) => {
				delays.forEach((delayMs, index) => {
					const each = sent[index];
					const askedMs = each.kind === 'status' ? (each.retryAfterMs ?? 0) : 0;
					expect(delayMs).toBeGreaterThanOrEqual(askedMs);
					expect(delayMs).toBeGreaterThanOrEqual(500);
				});
			}),
			{ numRuns: 2_000 },
		);
	});

	it('are spread between a half and the whole of 1, then 2 seconds', () => {
		fc.assert(
			fc.property(random, fc.constantFrom(1, 2), (chance, failedTries) => {
				const delayMs = retryDelayMs(broken, { ...FIRST, failedTries, random: chance });
				expect(delayMs).toBeGreaterThanOrEqual(500 * failedTries);
				expect(delayMs).toBeLessThanOrEqual(1_000 * failedTries);
			}),
		);
		expect(retryDelayMs(broken, { ...FIRST, random: 0.5 })).toBe(750);
	});

	it('are given up when a failing service asks for more than the allowance', () => {
		const state = { ...FIRST, maxRefusalWaitMs: 10_000 };
		expect(retryDelayMs(status(503, 10_000), state)).toBe(10_000);
		expect(retryDelayMs(status(503, 10_001), state)).toBeUndefined();
	});
});

describe('the wait after a refusal', () => {
	it('is what the service says, but at least a second', () => {
		fc.assert(
			fc.property(fc.nat(10_000_000), fc.integer({ min: 1, max: 50 }), (retryAfterMs, refusals) => {
				expect(refusalDelayMs(retryAfterMs, refusals)).toBe(Math.max(1_000, retryAfterMs));
			}),
		);
	});

	it('doubles from 5 seconds up to a minute when the service does not say', () => {
		const delays = [1, 2, 3, 4, 5, 6, 50].map((refusals) => refusalDelayMs(undefined, refusals));
		expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
	});
});

describe('the Retry-After header', () => {
	const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
	const http = (ms: number) => new Date(ms).toUTCString();

	it('in seconds is exact', () => {
		fc.assert(
			fc.property(fc.nat(1_000_000), (seconds) => {
				expect(readRetryAfterMs(String(seconds), undefined, NOW)).toBe(seconds * 1_000);
				expect(readRetryAfterMs(` ${seconds} `, http(NOW), NOW)).toBe(seconds * 1_000);
				expect(readRetryAfterMs(seconds, undefined, NOW)).toBe(seconds * 1_000);
			}),
		);
	});

	it('may be a part of a second', () => {
		expect(readRetryAfterMs('1.25', undefined, NOW)).toBe(1_250);
	});

	it('as a date is measured from the date of the answer, so a wrong clock here does no harm', () => {
		fc.assert(
			fc.property(fc.nat(100_000), fc.integer({ min: -1e9, max: 1e9 }), (seconds, skewMs) => {
				const until = http(NOW + seconds * 1_000);
				expect(readRetryAfterMs(until, http(NOW), NOW + skewMs)).toBe(seconds * 1_000);
			}),
		);
	});

	it('as a date is measured from now when the answer has no date that can be read', () => {
		for (const date of [undefined, '', 'yesterday-ish', 5, [http(NOW - 60_000)]]) {
			expect(readRetryAfterMs(http(NOW + 30_000), date, NOW)).toBe(30_000);
		}
	});

	it('in the past, or zero, is no wait', () => {
		expect(readRetryAfterMs(http(NOW - 30_000), http(NOW), NOW)).toBe(0);
		expect(readRetryAfterMs('0', undefined, NOW)).toBe(0);
	});

	it.each(['Fri, 02 Jan 2026 03:04:35 GMT', 'Friday, 02-Jan-26 03:04:35 GMT'])(
		'can be a date in each form that HTTP has with a time zone: %s',
		(until) => {
			expect(readRetryAfterMs(until, undefined, NOW)).toBe(30_000);
		},
	);

	const unreadableTexts = ['', '  ', 'soon', 'in 5', 'try 1', '60 seconds', '-5', '-1.5', '0x10'];
	const unreadableDates = ['2026-01-02T03:04:35Z', '2026-13-45', 'Fri, 99 Foo 2026 GMT', '5, 6'];
	const almostDates = ['on Fri, 02 Jan 2026 03:04:35 GMT', 'Fri, 02 Jan 2026 03:04:35 GMT+1'];
	const huge = ['1e3', '1e999', '9'.repeat(400), 'Infinity', Infinity, NaN, -5];

	it.each([
		...[...unreadableTexts, ...unreadableDates, ...almostDates, ...huge],
		...[undefined, null, true, {}, [5]],
	])('that cannot be read counts as none: %j', (value) => {
		expect(readRetryAfterMs(value, http(NOW), NOW)).toBeUndefined();
	});

	it('is never negative and never not a number, whatever it holds', () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.double(), fc.anything()),
				fc.anything(),
				(value, date) => {
					const waitMs = readRetryAfterMs(value, date, NOW);
					expect(waitMs === undefined || (Number.isFinite(waitMs) && waitMs >= 0)).toBe(true);
				},
			),
			{ numRuns: 1_000 },
		);
	});

	it('that is huge is not waited for', () => {
		const retryAfterMs = readRetryAfterMs('99999999999', undefined, NOW);
		expect(retryDelayMs(status(429, retryAfterMs), { ...FIRST, refusals: 1 })).toBeUndefined();
	});
});
