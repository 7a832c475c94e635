import * as fc from 'fast-check';

import { RateLimiter, type Permit } from '../../../nodes/WorkspaceCrm/api/rateLimiter';
import type { LimiterOptions } from '../../sandbox';
import { createLimiter } from '../../sandbox/http/limiter';
import { VirtualClock } from '../../support/virtualClock';
import { limiterKinds } from './limiterKinds';
import { outcomeOf, outcomesOf, simulate, totalOf, type Run } from './simulatedRun';

const user = {};

async function acquire(rateLimiter: RateLimiter, ...rest: Parameters<RateLimiter['acquire']>) {
	return (await rateLimiter.acquire(...rest)) as Permit;
}

/** What a rate limiter does while nothing is refused: when each request of a volley starts. */
async function startsOf(count: number, latencyMs = 100) {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock);
	const starts = Array.from({ length: count }, async () => {
		const permit = await acquire(rateLimiter, user);
		const startMs = clock.now();
		await clock.sleep(latencyMs);
		permit.release();
		return startMs;
	});
	return await Promise.all(starts);
}

describe('a service that counts as its reference says', () => {
	it('makes nobody wait for the first 120 but to see whether fewer are granted', async () => {
		const starts = await startsOf(120);
		// One goes alone after 10, 20, 30 and 60 requests, or so many that a bucket would lack.
		expect(Math.max(...starts)).toBeLessThanOrEqual(1_500);
		expect(starts.filter((ms) => ms === 0)).toHaveLength(10);
	});

	it('is asked for more by one probe, and then no more', async () => {
		const [result] = await simulate({ limiter: { kind: 'sliding' }, runs: [{ requests: 5_000 }] });
		expect(result.grantsMs).toHaveLength(5_000);
		expect(result.refusalsMs).toHaveLength(1);
	});

	it('never waits longer than a window for a slot', async () => {
		const [result] = await simulate({ limiter: { kind: 'sliding' }, runs: [{ requests: 600 }] });
		for (let index = 120; index < 600; index += 1) {
			expect(result.grantsMs[index] - result.grantsMs[index - 120]).toBeLessThan(61_000);
		}
	});

	it('gets every request through, however the runs come and however slow the way is', async () => {
		const run: fc.Arbitrary<Run> = fc.record({
			requests: fc.integer({ min: 1, max: 200 }),
			fromMs: fc.nat(90_000),
			process: fc.nat(1),
			atOnce: fc.integer({ min: 1, max: 10 }),
		});
		const limiter: fc.Arbitrary<LimiterOptions> = fc.oneof(
			fc.record({
				kind: fc.constantFrom('sliding', 'fixed'),
				limit: fc.integer({ min: 1, max: 240 }),
				windowMs: fc.constantFrom(1_000, 10_000, 60_000),
				fixedWindowFrom: fc.constantFrom('firstRequest', 'epoch'),
			}),
			fc.record({
				kind: fc.constant('tokenBucket'),
				limit: fc.integer({ min: 10, max: 240 }),
				burst: fc.integer({ min: 1, max: 120 }),
			}),
		);
		const latencies = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 5 });
		await fc.assert(
			fc.asyncProperty(
				fc.array(run, { minLength: 1, maxLength: 3 }),
				limiter,
				latencies,
				async (runs, limits, latenciesMs) => {
					const results = await simulate({ limiter: limits, runs, latenciesMs });
					results.forEach(({ grantsMs }, index) => {
						expect(grantsMs).toHaveLength(runs[index].requests);
					});
				},
			),
			{ numRuns: 30, interruptAfterTimeLimit: 20_000 },
		);
	});

	it('is not asked for more than it allows but by probes, one at a time', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.record({ requests: fc.nat(150), fromMs: fc.nat(150_000) }), { maxLength: 6 }),
				fc.array(fc.nat(4_000), { minLength: 1, maxLength: 6 }),
				async (runs, latenciesMs) => {
					const results = await simulate({ limiter: { kind: 'sliding' }, runs, latenciesMs });
					expect(totalOf([...results, noResult]).refused).toBeLessThanOrEqual(4);
				},
			),
			{ numRuns: 100, interruptAfterTimeLimit: 20_000 },
		);
	});

	it('does not take a window for a bucket where the answer to a probe comes late', async () => {
		// The probe is refused while 2 s of the window are left, which a bucket would ask for as well.
		const runs = [
			{ requests: 6 },
			{ requests: 1 },
			{ requests: 41, fromMs: 8_044 },
			{ requests: 83, fromMs: 22_706 },
		];
		const latenciesMs = [2_769, 3_699, 409];
		const results = await simulate({ limiter: { kind: 'sliding' }, runs, latenciesMs });
		expect(totalOf(results).refused).toBeLessThanOrEqual(2);
	});
});

const noResult = { grantsMs: [], refusalsMs: [], endedMs: 0 };

describe('from 121 to 1,500 requests, with answers after 50 ms', () => {
	test.each(limiterKinds)(
		'by $name take 1.05 times the least time or 2 s more, with under 2 % refused',
		async (kind) => {
			const outcomes = await outcomesOf(kind, 121, 1_500);
			expect(outcomes.filter(({ lateMs, share }) => !(lateMs <= 0 && share < 0.02))).toEqual([]);
		},
	);

	test.each(limiterKinds)('by $name, the first of many take as long as alone', async (kind) => {
		const outcomes = await outcomesOf(kind, 1, 500);
		for (const requests of [1, 60, 121, 180, 239, 240, 241, 300, 500]) {
			const alone = await outcomeOf(kind, [{ requests }]);
			expect(Math.abs(alone.tookMs - outcomes[requests - 1].tookMs)).toBeLessThanOrEqual(50);
		}
	});

	test('are not held up by where in a minute of the clock they begin', async () => {
		const counts = {
			requests: fc.integer({ min: 121, max: 700 }),
			leftMs: fc.integer({ min: 4_500, max: 60_000 }),
		};
		await fc.assert(
			fc.asyncProperty(fc.record(counts), async ({ requests, leftMs }) => {
				const limiter = { kind: 'fixed', fixedWindowFrom: 'epoch' } as const;
				const outcome = await outcomeOf({ name: '', limiter, leftMs }, [{ requests }]);
				// At the worst of 1,200 moments, one answer and a half later.
				expect(outcome.lateMs).toBeLessThanOrEqual(100);
				expect(outcome.share).toBeLessThan(0.02);
			}),
			{ numRuns: 15 },
		);
	});

	test('are as fast when their answers come after different times', async () => {
		const latencies = fc.array(fc.integer({ min: 20, max: 80 }), { minLength: 3, maxLength: 20 });
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...limiterKinds), latencies, async (kind, latenciesMs) => {
				const outcome = await outcomeOf(kind, [{ requests: 300 }], latenciesMs);
				expect(outcome.factor).toBeLessThanOrEqual(1.07);
				// At worst five in flight at the end of a bucket, and a probe.
				expect(outcome.refused).toBeLessThanOrEqual(6);
			}),
			{ numRuns: 30 },
		);
	});
});

describe('600 requests, with answers after 50 ms', () => {
	const HALF_WINDOW_MS = 30_000;
	test.each<[string, LimiterOptions, { leastMs: number; startMs?: number }]>([
		['a sliding window', { kind: 'sliding' }, { leastMs: 240_000 }],
		['windows from the first request', { kind: 'fixed' }, { leastMs: 240_000 }],
		[
			'windows of the clock, one of them half gone',
			{ kind: 'fixed', fixedWindowFrom: 'epoch' },
			{ leastMs: 240_000 - HALF_WINDOW_MS, startMs: HALF_WINDOW_MS },
		],
		['a bucket of 120', { kind: 'tokenBucket' }, { leastMs: 240_000 }],
		['a bucket of 60', { kind: 'tokenBucket', burst: 60 }, { leastMs: 270_000 }],
		['a bucket of 20', { kind: 'tokenBucket', burst: 20 }, { leastMs: 290_000 }],
		['a bucket of 5', { kind: 'tokenBucket', burst: 5 }, { leastMs: 297_500 }],
		['half of what it says', { kind: 'sliding', limit: 60 }, { leastMs: 540_000 }],
		[
			'a window of ten seconds',
			{ kind: 'sliding', limit: 20, windowMs: 10_000 },
			{ leastMs: 290_000 },
		],
	])('by %s take 1.05 times the least time, with under 2 %% refused', async (...row) => {
		const [, limiter, { leastMs, startMs }] = row;
		const total = totalOf(await simulate({ limiter, startMs, runs: [{ requests: 600 }] }));
		expect(total.granted).toBe(600);
		expect(total.endedMs).toBeLessThanOrEqual(1.05 * leastMs);
		expect(total.refused).toBeLessThan(0.02 * 600);
	});
});

describe('a service that asks for no wait, or an endless one', () => {
	it.each([1_000, 5_000, 1e15])('of %i ms gets every request in the end', async (delayMs) => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock);
		let granted = 0;
		for (let sent = 0; granted < 10; sent += 1) {
			const permit = await acquire(rateLimiter, user);
			await clock.sleep(50);
			if (sent % 3 === 0) permit.refuse(delayMs);
			else {
				granted += 1;
				permit.release();
			}
		}
		expect(granted).toBe(10);
	});
});

describe('two processes with one key', () => {
	const runs = [
		{ requests: 600, process: 0 },
		{ requests: 600, process: 1 },
	];
	test.each<[string, LimiterOptions, number, number]>([
		['a sliding window', { kind: 'sliding' }, 540_000, 0.02],
		['windows from the first request', { kind: 'fixed' }, 540_000, 0.02],
		['a bucket of 20', { kind: 'tokenBucket', burst: 20 }, 590_000, 0.06],
	])('share %s, in 1.15 times the least time', async (_name, limiter, leastMs, share) => {
		const total = totalOf(await simulate({ limiter, runs }));
		expect(total.granted).toBe(1_200);
		expect(total.endedMs).toBeLessThanOrEqual(1.15 * leastMs);
		expect(total.refused).toBeLessThan(share * 1_200);
	});

	test.each(limiterKinds)(
		'share $name, with 150 requests each, in 1.15 times the least time',
		async (kind) => {
			const each = [0, 1].map((process) => ({ requests: 150, process }));
			expect((await outcomeOf(kind, each)).factor).toBeLessThanOrEqual(1.15);
		},
	);

	test('share a bucket, whatever the times of their answers: neither starves the other', async () => {
		const latencies = fc.array(fc.integer({ min: 30, max: 70 }), { minLength: 3, maxLength: 40 });
		await fc.assert(
			fc.asyncProperty(latencies, async (latenciesMs) => {
				const runs = [0, 1].map((process) => ({ requests: 150, process }));
				const kind = { name: '', limiter: { kind: 'tokenBucket', burst: 20 } } as const;
				expect((await outcomeOf(kind, runs, latenciesMs)).factor).toBeLessThanOrEqual(1.3);
			}),
			{ numRuns: 20 },
		);
	});

	test('find out when one of them has ended: the other is soon as fast as it may be', async () => {
		const [long, short] = await simulate({
			limiter: { kind: 'sliding' },
			runs: [
				{ requests: 2_000, process: 0 },
				{ requests: 300, process: 1 },
			],
		});
		const tenMinutes = long.grantsMs.filter(
			(ms) => ms > short.endedMs + 300_000 && ms <= short.endedMs + 900_000,
		);
		expect(tenMinutes.length).toBeGreaterThan(1_150);
	});
});

describe('who waits', () => {
	it('takes turns: a short run among a long one gets the next place but one', async () => {
		const [long, short] = await simulate({
			limiter: { kind: 'sliding' },
			runs: [
				{ requests: 400, atOnce: 50 },
				{ requests: 1, fromMs: 70_000, atOnce: 1 },
			],
		});
		const [grantMs] = short.grantsMs;
		const before = long.grantsMs.filter((ms) => ms > 70_000 && ms < grantMs);
		expect(before.length).toBeLessThanOrEqual(2);
	});

	it('is served in order within a run', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 1_000 });
		const order: number[] = [];
		const takeTurn = async (index: number) => {
			const permit = await acquire(rateLimiter, user);
			order.push(index);
			permit.release();
		};
		await Promise.all([0, 1, 2, 3, 4, 5].map(takeTurn));
		expect(order).toEqual([0, 1, 2, 3, 4, 5]);
	});

	it('is served before the others of its run if it is urgent, and takes no turn of another run', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 1_000 });
		const order: string[] = [];
		const takeTurn = async (run: object, name: string, isUrgent = false) => {
			const permit = await acquire(rateLimiter, run, undefined, {}, isUrgent);
			order.push(name);
			permit.release();
		};
		const other = {};
		await Promise.all([
			takeTurn(user, 'a'),
			takeTurn(user, 'b'),
			takeTurn(other, 'other'),
			takeTurn(user, 'c'),
			takeTurn(user, 'urgent', true),
		]);
		expect(order).toEqual(['a', 'urgent', 'other', 'b', 'c']);
	});

	it('all pause when one is refused, for as long as the service asks', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock);
		const first = await acquire(rateLimiter, user);
		const second = await acquire(rateLimiter, user);
		first.refuse(40_000);
		second.refuse(3_000);
		await acquire(rateLimiter, {});
		expect(clock.now()).toBe(40_000);
	});

	it('is told at once when the service asks all to wait longer than it is willing to', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock);
		const waitLimits = { maxRefusalWaitMs: 300_000 };
		const refused = await acquire(rateLimiter, user);
		for (let count = 1; count < 10; count += 1) await acquire(rateLimiter, user);
		// Two wait when the refusal comes: the eleventh goes alone.
		const waiting = [
			rateLimiter.acquire(user, undefined, waitLimits),
			rateLimiter.acquire({}, undefined, waitLimits),
		];
		refused.refuse(600_000);
		const rejection = { rejected: 'pause', pauseMs: 600_000 };
		expect(await Promise.all(waiting)).toEqual([rejection, rejection]);
		expect(clock.now()).toBe(0);
	});

	it('pauses for an hour at most, whatever the service asks for', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock);
		(await acquire(rateLimiter, user)).refuse(1e15);
		await acquire(rateLimiter, user);
		expect(clock.now()).toBe(3_600_000);
	});

	it('gets the slot of one that did not get to the service', async () => {
		const rateLimiter = new RateLimiter(new VirtualClock(), { limit: 2, windowMs: 60_000 });
		const soon = { maxQueueWaitMs: 1_000 };
		(await acquire(rateLimiter, user)).cancel();
		const both = [
			await rateLimiter.acquire(user, undefined, soon),
			await rateLimiter.acquire(user, undefined, soon),
		];
		expect(both).not.toContainEqual({ rejected: 'queue' });
	});

	it('does not wait for a probe that did not get to the service', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, { limit: 2, windowMs: 60_000 });
		(await acquire(rateLimiter, user)).release();
		(await acquire(rateLimiter, user)).release();
		(await acquire(rateLimiter, user)).cancel(); // the probe, when a bucket would have a token
		expect(clock.now()).toBe(30_000);
		await acquire(rateLimiter, user);
		expect(clock.now()).toBe(30_000);
	});

	it('stops within 250 ms when its execution is stopped, and takes no slot', async () => {
		await fc.assert(
			fc.asyncProperty(fc.nat(50_000), fc.nat(50_000), async (arrivesMs, afterMs) => {
				const clock = new VirtualClock();
				const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 200_000 });
				(await acquire(rateLimiter, user)).release();
				await clock.sleep(arrivesMs);
				const execution = new AbortController();
				void clock.sleep(afterMs).then(() => execution.abort('stopped'));
				const stopMs = clock.now() + afterMs;
				await expect(rateLimiter.acquire(user, execution.signal)).rejects.toBe('stopped');
				expect(clock.now()).toBeGreaterThanOrEqual(stopMs);
				expect(clock.now()).toBeLessThanOrEqual(stopMs + 250);
			}),
		);
	});

	it('gets none when it is not willing to wait so long, and the next one gets it', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 60_000 });
		(await acquire(rateLimiter, user)).release();
		expect(await rateLimiter.acquire(user, undefined, { maxQueueWaitMs: 10_000 })).toEqual({
			rejected: 'queue',
		});
		expect(clock.now()).toBe(10_000);
		await acquire(rateLimiter, user);
		expect(clock.now()).toBe(60_000);
	});

	it('leaves its place in the queue to the next one when it is stopped', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 60_000 });
		(await acquire(rateLimiter, user)).release();
		const execution = new AbortController();
		const stopped = rateLimiter.acquire(user, execution.signal);
		const next = rateLimiter.acquire(user).then(() => clock.now());
		void clock.sleep(59_900).then(() => execution.abort('stopped'));
		await expect(stopped).rejects.toBe('stopped');
		expect(await next).toBeLessThanOrEqual(60_250);
	});
});

/** Requests to a service that counts in any minute, by durations; each until it is let through. */
function startSending(clock: VirtualClock) {
	const rateLimiter = new RateLimiter(clock);
	const service = createLimiter({ ...clock, now: clock.elapsedMs }, { kind: 'sliding' });
	const startsMs: number[] = [];
	const send = async () => {
		for (;;) {
			const permit = await acquire(rateLimiter, user);
			startsMs.push(clock.elapsedMs());
			const waitMs = service.waitMs('key');
			await clock.sleep(100);
			if (waitMs === 0) return permit.release();
			permit.refuse(Math.ceil(waitMs / 1_000) * 1_000);
		}
	};
	return { send, startsMs };
}

const HOUR_MS = 3_600_000;

describe.each([
	['set an hour back', -HOUR_MS],
	['set an hour forward, or stands still in durations while the machine sleeps', HOUR_MS],
])('a clock that is %s', (_name, byMs) => {
	it('changes nothing about a pause that the service asked for', async () => {
		const clock = new VirtualClock(Date.UTC(2026, 0, 1));
		const rateLimiter = new RateLimiter(clock);
		const startMs = clock.elapsedMs();
		(await acquire(rateLimiter, user)).refuse(40_000);
		clock.setDate(byMs);
		expect(
			await rateLimiter.acquire(user, undefined, { maxRefusalWaitMs: 300_000 }),
		).toHaveProperty('release');
		expect(clock.elapsedMs() - startMs).toBe(40_000);
	});

	it('changes nothing about the wait for a slot, nor about how long one is willing to', async () => {
		const clock = new VirtualClock(Date.UTC(2026, 0, 1));
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 60_000 });
		const startMs = clock.elapsedMs();
		(await acquire(rateLimiter, user)).release();
		const inHurry = rateLimiter.acquire(user, undefined, { maxQueueWaitMs: 10_000 });
		const unhurried = acquire(rateLimiter, user);
		void clock.sleep(5_000).then(() => clock.setDate(byMs));
		expect(await inHurry).toEqual({ rejected: 'queue' });
		expect(clock.elapsedMs() - startMs).toBe(10_000);
		await unhurried;
		expect(clock.elapsedMs() - startMs).toBe(60_000);
	});

	it('changes nothing about the rate after a busy minute', async () => {
		const clock = new VirtualClock(Date.UTC(2026, 0, 1));
		const startMs = clock.elapsedMs();
		const { send, startsMs } = startSending(clock);
		for (let index = 0; index < 132; index += 1) {
			if (index === 120) clock.setDate(byMs);
			await send();
		}
		// One goes before its time, to probe.
		expect(startsMs.filter((ms) => ms - startMs < 60_000)).toHaveLength(121);
		expect(startsMs[startsMs.length - 1] - startMs).toBeLessThan(63_000);
	});
});

it('lets no more through than it may after the machine has slept', async () => {
	await fc.assert(
		fc.asyncProperty(fc.nat(120), fc.nat(120_000), async (before, forMs) => {
			const clock = new VirtualClock();
			const { send, startsMs } = startSending(clock);
			await Promise.all(Array.from({ length: before }, send));
			clock.suspend(forMs);
			await Promise.all(Array.from({ length: 250 }, send));
			// A probe now and then goes before its time.
			for (let index = 123; index < startsMs.length; index += 1) {
				expect(startsMs[index] - startsMs[index - 123]).toBeGreaterThanOrEqual(60_000);
			}
		}),
		{ numRuns: 20 },
	);
});
