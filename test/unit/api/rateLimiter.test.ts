import * as fc from 'fast-check';

import { RateLimiter, type Permit } from '../../../nodes/WorkspaceCrm/api/rateLimiter';
import type { LimiterOptions } from '../../sandbox';
import { VirtualClock } from '../../support/virtualClock';
import { simulate, totalOf, type Run } from './simulatedRun';

const user = {};

async function acquire(rateLimiter: RateLimiter, ...rest: Parameters<RateLimiter['acquire']>) {
	return (await rateLimiter.acquire(...rest)) as Permit;
}

/** What a rateLimiter does while nothing is refused: when each request of a volley starts. */
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
	it('makes nobody wait for the first 120; when they are done, one more goes to ask', async () => {
		const starts = await startsOf(121);
		expect(starts).toEqual([...Array<number>(120).fill(0), 100]);
	});

	it('is asked for more only now and then', async () => {
		const [result] = await simulate({ limiter: { kind: 'sliding' }, runs: [{ requests: 5_000 }] });
		expect(result.grantsMs).toHaveLength(5_000);
		// 42 windows: after 1, 2, 4 and then every 8 of them
		expect(result.refused).toBeLessThanOrEqual(9);
	});

	it('never waits longer than a window for a place', async () => {
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

	it('is not asked for more than it allows but by questions, one at a time', async () => {
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
});

const noResult = { grantsMs: [], refused: 0, endedMs: 0 };

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
		const held = Array.from({ length: 119 }, async () => await acquire(rateLimiter, user));
		await Promise.all(held);
		// Two wait for a place when the refusal comes.
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

	it('gets the place of one that did not get to the service', async () => {
		const rateLimiter = new RateLimiter(new VirtualClock(), { limit: 2, windowMs: 60_000 });
		const soon = { maxQueueWaitMs: 1_000 };
		(await acquire(rateLimiter, user)).cancel();
		// Both at once, so neither of them is a probe, which goes alone.
		const both = [
			await rateLimiter.acquire(user, undefined, soon),
			await rateLimiter.acquire(user, undefined, soon),
		];
		expect(both).not.toContainEqual({ rejected: 'queue' });
	});

	it('does not wait for a probe that did not get to the service', async () => {
		const rateLimiter = new RateLimiter(new VirtualClock(), { limit: 1, windowMs: 60_000 });
		(await acquire(rateLimiter, user)).release();
		(await acquire(rateLimiter, user)).cancel(); // the probe
		const again = await rateLimiter.acquire(user, undefined, { maxQueueWaitMs: 1_000 });
		expect(again).not.toEqual({ rejected: 'queue' });
	});

	it('stops within 250 ms when its execution is stopped, and takes no place', async () => {
		await fc.assert(
			fc.asyncProperty(fc.nat(50_000), fc.nat(50_000), async (arrivesMs, afterMs) => {
				const clock = new VirtualClock();
				const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 200_000 });
				(await acquire(rateLimiter, user)).release();
				(await acquire(rateLimiter, user)).release(); // the probe
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
		(await acquire(rateLimiter, user)).release();
		const execution = new AbortController();
		const stopped = rateLimiter.acquire(user, execution.signal);
		const next = rateLimiter.acquire(user).then(() => clock.now());
		void clock.sleep(59_900).then(() => execution.abort('stopped'));
		await expect(stopped).rejects.toBe('stopped');
		expect(await next).toBeLessThanOrEqual(60_250);
	});
});

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

	it('changes nothing about the wait for a place, nor about how long one is willing to', async () => {
		const clock = new VirtualClock(Date.UTC(2026, 0, 1));
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 60_000 });
		const startMs = clock.elapsedMs();
		(await acquire(rateLimiter, user)).release();
		(await acquire(rateLimiter, user)).release(); // the probe
		const hurried = rateLimiter.acquire(user, undefined, { maxQueueWaitMs: 10_000 });
		const patient = acquire(rateLimiter, user);
		void clock.sleep(5_000).then(() => clock.setDate(byMs));
		expect(await hurried).toEqual({ rejected: 'queue' });
		expect(clock.elapsedMs() - startMs).toBe(10_000);
		await patient;
		expect(clock.elapsedMs() - startMs).toBe(60_000);
	});

	it('changes nothing about the rate after a busy minute', async () => {
		const clock = new VirtualClock(Date.UTC(2026, 0, 1));
		const rateLimiter = new RateLimiter(clock);
		const startMs = clock.elapsedMs();
		const startsMs: number[] = [];
		for (let index = 0; index < 132; index += 1) {
			if (index === 120) clock.setDate(byMs);
			const permit = await acquire(rateLimiter, user);
			startsMs.push(clock.elapsedMs() - startMs);
			await clock.sleep(100);
			permit.release();
		}
		// One goes before its time, to ask.
		expect(startsMs.filter((ms) => ms < 60_000)).toHaveLength(121);
		expect(startsMs.at(-1)).toBeLessThan(62_000);
	});
});

it('lets no more through than it may after the machine has slept', async () => {
	await fc.assert(
		fc.asyncProperty(fc.nat(120), fc.nat(120_000), async (before, forMs) => {
			const clock = new VirtualClock();
			const rateLimiter = new RateLimiter(clock);
			const startsMs: number[] = [];
			const send = async () => {
				const permit = await acquire(rateLimiter, user);
				startsMs.push(clock.elapsedMs());
				await clock.sleep(100);
				permit.release();
			};
			await Promise.all(Array.from({ length: before }, send));
			clock.suspend(forMs);
			await Promise.all(Array.from({ length: 250 }, send));
			// A probe now and then goes before its time.
			for (let index = 123; index < startsMs.length; index += 1) {
				expect(startsMs[index] - startsMs[index - 123]).toBeGreaterThanOrEqual(60_000);
			}
		}),
		{ numRuns: 50 },
	);
});
