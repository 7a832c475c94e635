import { RateLimiter, type Permit } from '../../../nodes/WorkspaceCrm/api/rateLimiter';
import type { LimiterOptions } from '../../sandbox';
import { createLimiter } from '../../sandbox/http/limiter';
import { VirtualClock } from '../../support/virtualClock';

/** Something that has requests to make, such as an execution. */
export interface Run {
	requests: number;
	/** When it begins. Default 0. */
	fromMs?: number;
	/** Runs of the same process share a rateLimiter. Default: all are of one. */
	process?: number;
	/** How many of its requests are under way at a time. Default 5. */
	atOnce?: number;
}

export interface RunResult {
	/** When the service let each request through. */
	grantsMs: number[];
	refused: number;
	endedMs: number;
}

export interface Simulation {
	limiter: LimiterOptions;
	runs: Run[];
	/** Milliseconds there and back, for each request in turn. Default 50. */
	latenciesMs?: number[];
	/** Time of the clock at the beginning. Default 0. */
	startMs?: number;
}

/** Runs against a limiter of the sandbox's, in time that costs nothing. Times are from the start. */
export async function simulate({ limiter, runs, latenciesMs = [50], startMs = 0 }: Simulation) {
	const clock = new VirtualClock(startMs);
	const service = createLimiter(clock, limiter);
	const rateLimiters = new Map<number, RateLimiter>();
	let sent = 0;

	const send = async (rateLimiter: RateLimiter, user: object, result: RunResult) => {
		const permit = (await rateLimiter.acquire(user)) as Permit;
		const latencyMs = latenciesMs[sent++ % latenciesMs.length];
		await clock.sleep(latencyMs / 2);
		const waitMs = service.waitMs('key');
		if (waitMs === 0) result.grantsMs.push(clock.now() - startMs);
		else result.refused += 1;
		await clock.sleep(latencyMs / 2);
		if (waitMs === 0) permit.release();
		else permit.refuse(Math.max(1, Math.ceil(waitMs / 1_000)) * 1_000);
		return waitMs === 0;
	};
	const play = async ({ requests, fromMs = 0, process = 0, atOnce = 5 }: Run) => {
		const rateLimiter = rateLimiters.get(process) ?? new RateLimiter(clock);
		rateLimiters.set(process, rateLimiter);
		await clock.sleep(fromMs);
		const result: RunResult = { grantsMs: [], refused: 0, endedMs: 0 };
		const user = {};
		let left = requests;
		const work = async () => {
			while (left > 0) {
				left -= 1;
				let isThrough = false;
				while (!isThrough) isThrough = await send(rateLimiter, user, result);
			}
		};
		await Promise.all(Array.from({ length: atOnce }, work));
		result.endedMs = clock.now() - startMs;
		return result;
	};
	return await Promise.all(runs.map(play));
}

/** Of all runs together. */
export function totalOf(results: RunResult[]) {
	const granted = results.flatMap(({ grantsMs }) => grantsMs).length;
	const refused = results.reduce((sum, result) => sum + result.refused, 0);
	const endedMs = Math.max(...results.map((result) => result.endedMs));
	return { granted, refused, endedMs };
}
