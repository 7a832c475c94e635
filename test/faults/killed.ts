import type { Testbed } from '../n8n/testbed';
import { poll } from '../n8n/poll';
import { delay } from '../support/platform';
import { itemsOf } from './faultRows';
import { rowName } from './operationRows';
import type { Pair } from './pairing';
import { attempts, judge, strangerProblems, type Verdict } from './oracle';
import { inPool } from './pool';
import { endOfRun, startRun } from './runInN8n';
import { createWorld, type World } from './world';

/** After this long without a request, n8n has not taken up by itself what it had begun. */
const QUIET_MS = 1_500;
const PATIENCE_MS = 60_000;

interface KilledRun {
	pair: Pair;
	world: World;
	executionId: string;
}

/**
 * Kills n8n while all these operations run, each after the service has done its first request and
 * before the answer arrives; then starts it again, and runs once more what may be run again.
 */
export async function killMidRun(bed: Testbed, pairs: Pair[]): Promise<Array<[Pair, Verdict]>> {
	const runs: KilledRun[] = [];
	try {
		await inPool(pairs, 5, async (pair) => {
			const world = await createWorld(Boolean(pair.row.isLong));
			world.sandbox.setLatency(PATIENCE_MS);
			const executionId = await startRun(bed.n8n.rest, world, pair);
			runs.push({ pair, world, executionId });
		});
		for (const { world, pair } of runs) {
			const { requests } = world.sandbox;
			await poll(() => requests.length, Boolean, `a request of ${rowName(pair.row)}`, PATIENCE_MS);
		}
		await bed.restart('kill');
		const counts = runs.map(({ world }) => world.sandbox.requests.length);
		await delay(QUIET_MS);
		const verdicts: Array<[Pair, Verdict]> = [];
		for (const [index, run] of runs.entries()) {
			const isQuiet = run.world.sandbox.requests.length === counts[index];
			verdicts.push([run.pair, await judgeKilled(bed, run, isQuiet)]);
		}
		return verdicts;
	} finally {
		for (const { world } of runs) await world.sandbox.close();
	}
}

async function judgeKilled(bed: Testbed, run: KilledRun, isQuiet: boolean): Promise<Verdict> {
	const { pair, world, executionId } = run;
	const { row, fault } = pair;
	const { status } = await endOfRun(bed.n8n.rest, executionId);
	const indices = Array.from({ length: itemsOf(fault, row) }, (_, index) => index);
	const twice = indices.filter(
		(index) => (row.effects?.(world, index) ?? 0) > 1 || attempts(row, world, index) > 1,
	);
	const problems = strangerProblems(world);
	if (status === 'success') problems.push('n8n takes the killed run for a success');
	if (!isQuiet) problems.push('n8n went on with the killed run');
	if (twice.length > 0) problems.push(`twice: items ${twice.join(', ')}`);

	let lost = 0;
	if (!row.once) {
		// Whatever was done before, another run brings it all to its end.
		world.sandbox.setLatency(0);
		const again = await startRun(bed.n8n.rest, world, pair);
		const verdict = judge(pair, world, await endOfRun(bed.n8n.rest, again));
		lost = verdict.lost;
		problems.push(...verdict.problems.map((problem) => `run again: ${problem}`));
	}
	return {
		operation: rowName(row),
		fault: fault.name,
		items: itemsOf(fault, row),
		lost,
		twice: twice.length,
		problems,
	};
}
