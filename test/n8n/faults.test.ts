import type { IRunExecutionData } from 'n8n-workflow';

import { n8nKilled } from '../faults/faultRows';
import { operationRows } from '../faults/operationRows';
import { attempts, judge, strangerProblems, type RunResult } from '../faults/oracle';
import { itemsIn, nameOf, pairNamed, type Pair } from '../faults/pairing';
import { searchSecrets } from '../faults/stored';
import { createWorld, secretsOf, type World } from '../faults/world';
import { operationCases } from '../operationCases';
import { delay } from '../../tools/support/platform';
import { finalStatuses } from '../../tools/n8n/n8nRestClient';
import { poll } from '../../tools/n8n/poll';
import { startTestbed, type Testbed } from '../../tools/n8n/testbed';
import { crmNode, manualWorkflow } from '../../tools/n8n/workflows';

/** Some pairs of the matrix in `test/faults`, in a real n8n, which stores, logs and repeats. */
const pairs = Object.entries(operationCases).flatMap(([operation, { inN8n = [] }]) =>
	inN8n.map((fault) => pairNamed(`${operation} ${fault}`)),
);

/** Operations that change something, and one that reads a list. */
const killed = Object.entries(operationCases)
	.filter(([, { isKilledInN8n }]) => isKilledInN8n)
	.map(([name]): Pair => {
		const row = operationRows.find(({ operation }) => operation === name);
		return { row: row as Pair['row'], fault: n8nKilled };
	});

let bed: Testbed;
/** Everything that is wrong, by pair. */
const problems = new Map<Pair, string[]>();
const secrets: string[] = [];

/** A machine under load may break a connection to n8n; then the run is repeated. */
const TRIES = 3;

async function run(pair: Pair, triesLeft = TRIES): Promise<void> {
	await tryRun(pair).catch(async (error: Error) => {
		if (triesLeft <= 1 || error.message !== 'fetch failed') throw error;
		await run(pair, triesLeft - 1);
	});
}

async function tryRun(pair: Pair): Promise<void> {
	const world = await createWorld(pair.row);
	try {
		pair.fault.arm(world, pair.row);
		const executionId = await startRun(world, pair);
		const result = await endOfRun(executionId);
		secrets.push(...secretsOf(world));
		problems.set(pair, judge(pair, world, result));
	} finally {
		await world.sandbox.close();
	}
}

/** The logs from before and after the kill. */
const logs: Record<string, string> = {};

beforeAll(async () => {
	bed = await startTestbed({ env: { N8N_LOG_LEVEL: 'debug' } });
	// They mostly wait, so they run at the same time.
	await Promise.all(pairs.map(async (pair) => await run(pair)));
	logs.first = bed.n8n.logs;
	for (const [pair, found] of await killMidRun(killed)) problems.set(pair, found);
	await bed.n8n.stop();
	logs.second = bed.n8n.logs;
}, 900_000);
afterAll(async () => await bed?.close());

test.each([...pairs, ...killed].map((pair) => [nameOf(pair), pair] as const))(
	'%s',
	(_name, pair) => {
		expect(problems.get(pair)).toEqual([]);
	},
);

test('n8n stores and logs no key and no signing secret', () => {
	const search = searchSecrets(bed.userFolder, logs, secrets);
	expect(search.secrets).toBeGreaterThan(pairs.length);
	expect(search.files).toBeGreaterThan(0);
	expect(search.found).toEqual([]);
});

const firstPollMs = 60;
const lastPollMs = 600;

/** Starts the run of a pair from the start node. Returns the execution's id. */
async function startRun(world: World, pair: Pair): Promise<string> {
	const { rest } = bed.n8n;
	const { url, apiKey } = world.sandbox;
	const credential = await rest.createCredential('CRM', 'workspaceCrmApi', {
		baseUrl: url,
		apiKey,
		authHeader: 'bearer',
	});
	const node = crmNode(pair.row.parameters, {
		credentials: { workspaceCrmApi: { id: credential, name: 'CRM' } },
		onError: 'continueErrorOutput',
		...pair.fault.settings,
	});
	const workflow = manualWorkflow([node], itemsIn(pair, world), nameOf(pair).slice(0, 120));
	const { id } = await rest.createWorkflow(workflow);
	return await rest.startWorkflow(id, 'Start');
}

/** Waits for the end of a run, checking less and less often. */
async function endOfRun(executionId: string): Promise<RunResult> {
	for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.3, lastPollMs)) {
		await delay(pollMs);
		const { status, data } = await bed.n8n.rest.getExecution(executionId);
		if ([...finalStatuses, 'waiting'].includes(status)) return toResult(status, data);
	}
}

function toResult(status: string, data: IRunExecutionData | undefined): RunResult {
	const { runData = {}, error } = data?.resultData ?? {};
	const [well, failed] = runData.CRM?.[0]?.data?.main ?? [];
	return {
		status,
		outputs: [well ?? [], failed ?? []],
		error: error?.message,
		stored: JSON.stringify(data),
	};
}

/** If no request comes in this time, n8n does not resume the killed runs by itself. */
const QUIET_MS = 1_500;
const PATIENCE_MS = 60_000;

interface KilledRun {
	pair: Pair;
	world: World;
	executionId: string;
}

/**
 * Kills n8n during all these runs, after the service has handled the first request of each and before the
 * answer arrives. Then starts n8n again, and repeats the runs that may be repeated. Returns the problems of
 * each pair.
 */
async function killMidRun(pairs: Pair[]): Promise<Map<Pair, string[]>> {
	const runs: KilledRun[] = [];
	try {
		for (const pair of pairs) {
			const world = await createWorld(pair.row);
			world.sandbox.setLatency(PATIENCE_MS);
			const executionId = await startRun(world, pair);
			runs.push({ pair, world, executionId });
		}
		for (const { world, pair } of runs) {
			const { requests } = world.sandbox;
			await poll(() => requests.length, Boolean, `a request of ${nameOf(pair)}`, PATIENCE_MS);
		}
		await bed.restart('kill');
		const counts = runs.map(({ world }) => world.sandbox.requests.length);
		await delay(QUIET_MS);
		const problems = new Map<Pair, string[]>();
		for (const [index, run] of runs.entries()) {
			const isQuiet = run.world.sandbox.requests.length === counts[index];
			problems.set(run.pair, await judgeKilled(run, isQuiet));
		}
		return problems;
	} finally {
		for (const { world } of runs) await world.sandbox.close();
	}
}

async function judgeKilled(run: KilledRun, isQuiet: boolean): Promise<string[]> {
	const { pair, world, executionId } = run;
	const { row } = pair;
	const { status } = await endOfRun(executionId);
	const twice = world.targets.flatMap((_, index) => {
		const isTwice = (row.effects?.(world, index) ?? 0) > 1 || attempts(row, world, index) > 1;
		return isTwice ? [index] : [];
	});
	const problems = strangerProblems(world);
	if (status === 'success') problems.push('n8n takes the killed run for a success');
	if (!isQuiet) problems.push('n8n went on with the killed run');
	if (twice.length > 0) problems.push(`twice: items ${twice.join(', ')}`);
	if (row.once) return problems;

	// Another run completes whatever the killed one left undone.
	world.sandbox.setLatency(0);
	const again = await startRun(world, pair);
	return [...problems, ...judge(pair, world, await endOfRun(again))];
}
