import type { INode, IRunExecutionData } from 'n8n-workflow';

import type { RunResult } from '../faults/oracle';
import { itemsIn, nameOf, type Pair } from '../faults/pairing';
import type { World } from '../faults/world';
import { delay } from '../support/platform';
import { finalStatuses, type N8nRestClient, type NewWorkflow } from './n8nRestClient';

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
	const { id } = await rest.createWorkflow(workflowOf(world, pair, credential));
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

function workflowOf(world: World, pair: Pair, credential: string): NewWorkflow {
	const crm: INode = {
		id: 'crm',
		name: 'CRM',
		type: 'n8n-nodes-workspace-crm.workspaceCrm',
		typeVersion: 1,
		position: [200, 0],
		parameters: pair.row.parameters,
		credentials: { workspaceCrmApi: { id: credential, name: 'CRM' } },
		onError: 'continueErrorOutput',
		...pair.fault.settings,
	};
	const start: INode = {
		id: 'start',
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	return {
		name: nameOf(pair).slice(0, 120),
		nodes: [start, crm],
		connections: { Start: { main: [[{ node: 'CRM', type: 'main', index: 0 }]] } },
		pinData: { Start: itemsIn(pair, world).map((json) => ({ json })) },
		settings: { executionOrder: 'v1' },
	};
}
