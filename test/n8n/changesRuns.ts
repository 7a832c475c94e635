import type { IDataObject, INode, INodeParameters, IRunExecutionData } from 'n8n-workflow';

import type { Sandbox } from '../sandbox';
import { outputItems } from './executionData';
import { finalStatuses, type NewWorkflow } from './n8nRestClient';
import { eventually, type Testbed } from './testbed';

export const CHANGES = 'Changes';
export const LIST_PATH = '/v1/contacts';

/**
 * Poll Times for a poll every few seconds. n8n takes no expression that polls more than once a minute,
 * but any number of those that poll in one second of it.
 */
export function pollEvery(seconds: number): { item: INodeParameters[] } {
	const item = Array.from({ length: 60 / seconds }, (_, index) => ({
		mode: 'custom',
		cronExpression: `${index * seconds} * * * * *`,
	}));
	return { item };
}

export function changesNode(parameters: INode['parameters']): INode {
	return {
		id: 'changes',
		name: CHANGES,
		type: 'n8n-nodes-workspace-crm.workspaceCrmChangesTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: { pollTimes: pollEvery(1), ...parameters },
		credentials: { workspaceCrmApi: { id: 'crm', name: 'CRM' } },
	};
}

/** A workflow that starts on changes, and ends there. */
export function changesWorkflow(...nodes: INode[]): NewWorkflow {
	return { name: 'On change', nodes, connections: {}, settings: { executionOrder: 'v1' } };
}

/** How often a list was read from its beginning. */
export function readings({ requests }: Sandbox, path = LIST_PATH): number {
	return requests.filter(
		(request) => request.path === path && Number(request.query.offset ?? 0) === 0,
	).length;
}

/** Waits for so many polls that began after now, and for the beginning of the next, so that they are over. */
export async function untilPolled(
	{ sandbox }: Testbed,
	times: number,
	path?: string,
): Promise<void> {
	const before = readings(sandbox, path);
	await eventually(
		() => readings(sandbox, path),
		(now) => now > before + times,
	);
}

/** What each execution of a workflow began with, oldest first; up to 100 executions. */
export async function startedWith(
	{ n8n }: Testbed,
	workflowId: string,
	nodeName = CHANGES,
): Promise<IDataObject[][]> {
	const all = await eventually(
		async () => await n8n.rest.listExecutions(workflowId),
		(each) => each.every(({ status }) => finalStatuses.includes(status)),
	);
	const ids = all.filter(({ mode }) => mode !== 'manual').map(({ id }) => id);
	const items: IDataObject[][] = [];
	for (const id of ids.sort((a, b) => Number(a) - Number(b))) {
		items.push(firstItems((await n8n.rest.getExecution(id)).data, nodeName));
	}
	return items;
}

/** Of an execution that was killed before its first node was done: what n8n had stored to begin with. */
function firstItems(data: IRunExecutionData, nodeName: string): IDataObject[] {
	const items = outputItems(data, nodeName);
	const [first] = data.executionData?.nodeExecutionStack ?? [];
	if (items.length > 0 || first?.node.name !== nodeName) return items;
	return (first.data.main[0] ?? []).map(({ json }) => json);
}
