import { attempts, judge, strangerProblems } from '../faults/oracle';
import { nameOf, type Pair } from '../faults/pairing';
import { createWorld, type World } from '../faults/world';
import { delay } from '../support/platform';
import { endOfRun, startRun } from './faultRuns';
import { poll } from './poll';
import type { Testbed } from './testbed';

/** After this long without a request, n8n has not taken up by itself what it had begun. */
const QUIET_MS = 1_500;
const PATIENCE_MS = 60_000;

interface KilledRun {
	pair: Pair;
	world: World;
	executionId: string;
}

/**
 * Gives the problems of each pair.
 *
 * Kills n8n while all these operations run, each after the service has done its first request and
 * before the answer arrives; then starts it again, and runs once more what may be run again.
 */
export async function killMidRun(bed: Testbed, pairs: Pair[]): Promise<Map<Pair, string[]>> {
	const runs: KilledRun[] = [];
	try {
		for (const pair of pairs) {
			const world = await createWorld(pair.row);
			world.sandbox.setLatency(PATIENCE_MS);
			const executionId = await startRun(bed.n8n.rest, world, pair);
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
			problems.set(run.pair, await judgeKilled(bed, run, isQuiet));
		}
		return problems;
	} finally {
		for (const { world } of runs) await world.sandbox.close();
	}
}

async function judgeKilled(bed: Testbed, run: KilledRun, isQuiet: boolean): Promise<string[]> {
	const { pair, world, executionId } = run;
	const { row } = pair;
	const { status } = await endOfRun(bed.n8n.rest, executionId);
	const twice = world.targets.flatMap((_, index) => {
		const isTwice = (row.effects?.(world, index) ?? 0) > 1 || attempts(row, world, index) > 1;
		return isTwice ? [index] : [];
	});
	const problems = strangerProblems(world);
	if (status === 'success') problems.push('n8n takes the killed run for a success');
	if (!isQuiet) problems.push('n8n went on with the killed run');
	if (twice.length > 0) problems.push(`twice: items ${twice.join(', ')}`);
	if (row.once) return problems;

	// Whatever was done before, another run brings it all to its end.
	world.sandbox.setLatency(0);
	const again = await startRun(bed.n8n.rest, world, pair);
	return [...problems, ...judge(pair, world, await endOfRun(bed.n8n.rest, again))];
}
