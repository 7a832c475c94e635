import * as fc from 'fast-check';

import { RateLimiter, type Permit } from '../../../nodes/WorkspaceCrm/crm/rateLimiter';
import type { LimiterOptions } from '../../../tools/sandbox';
import { createLimiter } from '../../../tools/sandbox/http/limiter';
import { VirtualClock } from '../../support/virtualClock';
import {
	limiterKinds,
	lowerKinds,
	lowestKinds,
	referenceKinds,
	type LimiterKind,
} from './limiterKinds';
import { outcomeOf, outcomesOf, simulate, type Run } from './simulatedRun';

const MINUTE_MS = 60_000;
const user = {};

async function acquire(rateLimiter: RateLimiter, ...rest: Parameters<RateLimiter['acquire']>) {
	return (await rateLimiter.acquire(...rest)) as Permit;
}

/** A limiter of one request a minute, which is used up. */
async function takenLimiter(windowMs = MINUTE_MS) {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs });
	(await acquire(rateLimiter, user)).release();
	return { clock, rateLimiter };
}

describe('121 to 1,500 requests', () => {
	/** If the service allows fewer, those are refused that were under way when its minute was used up. */
	const atMost = ({ limiter }: LimiterKind) => 5 / (limiter.limit ?? 100);
	const cases = [
		...referenceKinds.map((kind) => ({ kind, mostRefused: 1 / 120 })),
		...[...lowerKinds, ...lowestKinds].map((kind) => ({ kind, mostRefused: atMost(kind) })),
	];
	test.each(cases)(
		'take at most 1.2 % more time than with the former limiter, with $kind.name',
		async ({ kind, mostRefused }) => {
			const missed = (await outcomesOf(kind, 121, 1_500)).filter(
				({ requests, tookMs, refused }) =>
					!(tookMs <= kind.baselineMs(requests) * 1.012 && refused <= mostRefused),
			);
			expect(missed).toEqual([]);
		},
	);

	test('take the same time, few or many', async () => {
		for (const kind of limiterKinds) {
			const outcomes = await outcomesOf(kind, 1, 241);
			for (const requests of [121, 241]) {
				const alone = await outcomeOf(kind, [{ requests }]);
				expect(Math.abs(alone.tookMs - outcomes[requests - 1].tookMs)).toBeLessThanOrEqual(50);
			}
		}
	});
});

it.each([0, 60 * MINUTE_MS])(
	'starts 119 requests at once, and one more as soon as they are answered, after %i ms without any',
	async (idleMs) => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock);
		await clock.sleep(idleMs);
		const startsMs: number[] = [];
		const send = async () => {
			const permit = await acquire(rateLimiter, user);
			startsMs.push(clock.now() - idleMs);
			await clock.sleep(100);
			permit.release();
		};
		await Promise.all(Array.from({ length: 120 }, send));
		expect(startsMs).toEqual([...Array.from({ length: 119 }, () => 0), 100]);
	},
);

describe('two processes with one key', () => {
	test.each(limiterKinds)(
		'take at most 1.2 times the least time for 150 requests each, with $name',
		async (kind) => {
			const runs = [0, 1].map((process) => ({ requests: 150, process }));
			expect((await outcomeOf(kind, runs)).factor).toBeLessThanOrEqual(1.2);
		},
	);

	test('speed up once the other one has ended', async () => {
		const [long, short] = await simulate({
			limiter: { kind: 'sliding' },
			runs: [
				{ requests: 2_000, process: 0 },
				{ requests: 300, process: 1 },
			],
		});
		const tenMinutes = long.grantsMs.filter(
			(ms) => ms > short.endedMs + 5 * MINUTE_MS && ms <= short.endedMs + 15 * MINUTE_MS,
		);
		expect(tenMinutes.length).toBeGreaterThan(1_150);
	});
});

describe('every request gets through', () => {
	test('whatever the runs, the latency and the limiter', async () => {
		const run: fc.Arbitrary<Run> = fc.record({
			requests: fc.integer({ min: 1, max: 100 }),
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
					expect(results.map(({ grantsMs }) => grantsMs.length)).toEqual(
						runs.map(({ requests }) => requests),
					);
				},
			),
			{ numRuns: 10 },
		);
	});

	test.each([1_000, 5_000])('if the service asks for waits of %i ms', async (delayMs) => {
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

describe('a waiting request', () => {
	it('takes turns: a short run beside a long one is next but one', async () => {
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

	it('is sent in order within its run, urgent ones first, and takes no turn of another run', async () => {
		const { rateLimiter } = await takenLimiter();
		const order: string[] = [];
		const takeTurn = async (run: object, name: string, isUrgent = false) => {
			const permit = await acquire(rateLimiter, run, undefined, undefined, isUrgent);
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
			takeTurn(user, 'urgent too', true),
		]);
		expect(order).toEqual(['urgent', 'other', 'urgent too', 'a', 'b', 'c']);
	});

	it('sleeps until it is first: thousands rarely look at the clock', async () => {
		const clock = new VirtualClock();
		const sleep = jest.spyOn(clock, 'sleep');
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: 200 });
		const takeTurn = async () => (await acquire(rateLimiter, user)).release();
		await Promise.all(Array.from({ length: 1_000 }, takeTurn));
		expect(sleep.mock.calls.length).toBeLessThanOrEqual(3 * 1_000);
	});

	it('pauses with all others when one is refused, as long as the service asks', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock);
		const first = await acquire(rateLimiter, user);
		const second = await acquire(rateLimiter, user);
		first.refuse(40_000);
		second.refuse(3_000);
		await acquire(rateLimiter, {});
		expect(clock.now()).toBe(40_000);
	});

	it('pauses for an hour at most, whatever the service asks for', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock);
		(await acquire(rateLimiter, user)).refuse(1e15);
		await acquire(rateLimiter, user);
		expect(clock.now()).toBe(3_600_000);
	});

	it('is rejected at once if the service asks for more than it accepts', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: MINUTE_MS });
		const refused = await acquire(rateLimiter, user);
		const waiting = [
			rateLimiter.acquire(user, undefined, 300_000),
			rateLimiter.acquire({}, undefined, 300_000),
		];
		refused.refuse(600_000);
		const rejection = { pauseMs: 600_000 };
		expect(await Promise.all(waiting)).toEqual([rejection, rejection]);
		expect(clock.now()).toBe(0);
	});

	it('takes the place of a request that never reached the service', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, { limit: 1, windowMs: MINUTE_MS });
		(await acquire(rateLimiter, user)).cancel();
		await acquire(rateLimiter, user);
		expect(clock.now()).toBe(0);
	});

	it('stops within 250 ms with its execution, and the next one takes its place', async () => {
		await fc.assert(
			fc.asyncProperty(fc.nat(50_000), fc.nat(50_000), async (arrivesMs, afterMs) => {
				const { clock, rateLimiter } = await takenLimiter(200_000);
				await clock.sleep(arrivesMs);
				const execution = new AbortController();
				const stopped = rateLimiter.acquire(user, execution.signal);
				const next = acquire(rateLimiter, user).then(() => clock.now());
				void clock.sleep(afterMs).then(() => execution.abort('stopped'));
				const stopMs = clock.now() + afterMs;
				await expect(stopped).rejects.toBe('stopped');
				expect(clock.now()).toBeGreaterThanOrEqual(stopMs);
				expect(clock.now()).toBeLessThanOrEqual(stopMs + 250);
				expect(await next).toBeLessThanOrEqual(200_250);
			}),
			{ numRuns: 10 },
		);
	});
});

const HOUR_MS = 3_600_000;

describe.each([
	['set an hour back', -HOUR_MS],
	['set an hour forward, or stands still in durations while the machine sleeps', HOUR_MS],
])('a clock that is %s', (_name, byMs) => {
	it('does not change a pause that the service asked for', async () => {
		const clock = new VirtualClock(Date.UTC(2026, 0, 1));
		const rateLimiter = new RateLimiter(clock);
		const startMs = clock.elapsedMs();
		(await acquire(rateLimiter, user)).refuse(40_000);
		clock.setDate(byMs);
		expect(await rateLimiter.acquire(user, undefined, 300_000)).toHaveProperty('release');
		expect(clock.elapsedMs() - startMs).toBe(40_000);
	});

	it('does not change the wait for a place', async () => {
		const { clock, rateLimiter } = await takenLimiter();
		void clock.sleep(5_000).then(() => clock.setDate(byMs));
		await acquire(rateLimiter, user);
		expect(clock.elapsedMs()).toBeCloseTo(MINUTE_MS, -2);
	});
});

it('after the machine has slept, requests get through as soon as usual', async () => {
	await fc.assert(
		fc.asyncProperty(fc.nat(120), fc.nat(2 * MINUTE_MS), async (before, forMs) => {
			const clock = new VirtualClock();
			const rateLimiter = new RateLimiter(clock);
			const service = createLimiter(clock, { kind: 'sliding' });
			const send = async () => {
				for (;;) {
					const permit = await acquire(rateLimiter, user);
					const waitMs = service.waitMs('key');
					await clock.sleep(100);
					if (waitMs === 0) return permit.release();
					permit.refuse(Math.ceil(waitMs / 1_000) * 1_000);
				}
			};
			await Promise.all(Array.from({ length: before }, send));
			clock.suspend(forMs);
			const wokenMs = clock.elapsedMs();
			await Promise.all(Array.from({ length: 250 }, send));
			expect(clock.elapsedMs() - wokenMs).toBeLessThan(3.1 * MINUTE_MS);
		}),
		{ numRuns: 10 },
	);
});
