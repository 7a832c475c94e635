/** The program of a worker: runs one job after another, as its parent sends them. */
import type { IRun } from 'n8n-workflow';

import { performance, process } from '../../support/platform';
import type { Job, JobResult } from './job';
import { measurePeak } from './memory';
import { runJobInEngine } from './runInEngine';

async function runJob(job: Job): Promise<JobResult> {
	const cpuBefore = process.cpuUsage();
	const startMs = performance.now();
	const [run, peakBytes] = await measurePeak(async () => await runJobInEngine(job));
	const elapsedMs = performance.now() - startMs;
	const { user, system } = process.cpuUsage(cpuBefore);
	return { elapsedMs, cpuMs: (user + system) / 1_000, peakBytes, ...readRun(run, job) };
}

function readRun(run: IRun, { node, items }: Job) {
	const { runData, error } = run.data.resultData;
	const [main = [], errors = []] = runData[node.name]?.at(-1)?.data?.main ?? [];
	const good = (main ?? []).filter((item) => !item.error && !item.json.error);
	const isLost = Boolean(error);
	return {
		succeeded: isLost ? 0 : good.length,
		// A run that stops with an error passes nothing on to the nodes after it.
		failed: isLost ? items.length : (main?.length ?? 0) - good.length + (errors?.length ?? 0),
		error: error && [error.message, error.description].filter(Boolean).join(': '),
	};
}

process.on('message', (job: Job) => {
	void runJob(job).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
