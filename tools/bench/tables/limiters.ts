import { startSandbox, type LimiterOptions, type Sandbox } from '../../sandbox';
import { fastClock } from '../../support/clock';
import { leastTimeMs } from '../leastTime';
import { httpUpsert, ourUpsert, type NodeSetUp } from '../nodes';
import { count, times } from '../output/numbers';
import type { Requirement, Table } from '../output/table';
import { countMissing, makeRows, type Row } from '../rows';
import { startWorker, type Worker } from '../worker/worker';

/**
 * How many times as fast as real time all clocks run. Real time that the machine needs for a request counts as
 * many times more, so this is no higher than necessary.
 */
const FACTOR = 2;
const ROWS = 600;
const LATENCY_MS = 50;
const WINDOW_MS = 60_000;
const HALF_WINDOW_MS = WINDOW_MS / 2;

interface Service {
	name: string;
	limiter: LimiterOptions;
	/** How many processes use the key, each with as many rows. */
	processes: 1 | 2;
}

const services: Service[] = [
	{ name: 'Any minute', limiter: { kind: 'sliding' }, processes: 1 },
	{ name: 'Windows from the first request', limiter: { kind: 'fixed' }, processes: 1 },
	{
		name: 'Windows of the clock, starting in the middle of one',
		limiter: { kind: 'fixed', fixedWindowFrom: 'epoch' },
		processes: 1,
	},
	{ name: 'Token bucket of 120', limiter: { kind: 'tokenBucket' }, processes: 1 },
	{ name: 'Token bucket of 20', limiter: { kind: 'tokenBucket', burst: 20 }, processes: 1 },
	{ name: 'Any minute, 60 requests', limiter: { kind: 'sliding', limit: 60 }, processes: 1 },
	{ name: 'Any minute, two processes', limiter: { kind: 'sliding' }, processes: 2 },
	{
		name: 'Token bucket of 20, two processes',
		limiter: { kind: 'tokenBucket', burst: 20 },
		processes: 2,
	},
];

type SetUp = (to: Sandbox) => NodeSetUp;

const inBatches: SetUp = (to) =>
	httpUpsert(to, { batching: { batch: { batchSize: 100, batchInterval: WINDOW_MS / FACTOR } } });

/** With the most that n8n allows: five tries, and five seconds between. */
const withRetries: SetUp = (to) => {
	const setUp = httpUpsert(to);
	const settings = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 / FACTOR };
	return { ...setUp, node: { ...setUp.node, ...settings, onError: 'stopWorkflow' } };
};

interface Reading {
	elapsedMs: number;
	/** Divided by the least possible time. */
	ratio: number;
	refused: number;
	failed: number;
}

interface Result {
	service: Service;
	ours: Reading;
	batching: Reading;
	retrying: Reading;
}

/** Creating contacts row by row against every kind of rate limiter. */
export async function measureLimiters(): Promise<Table> {
	/** The workers for each service: as many as use its key. */
	const teams: Worker[][] = [];
	const measureAll = async (toSetUp: SetUp) =>
		await Promise.all(services.map((each, index) => measure(each, teams[index], toSetUp)));
	try {
		for (const { processes } of services) teams.push(await startTeam(processes));
		// Runs that mostly wait can do so at the same time; runs that send everything at once cannot.
		const ours = await measureAll(ourUpsert);
		const batching = await measureAll(inBatches);
		const results: Result[] = [];
		for (const [index, service] of services.entries()) {
			const retrying = await measure(service, teams[index], withRetries);
			results.push({ service, ours: ours[index], batching: batching[index], retrying });
		}
		return toTable(results);
	} finally {
		await Promise.all(teams.flat().map(async (worker) => await worker.end()));
	}
}

async function startTeam(size: number): Promise<Worker[]> {
	const team: Worker[] = [];
	while (team.length < size) {
		team.push(await startWorker());
		await warmUp(team[team.length - 1]);
	}
	return team;
}

/** A first run takes longer, and with fast clocks, this would count several times. */
async function warmUp(worker: Worker): Promise<void> {
	const sandbox = await startSandbox({ limiter: { kind: 'off' } });
	const items = makeRows(100).map((row) => ({ ...row }));
	for (const setUp of [ourUpsert(sandbox), httpUpsert(sandbox)]) {
		await worker.run({ ...setUp, items, factor: 10_000 });
	}
	await sandbox.close();
}

async function measure(service: Service, team: Worker[], toSetUp: SetUp): Promise<Reading> {
	const fast = fastClock(FACTOR);
	// So that half of a window of the clock is over.
	const aheadMs = WINDOW_MS + HALF_WINDOW_MS - (fast.now() % WINDOW_MS);
	const clock = { ...fast, now: () => fast.now() + aheadMs };
	const sandbox = await startSandbox({ clock, limiter: service.limiter, latencyMs: LATENCY_MS });
	try {
		const rows = makeRows(ROWS * team.length);
		const results = await Promise.all(
			team.map(async (worker, place) => {
				const items = rows.slice(place * ROWS, (place + 1) * ROWS).map((row) => ({ ...row }));
				return await worker.run({ ...toSetUp(sandbox), items, factor: FACTOR });
			}),
		);
		const elapsedMs = Math.max(...results.map((result) => result.elapsedMs)) * FACTOR;
		const failed = results.reduce((sum, result) => sum + result.failed, 0);
		checkNothingMissing(sandbox, rows, failed);
		return {
			elapsedMs,
			ratio: elapsedMs / leastMs(service),
			refused: sandbox.requests.filter(({ status }) => status === 429).length,
			failed,
		};
	} finally {
		await sandbox.close();
	}
}

/** A row may be missing in the CRM only when its item failed. */
function checkNothingMissing(sandbox: Sandbox, rows: Row[], failed: number): void {
	const missing = countMissing(sandbox, rows);
	if (missing > failed) throw new Error(`${missing} rows are missing, ${failed} items failed`);
}

function leastMs(service: Service): number {
	const { limiter, processes } = service;
	return leastTimeMs(limiter, ROWS * processes, HALF_WINDOW_MS) + LATENCY_MS;
}

function toTable(results: Result[]): Table {
	const wholeSeconds = (ms: number) => (ms / 1_000).toFixed(0);
	return {
		title: `Create ${ROWS} contacts, row by row, at 120 requests a minute`,
		how: `Contact > Create or Update with ${ROWS} items (two processes: ${ROWS} each), beside the HTTP Request node as n8n's documentation advises: "Batching" of 100 items every 60 s, and "Retry On Fail" with 5 tries, 5 s apart. Each answer takes ${LATENCY_MS} ms. Clocks run ${FACTOR} times as fast as the machine's.`,
		head: [
			'How the service counts',
			'Least s',
			'Ours: s',
			'429s',
			'Failed',
			'Batching: s',
			'Failed',
			'Retry On Fail: failed',
		],
		rows: results.map(({ service, ours, batching: batched, retrying }) => [
			service.name,
			wholeSeconds(leastMs(service)),
			wholeSeconds(ours.elapsedMs),
			count(ours.refused),
			count(ours.failed),
			wholeSeconds(batched.elapsedMs),
			count(batched.failed),
			count(retrying.failed),
		]),
		notes: [
			'"Retry On Fail" repeats the whole node; when its last try fails, all items count as failed. "Batching" never repeats a refused request.',
		],
		requirements: toRequirements(results),
	};
}

function toRequirements(results: Result[]): Requirement[] {
	const worst = (processes: number, figure: (reading: Reading) => number) =>
		Math.max(
			...results
				.filter(({ service }) => service.processes === processes)
				.map(({ ours }) => figure(ours)),
		);
	const limits = [
		{ name: 'one process', processes: 1, ratio: 1.05 },
		{ name: 'two processes', processes: 2, ratio: 1.2 },
	];
	return limits.flatMap(({ name, processes, ratio: mostRatio }): Requirement[] => {
		const ratio = worst(processes, (reading) => reading.ratio);
		const failed = worst(processes, (reading) => reading.failed);
		return [
			{
				text: `${name}: at most ${mostRatio} times the least possible time`,
				measured: `at most ${times(ratio)}`,
				isMet: ratio <= mostRatio,
			},
			{ text: `${name}: no item fails`, measured: `at most ${failed}`, isMet: failed === 0 },
		];
	});
}
