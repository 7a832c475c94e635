import { poll } from '../../n8n/poll';
import { startTestbed, type Testbed } from '../../n8n/testbed';
import { delay, fs, process } from '../../support/platform';
import { count, median, times } from '../output/numbers';
import type { Requirement, Table } from '../output/table';
import { deliver, type Answer, type Job } from '../sender';
import { publishAll, type Start, type Starts } from '../starts';

/** Turns that count, after one that does not, in which n8n compiles code and finishes its start. */
const TURNS = 5;
/** What n8n still does after the executions of one workflow must not slow the answers of the other. */
const QUIET_MS = 2_000;
/** After so long without a further one, no more executions are expected to end. */
const PATIENCE_MS = 60_000;
const ALLOWED_MS = 10_000;
/** Times the p99 of the Webhook node (lazy engine), and times the figures of the GitHub Trigger. */
const ALLOWED_RATIO = 1.2;
const ALLOWED_GITHUB_RATIO = 1.1;

/** How deliveries arrive. */
const FLOWS: Array<{ name: string } & Pick<Job, 'count' | 'everyMs'>> = [
	{ name: 'One after another', count: 100 },
	{ name: '500 at once', count: 500, everyMs: 0 },
	{ name: '50 a second', count: 250, everyMs: 20 },
];
type Flow = (typeof FLOWS)[number];

/** When n8n creates its engine for expressions. */
const lazy = { name: 'lazy engine', env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } };
const standard = { name: 'default engine', env: {} };
type Engine = typeof lazy | typeof standard;

/** n8n keeps no successful executions, as in busy instances. The timeout is n8n's default, which tests change. */
const SETTINGS = { EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none', DB_PING_TIMEOUT_MS: '5000' };

/** One turn of one workflow. */
interface Turn {
	answers: Answer[];
	p99: number;
	/** Processor time of n8n for each delivery and its execution. */
	cpuMs: number;
	/** How many n8n counts. */
	executions: number;
}

/** The turns of each workflow, taken in pairs: the first of all, then the second of all. */
interface Reading extends Record<keyof Starts, Turn[]> {
	engine: Engine;
	flow: Flow;
}

/** Compares deliveries to our trigger with the same ones to n8n's own GitHub Trigger and Webhook node. */
export async function measureDeliveries(): Promise<Table> {
	const readings: Reading[] = [];
	for (const engine of [lazy, standard]) readings.push(...(await measureEngine(engine)));
	return toTable(readings);
}

async function measureEngine(engine: Engine): Promise<Reading[]> {
	const bed = await startTestbed({ env: { ...SETTINGS, ...engine.env } });
	try {
		const starts = await publishAll(bed);
		// The one that made the deliveries' template.
		await untilExecuted(bed, starts.ours, 1);
		const readings: Reading[] = [];
		for (const flow of FLOWS) {
			const reading: Reading = { engine, flow, ours: [], github: [], webhook: [] };
			for (let turn = 0; turn <= TURNS; turn += 1) {
				for (const name of ['ours', 'github', 'webhook'] as const) {
					const measured = await send(bed, starts[name], flow);
					if (turn > 0) reading[name].push(measured);
				}
			}
			readings.push(reading);
		}
		return readings;
	} finally {
		await bed.close();
	}
}

async function send(bed: Testbed, start: Start, flow: Flow): Promise<Turn> {
	const executionsBefore = await countExecutions(bed, start);
	const cpuBeforeMs = processorTimeMs(bed.n8n.pid);
	const answers = await deliver({ ...start.job, count: flow.count, everyMs: flow.everyMs });
	await untilExecuted(bed, start, executionsBefore + flow.count);
	const cpuMs = (processorTimeMs(bed.n8n.pid) - cpuBeforeMs) / flow.count;
	await delay(QUIET_MS);
	const executions = (await countExecutions(bed, start)) - executionsBefore;
	const sorted = answers.map(({ elapsedMs }) => elapsedMs).sort((a, b) => a - b);
	/** The smallest time within which so many percent of the answers came. */
	const percentile = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1];
	return { answers, p99: percentile(99), cpuMs, executions };
}

/** The unit in which Linux counts processor time, on all machines that Node.js runs on. */
const TICK_MS = 10;

/** Processor time of another process since its start, user and system, in milliseconds. NaN outside of Linux. */
function processorTimeMs(pid: number): number {
	if (process.platform !== 'linux') return NaN;
	const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
	// The name of the program, in brackets, may hold anything.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Waits until so many executions have ended, or no more do: n8n's own nodes may lose one. */
async function untilExecuted(bed: Testbed, start: Start, expected: number): Promise<void> {
	let last = { executions: NaN, sinceMs: NaN };
	await poll(
		async () => {
			const executions = await countExecutions(bed, start);
			if (executions !== last.executions) last = { executions, sinceMs: Date.now() };
			return executions;
		},
		(executions) => executions >= expected || Date.now() - last.sinceMs > PATIENCE_MS,
		`${expected} executions to end`,
		Infinity,
	);
}

/** How many executions of the workflow have ended well, as n8n counts them. */
async function countExecutions({ n8n }: Testbed, { workflowId }: Start): Promise<number> {
	const path = `/workflow-stats/${workflowId}/counts/`;
	return (await n8n.rest.get<{ productionSuccess: number }>(path)).productionSuccess;
}

const middle = (turns: Turn[], figure: 'p99' | 'cpuMs') =>
	median(turns.map((turn) => turn[figure]));

function toTable(readings: Reading[]): Table {
	const figures = (turns: Turn[]) => [
		middle(turns, 'p99').toFixed(0),
		Number.isNaN(turns[0].cpuMs) ? '–' : middle(turns, 'cpuMs').toFixed(1),
	];
	return {
		title: "Deliveries, compared with n8n's GitHub Trigger and Webhook node",
		how: `Signed deliveries, sent to three workflows of one node each in one n8n process with SQLite: our trigger, n8n's GitHub Trigger, which checks signatures too, and n8n's Webhook node, which checks none. Figures are medians of ${TURNS} turns, in milliseconds. 99 of 100 answers come within p99, counted from when the delivery is due. CPU is n8n's processor time for one delivery and its execution.`,
		head: ['', 'Ours: p99', 'CPU', 'GitHub Trigger: p99', 'CPU', 'Webhook node: p99', 'CPU'],
		rows: readings.map(({ engine, flow, ours, github, webhook }) => [
			`${flow.name}, ${engine.name}`,
			...figures(ours),
			...figures(github),
			...figures(webhook),
		]),
		notes: [
			'Since version 2.41, n8n creates an expression engine for each delivery to any trigger except its own Webhook node. With `N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true` (lazy engine), it creates one only if there is an expression to evaluate.',
		],
		requirements: toRequirements(readings),
	};
}

const ratioOf = (ours: Turn[], webhook: Turn[]) => middle(ours, 'p99') / middle(webhook, 'p99');

/** The median of the ratios of each pair of turns. */
const pairedRatio = (ours: Turn[], theirs: Turn[], figure: 'p99' | 'cpuMs') =>
	median(ours.map((turn, index) => turn[figure] / theirs[index][figure]));

function toRequirements(readings: Reading[]): Requirement[] {
	const isRight = ({ answers, executions }: Turn) =>
		executions === answers.length && answers.every(({ isStarted }) => isStarted);
	const turns = readings.flatMap(({ ours }) => ours);
	const others = readings.flatMap(({ github, webhook }) => [...github, ...webhook]);
	const inTurns = (of: Turn[]) => `${of.filter(isRight).length} of ${of.length} turns`;
	const lazyReadings = readings.filter(({ engine }) => engine === lazy);
	const ratios = lazyReadings.map(({ ours, webhook }) => ratioOf(ours, webhook));
	const lazyAnswers = lazyReadings.flatMap(({ ours }) => ours.flatMap(({ answers }) => answers));
	const githubRatios = readings.flatMap(({ ours, github }) =>
		(['p99', 'cpuMs'] as const).map((figure) => pairedRatio(ours, github, figure)),
	);
	const slowestMs = Math.max(...lazyAnswers.map(({ elapsedMs }) => elapsedMs));
	return [
		{
			text: 'our trigger answers each delivery with 200 and starts one execution for it',
			measured: `in ${inTurns(turns)}; n8n's own two nodes in ${inTurns(others)}`,
			isMet: turns.every(isRight),
		},
		{
			text: `lazy engine: each is answered within ${ALLOWED_MS / 1_000} seconds, as the service asks`,
			measured: `at most ${count(Math.round(slowestMs))} ms`,
			isMet: slowestMs <= ALLOWED_MS,
		},
		{
			text: `lazy engine: p99 at most ${ALLOWED_RATIO} times that of the Webhook node`,
			measured: ratios.map(times).join(', '),
			isMet: ratios.every((ratio) => ratio <= ALLOWED_RATIO),
		},
		{
			text: `p99 and processor time at most ${ALLOWED_GITHUB_RATIO} times those of the GitHub Trigger`,
			measured: githubRatios.map(times).join(', '),
			isMet: githubRatios.every((ratio) => !(ratio > ALLOWED_GITHUB_RATIO)),
		},
	];
}
