import { RateLimiter, type Permit } from '../../../nodes/WorkspaceCrm/crm/rateLimiter';
import { leastTimeMs } from '../../../tools/bench/leastTime';
import type { LimiterOptions } from '../../../tools/sandbox';
import { createLimiter } from '../../../tools/sandbox/http/limiter';
import { VirtualClock } from '../../support/virtualClock';
import type { LimiterKind } from './limiterKinds';

const WINDOW_MS = 60_000;

/** Something that has requests to make, such as an execution. */
export interface Run {
	requests: number;
	/** When it begins. Default 0. */
	fromMs?: number;
	/** Runs of the same process share a rate limiter. Default: one process for all. */
	process?: number;
	/** How many of its requests are under way at a time. Default 5. */
	atOnce?: number;
}

export interface RunResult {
	/** When the service let each request through. */
	grantsMs: number[];
	/** When it refused a request. */
	refusalsMs: number[];
	endedMs: number;
}

export interface Simulation {
	limiter: LimiterOptions;
	runs: Run[];
	/** Round trips in milliseconds, used in turn. Default 50. */
	latenciesMs?: number[];
	/** Time of the clock at the beginning. Default 0. */
	startMs?: number;
}

/** Simulates runs against a limiter of the sandbox, in time that costs nothing. Times count from the start. */
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
		const { grantsMs, refusalsMs } = result;
		(waitMs === 0 ? grantsMs : refusalsMs).push(clock.now() - startMs);
		await clock.sleep(latencyMs / 2);
		if (waitMs === 0) permit.release();
		else permit.refuse(Math.max(1, Math.ceil(waitMs / 1_000)) * 1_000);
		return waitMs === 0;
	};
	const play = async ({ requests, fromMs = 0, process = 0, atOnce = 5 }: Run) => {
		const rateLimiter = rateLimiters.get(process) ?? new RateLimiter(clock);
		rateLimiters.set(process, rateLimiter);
		await clock.sleep(fromMs);
		const result: RunResult = { grantsMs: [], refusalsMs: [], endedMs: 0 };
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

/** The counts of all runs together, and when the last one ended. */
export function totalOf(results: RunResult[]) {
	const granted = results.flatMap(({ grantsMs }) => grantsMs).length;
	const refused = results.flatMap(({ refusalsMs }) => refusalsMs).length;
	const endedMs = Math.max(...results.map((result) => result.endedMs));
	return { granted, refused, endedMs };
}

const LATENCY_MS = 50;

export interface Outcome {
	requests: number;
	tookMs: number;
	/** The time divided by the least possible time. */
	factor: number;
	/** The refusals divided by the requests that the runs had to make. */
	refused: number;
}

/** How long runs take, by default with answers after 50 ms, compared with the least possible time. */
export async function outcomeOf(
	kind: LimiterKind,
	runs: Run[],
	latenciesMs = [LATENCY_MS],
): Promise<Outcome> {
	const { limiter } = kind;
	const simulation = { limiter, runs, latenciesMs, startMs: startOf(kind) };
	const { refused, endedMs } = totalOf(await simulate(simulation));
	const requests = runs.reduce((sum, run) => sum + run.requests, 0);
	return toOutcome(kind, requests, endedMs, refused);
}

/** The same for one run of each length. The first requests of a long run take as long as a short run. */
export async function outcomesOf(kind: LimiterKind, from: number, to: number): Promise<Outcome[]> {
	const runs = [{ requests: to }];
	const [result] = await simulate({ limiter: kind.limiter, runs, startMs: startOf(kind) });
	return Array.from({ length: to - from + 1 }, (_, index) => {
		const requests = from + index;
		const tookMs = result.grantsMs[requests - 1] + LATENCY_MS / 2;
		const refused = result.refusalsMs.filter((ms) => ms < tookMs).length;
		return toOutcome(kind, requests, tookMs, refused);
	});
}

/** The time of the clock at which so much of its window is left. */
function startOf({ leftMs = WINDOW_MS }: LimiterKind): number {
	return WINDOW_MS - leftMs;
}

function toOutcome(kind: LimiterKind, requests: number, tookMs: number, refused: number): Outcome {
	const leastMs = leastTimeMs(kind.limiter, requests, kind.leftMs) + LATENCY_MS;
	return { requests, tookMs, factor: tookMs / leastMs, refused: refused / requests };
}
