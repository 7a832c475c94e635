import type { IRunExecutionData } from 'n8n-workflow';

import type { RunResult } from '../faults/oracle';
import { itemsIn, nameOf, type Pair } from '../faults/pairing';
import type { World } from '../faults/world';
import { delay } from '../support/platform';
import { finalStatuses, type N8nRestClient } from './n8nRestClient';
import { crmNode, manualWorkflow } from './workflows';

const firstPollMs = 60;
const lastPollMs = 600;

/** Starts the run of a pair, from the start node; gives the execution's id. */
export async function startRun(rest: N8nRestClient, world: World, pair: Pair): Promise<string> {
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

/** Waits for the end of a run, and looks less and less often. */
export async function endOfRun(rest: N8nRestClient, executionId: string): Promise<RunResult> {
	for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.3, lastPollMs)) {
		await delay(pollMs);
		const { status, data } = await rest.getExecution(executionId);
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
