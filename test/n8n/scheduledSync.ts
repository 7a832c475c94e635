import type { Sandbox } from '../sandbox';
import { performance } from '../support/platform';
import { outputItems } from './executionData';
import type { N8nRestClient } from './n8nRestClient';

/** What the example `scheduled-sync.json` did, run twice. */
export interface ScheduledSync {
	first: SyncRun;
	/** Right after the first, so there is nothing to do. */
	second: SyncRun;
}

export interface SyncRun {
	/** How many rows came out with each action, such as `created`. */
	actions: Record<string, number>;
	/** Requests that reached the CRM. */
	requests: number;
	elapsedMs: number;
	/** The text about the rows that failed. */
	report: string;
	/** What the node says of its run. */
	hint: string;
}

const workflowId = 'scheduledSyncDemo';

/** 24 rows: three cannot be read, and two are the same contact. */
const expectedActions = {
	first: { created: 21 },
	second: { unchanged: 21 },
};
const expectedFailures = ['Number too short', 'No number', 'Not a number'];

/** Runs the example twice in a running n8n, against the sandbox that its credential leads to. */
export async function runScheduledSync(
	rest: N8nRestClient,
	sandbox: Sandbox,
): Promise<ScheduledSync> {
	return { first: await runOnce(rest, sandbox), second: await runOnce(rest, sandbox) };
}

async function runOnce(rest: N8nRestClient, sandbox: Sandbox): Promise<SyncRun> {
	const requestsBefore = sandbox.requests.length;
	const startMs = performance.now();
	const { data, status } = await rest.runWorkflow(workflowId, 'Every night');
	const elapsedMs = performance.now() - startMs;
	if (status !== 'success') {
		throw new Error(`The example ended with '${status}': ${data.resultData.error?.message}`);
	}
	const actions: Record<string, number> = {};
	for (const { sync } of outputItems(data, 'Synced')) {
		const { action } = sync as { action: string };
		actions[action] = (actions[action] ?? 0) + 1;
	}
	const [{ report = '' } = {}] = outputItems(data, 'Report');
	const [run] = data.resultData.runData['Sync contacts'];
	return {
		actions,
		requests: sandbox.requests.length - requestsBefore,
		elapsedMs,
		report: String(report),
		hint: (run.hints ?? []).map(({ message }) => message).join(' '),
	};
}

/** What differs from what the example should do; empty when all is well. */
export function findSyncDeviations({ first, second }: ScheduledSync): string[] {
	const deviations = [
		...compare('first run', first.actions, expectedActions.first),
		...compare('second run', second.actions, expectedActions.second),
	];
	for (const name of expectedFailures) {
		if (!first.report.includes(`- ${name}: `)) deviations.push(`no report of '${name}'`);
	}
	return deviations;
}

function compare(name: string, actual: object, expected: object): string[] {
	const [got, wanted] = [actual, expected].map((value) => JSON.stringify(value));
	return got === wanted ? [] : [`${name}: ${got} instead of ${wanted}`];
}
