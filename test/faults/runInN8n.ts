import type { IDataObject, INode, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

import { finalStatuses, type N8nRestClient, type NewWorkflow } from '../n8n/n8nRestClient';
import { delay } from '../support/platform';
import { itemsOf } from './faultRows';
import { rowName } from './operationRows';
import type { Pair } from './pairing';
import type { World } from './world';

/** What n8n tells of a run. */
export interface RunResult {
	status: string;
	/** The items of the regular and of the error output. */
	outputs: [well: INodeExecutionData[], failed: INodeExecutionData[]];
	/** What stopped the run, if anything. */
	error?: string;
	/** All that n8n keeps of it, as text. */
	stored: string;
}

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

function workflowOf(world: World, { row, fault }: Pair, credential: string): NewWorkflow {
	const items: IDataObject[] = Array.from({ length: itemsOf(fault, row) }, (_, index) =>
		row.item(world, index),
	);
	const crm: INode = {
		id: 'crm',
		name: 'CRM',
		type: 'n8n-nodes-workspace-crm.workspaceCrm',
		typeVersion: 1,
		position: [200, 0],
		parameters: row.parameters,
		credentials: { workspaceCrmApi: { id: credential, name: 'CRM' } },
		onError: 'continueErrorOutput',
		...fault.settings,
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
		name: `${rowName(row)}: ${fault.name}`.slice(0, 120),
		nodes: [start, crm],
		connections: { Start: { main: [[{ node: 'CRM', type: 'main', index: 0 }]] } },
		pinData: { Start: items.map((json) => ({ json })) },
		settings: { executionOrder: 'v1' },
	};
}
