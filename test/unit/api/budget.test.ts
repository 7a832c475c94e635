import * as fc from 'fast-check';

import { RequestBudget } from '../../../nodes/WorkspaceCrm/api/budget';
import { VirtualClock } from '../../support/virtualClock';

interface Planned {
	arrivesMs: number;
	latencyMs: number;
	/** Where between its start and its end the service counts the request, from 0 to 1. */
	countedAt: number;
	/** When its execution is stopped. */
	stopsMs?: number;
}

interface Pause {
	atMs: number;
	forMs: number;
}

interface Plan {
	limit: number;
	windowMs: number;
	requests: Planned[];
	pauses: Pause[];
}

interface Done extends Planned {
	/** Undefined when it was stopped while it waited. */
	startMs?: number;
	/** When it ended, or ended its waiting. */
	endMs: number;
	reason?: unknown;
}

/** Plays a plan; gives what became of its requests, in the order in which they came. */
async function play({ limit, windowMs, requests, pauses }: Plan): Promise<Done[]> {
	const clock = new VirtualClock();
	const budget = new RequestBudget(clock, limit, windowMs);
	const pausing = pauses.map(async ({ atMs, forMs }) => {
		await clock.sleep(atMs);
		budget.pause(forMs);
	});
	const inOrder = [...requests].sort((a, b) => a.arrivesMs - b.arrivesMs);
	const done = inOrder.map(async (planned): Promise<Done> => {
		const execution = new AbortController();
		if (planned.stopsMs !== undefined) {
			void clock.sleep(planned.stopsMs).then(() => execution.abort(planned));
		}
		await clock.sleep(planned.arrivesMs);
		try {
			const release = await budget.take(execution.signal);
			const startMs = clock.now();
			await clock.sleep(planned.latencyMs);
			release();
			return { ...planned, startMs, endMs: clock.now() };
		} catch (reason) {
			return { ...planned, endMs: clock.now(), reason: reason === planned ? 'its own' : reason };
		}
	});
	await Promise.all(pausing);
	return await Promise.all(done);
}

/**
 * When a request should start: as soon as it has come, all before it have started, no pause holds
 * it, and fewer than `limit` others are under way or ended less than a window ago.
 */
function earliestStartMs(request: Planned, before: Done[], plan: Plan): number {
	const started = before.filter(({ startMs }) => startMs !== undefined);
	const freeAtMs = started.map(({ endMs }) => endMs + plan.windowMs).sort((a, b) => b - a);
	let startMs = Math.max(
		request.arrivesMs,
		...started.slice(-1).map((last) => last.startMs ?? 0),
		...freeAtMs.slice(plan.limit - 1, plan.limit),
	);
	for (const { atMs, forMs } of [...plan.pauses].sort((a, b) => a.atMs - b.atMs)) {
		if (startMs > atMs) startMs = Math.max(startMs, atMs + forMs);
	}
	return startMs;
}

/** The most requests that the service counts in any span of a window's length. */
function mostInWindow(done: Done[], windowMs: number): number {
	const counted = done
		.flatMap(({ startMs, latencyMs, countedAt }) =>
			startMs === undefined ? [] : [startMs + latencyMs * countedAt],
		)
		.sort((a, b) => a - b);
	return Math.max(
		0,
		...counted.map(
			(fromMs) => counted.filter((ms) => ms >= fromMs && ms < fromMs + windowMs).length,
		),
	);
}

/** Stops and pauses never fall on the same moment as anything else, so that the outcome is certain. */
function plans(limits: { limit: number; windowMs: number; most: number }): fc.Arbitrary<Plan> {
	const { limit, windowMs, most } = limits;
	const time = fc.oneof(
		fc.nat(3 * windowMs),
		fc.nat(20),
		fc.constantFrom(0, windowMs, 2 * windowMs),
	);
	const request = fc.record({
		arrivesMs: time,
		latencyMs: fc.oneof(fc.nat(300), fc.nat(2 * windowMs)),
		countedAt: fc.double({ min: 0, max: 1, noNaN: true }),
		stopsMs: fc.option(
			time.map((ms) => ms + 0.25),
			{ nil: undefined, freq: 3 },
		),
	});
	const pause = (fraction: number) =>
		fc.record({ atMs: time.map((ms) => ms + fraction), forMs: fc.nat(2 * windowMs) });
	return fc.record({
		limit: fc.constant(limit),
		windowMs: fc.constant(windowMs),
		requests: fc.array(request, { minLength: 1, maxLength: most, size: 'max' }),
		pauses: fc.oneof(
			fc.constant<Pause[]>([]),
			fc.tuple(pause(0.5)),
			fc.tuple(pause(0.5), pause(0.0625)),
		),
	});
}

function steady(count: number, planned: Partial<Planned> = {}): Planned[] {
	return Array.from({ length: count }, () => ({
		arrivesMs: 0,
		latencyMs: 100,
		countedAt: 1,
		...planned,
	}));
}

const SERVICE = { limit: 120, windowMs: 60_000 };
const small = fc
	.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 300, max: 2_000 }))
	.chain(([limit, windowMs]) => plans({ limit, windowMs, most: 25 }));

describe('the request budget of a key', () => {
	it('never lets the service count more than the limit in any window', async () => {
		await fc.assert(
			fc.asyncProperty(small, async (plan) => {
				expect(mostInWindow(await play(plan), plan.windowMs)).toBeLessThanOrEqual(plan.limit);
			}),
			{ numRuns: 300 },
		);
	});

	it('keeps to 120 a minute with many requests at once', async () => {
		await fc.assert(
			fc.asyncProperty(plans({ ...SERVICE, most: 350 }), async (plan) => {
				expect(mostInWindow(await play(plan), 60_000)).toBeLessThanOrEqual(120);
			}),
			{ numRuns: 8 },
		);
	});

	it('starts each request, in the order they came, as early as that allows', async () => {
		await fc.assert(
			fc.asyncProperty(small, async (plan) => {
				const done = await play(plan);
				done.forEach((request, index) => {
					if (request.startMs === undefined) return;
					expect(request.startMs).toBe(earliestStartMs(request, done.slice(0, index), plan));
				});
			}),
			{ numRuns: 300 },
		);
	});

	it('lets a stopped execution wait no longer than 250 ms, and start nothing', async () => {
		await fc.assert(
			fc.asyncProperty(small, async (plan) => {
				const done = await play(plan);
				done.forEach((request, index) => {
					const { startMs, endMs, arrivesMs, stopsMs = Infinity, reason } = request;
					if (startMs !== undefined) return expect(startMs).toBeLessThan(stopsMs);
					expect(reason).toBe('its own');
					const earliestMs = earliestStartMs(request, done.slice(0, index), plan);
					expect(earliestMs).toBeGreaterThan(stopsMs);
					expect(endMs).toBeGreaterThanOrEqual(Math.max(stopsMs, arrivesMs));
					expect(endMs).toBeLessThanOrEqual(Math.max(stopsMs, arrivesMs) + 250);
				});
			}),
			{ numRuns: 300 },
		);
	});

	it('makes nobody wait for the first 120, and the next one for a minute after the first end', async () => {
		const done = await play({ ...SERVICE, requests: steady(122), pauses: [] });
		const starts = done.map(({ startMs }) => startMs);
		expect(starts).toEqual([...Array<number>(120).fill(0), 60_100, 60_100]);
	});

	it('counts a request until a minute after its end, because the service may count it late', async () => {
		const slow = steady(120, { latencyMs: 50_000 });
		const next = steady(1, { arrivesMs: 60_000 });
		const done = await play({ ...SERVICE, requests: [...slow, ...next], pauses: [] });
		expect(done[120].startMs).toBe(110_000);
	});

	it('holds everyone while it is paused, and then goes on in order', async () => {
		const requests = [0, 1_000, 2_000, 9_000].flatMap((arrivesMs) => steady(1, { arrivesMs }));
		const pauses = [{ atMs: 500, forMs: 7_500 }];
		const done = await play({ ...SERVICE, requests, pauses });
		expect(done.map(({ startMs }) => startMs)).toEqual([0, 8_000, 8_000, 9_000]);
	});

	it('is not paused shorter by a second, shorter pause', async () => {
		const pauses = [
			{ atMs: 1, forMs: 5_000 },
			{ atMs: 2, forMs: 10 },
		];
		const requests = steady(1, { arrivesMs: 3 });
		expect((await play({ ...SERVICE, requests, pauses }))[0].startMs).toBe(5_001);
	});

	it('is 120 requests a minute when nothing else is said', async () => {
		const clock = new VirtualClock();
		const budget = new RequestBudget(clock);
		const starts = await Promise.all(
			steady(241).map(async () => {
				const release = await budget.take();
				release();
				return clock.now();
			}),
		);
		expect(starts).toEqual([
			...Array<number>(120).fill(0),
			...Array<number>(120).fill(60_000),
			120_000,
		]);
	});

	it('gives a place that a stopped execution waited for to the next in line', async () => {
		const [first, stopped, next] = steady(3, { latencyMs: 0 });
		const requests = [first, { ...stopped, stopsMs: 59_999 }, next];
		const done = await play({ limit: 1, windowMs: 60_000, requests, pauses: [] });
		expect(done.map(({ startMs }) => startMs)).toEqual([0, undefined, 60_000]);
	});

	it('takes no place for an execution that was stopped before it came', async () => {
		const [stopped, next] = steady(2, { arrivesMs: 5 });
		const requests = [{ ...stopped, stopsMs: 1 }, next];
		const done = await play({ limit: 1, windowMs: 60_000, requests, pauses: [] });
		expect(done).toMatchObject([{ endMs: 5, reason: 'its own' }, { startMs: 5 }]);
	});
});
