import { startSandbox, type Sandbox } from '../../sandbox';
import { httpList, httpUpsert, ourList, ourUpsert, type NodeSetUp } from '../nodes';
import { count, medianBy, megabytes, times } from '../output/numbers';
import type { Table } from '../output/table';
import { addAsContacts, makeRows } from '../rows';
import type { JobResult } from '../worker/job';
import { startWorker } from '../worker/worker';

const ITEMS = 10_000;
const MANY = 100_000;
const WARM_UP_ITEMS = 200;
const RUNS = 5;

/** A task for both nodes. */
interface Work {
	name: string;
	/** How many contacts the CRM has before the run. */
	contacts: number;
	/** How many input items. */
	inputs: number;
	/** How many requests it takes; any other number means that something went wrong. */
	requests: number;
	runs: number;
	ours: (to: Sandbox) => NodeSetUp;
	http?: (to: Sandbox) => NodeSetUp;
}

const upserts: Work = {
	name: `Create ${count(ITEMS)} contacts`,
	contacts: 0,
	inputs: ITEMS,
	requests: ITEMS,
	runs: RUNS,
	ours: ourUpsert,
	http: httpUpsert,
};
const list: Work = {
	name: `List ${count(ITEMS)} contacts`,
	contacts: ITEMS,
	inputs: 1,
	requests: ITEMS / 100,
	runs: RUNS,
	ours: ourList,
	http: httpList,
};
const longList: Work = {
	name: `List ${count(MANY)} contacts`,
	contacts: MANY,
	inputs: 1,
	requests: MANY / 100,
	runs: 1,
	ours: ourList,
};

/** Processor time and memory of the two nodes, for the same work. */
export async function measureCost(): Promise<Table> {
	const results: Result[] = [];
	for (const work of [upserts, list, longList]) results.push(await measureWork(work));
	return toTable(results);
}

interface Result {
	work: Work;
	ours: JobResult;
	http?: JobResult;
}

/** Takes turns, so that other load on the machine affects both alike. */
async function measureWork(work: Work): Promise<Result> {
	const ours: JobResult[] = [];
	const http: JobResult[] = [];
	for (let run = 0; run < work.runs; run += 1) {
		ours.push(await measure(work, work.ours));
		if (work.http) http.push(await measure(work, work.http));
	}
	const middle = (runs: JobResult[]) => medianBy(runs, ({ cpuMs }) => cpuMs);
	return { work, ours: middle(ours), ...(http.length > 0 && { http: middle(http) }) };
}

async function measure(work: Work, node: (to: Sandbox) => NodeSetUp): Promise<JobResult> {
	const sandbox = await startSandbox({ limiter: { kind: 'off' } });
	const worker = await startWorker();
	try {
		const rows = makeRows(work.inputs).map((row) => ({ ...row }));
		const job = { ...node(sandbox), factor: 1, isUnlimited: true };
		// First a little of the same, so that loading and compiling are not part of the figures.
		await worker.run({ ...job, items: rows.slice(0, WARM_UP_ITEMS) });
		sandbox.reset();
		addAsContacts(sandbox, makeRows(work.contacts));

		const result = await worker.run({ ...job, items: rows });
		const isDone = sandbox.requests.length === work.requests && result.failed === 0;
		if (!isDone) {
			const what = `${sandbox.requests.length} requests, ${result.failed} items failed`;
			throw new Error(`${work.name}: ${what}. ${result.error ?? ''}`);
		}
		return result;
	} finally {
		await worker.end();
		await sandbox.close();
	}
}

function toTable(results: Result[]): Table {
	const figures = ({ cpuMs, peakBytes }: JobResult) => [
		count(Math.round(cpuMs)),
		megabytes(peakBytes),
	];
	const ratios = results.flatMap(({ work, ours, http }) =>
		http ? [{ name: work.name, ratio: ours.cpuMs / http.cpuMs }] : [],
	);
	const long = results.find(({ work }) => work === longList);
	const longBytes = long?.ours.peakBytes ?? Infinity;
	return {
		title: 'Processor time and memory',
		how: `Each node runs in a warmed-up process of its own. Figures are the median of ${RUNS} alternating runs (${count(MANY)} contacts: one run). CPU is the processor time of the process; memory is its peak above the level before the run. The service has no limit.`,
		head: ['', 'Ours: CPU ms', 'Memory MB', 'HTTP Request: CPU ms', 'Memory MB'],
		rows: results.map(({ work, ours, http }) => [
			work.name,
			...figures(ours),
			...(http ? figures(http) : ['', '']),
		]),
		requirements: [
			...ratios.map(({ name, ratio }) => ({
				text: `${name}: at most 1.05 times the HTTP Request node's processor time`,
				measured: times(ratio),
				isMet: ratio <= 1.05,
			})),
			{
				text: `${count(MANY)} contacts in less than 300 MB`,
				measured: `${megabytes(longBytes)} MB`,
				isMet: longBytes < 300e6,
			},
		],
	};
}
