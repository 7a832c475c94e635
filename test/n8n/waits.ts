import type { IConnections, IDataObject, INode } from 'n8n-workflow';

import type { Sandbox, Contact } from '../sandbox';
import { outputItems } from './executionData';
import {
	finalStatuses,
	type Execution,
	type N8nRestClient,
	type NewWorkflow,
} from './n8nRestClient';
import { eventually, type Testbed } from './testbed';

/** The node that asks and waits, for the contact with the ID in the item. */
export function asking(more: Partial<INode> = {}, parameters: INode['parameters'] = {}): INode {
	return {
		...node('Ask', 'n8n-nodes-workspace-crm.workspaceCrm', {
			resource: 'message',
			operation: 'sendAndWait',
			contactId: { __rl: true, mode: 'id', value: '={{ $json.contactId }}' },
			template: { __rl: true, mode: 'name', value: 'welcome' },
			resumeUnit: 'hours',
			...parameters,
		}),
		credentials: { workspaceCrmApi: { id: 'crm', name: 'CRM' } },
		...more,
	};
}

export function node(name: string, type: string, parameters: INode['parameters'] = {}): INode {
	const id = name.toLowerCase().replace(/\W/g, '') || 'id';
	return { id, name, type, typeVersion: 1, position: [0, 0], parameters };
}

/** Start, then the nodes one after the other. */
export function inARow(
	nodes: INode[],
	items: IDataObject[],
	settings: NewWorkflow['settings'] = {},
): NewWorkflow {
	const all = [node('Start', 'n8n-nodes-base.manualTrigger'), ...nodes];
	const connections: IConnections = {};
	for (const [index, { name }] of all.slice(1).entries()) {
		connections[all[index].name] = { main: [[{ node: name, type: 'main', index: 0 }]] };
	}
	return {
		name: 'Ask',
		nodes: all,
		connections,
		settings: { executionOrder: 'v1', ...settings },
		pinData: { Start: items.map((json) => ({ json })) },
	};
}

/** Starts a workflow as the editor's button does; gives the execution's id. */
export async function startWorkflow({ n8n }: Testbed, workflow: NewWorkflow): Promise<string> {
	const { id } = await n8n.rest.createWorkflow(workflow);
	return await n8n.rest.startWorkflow(id, 'Start');
}

/** Asks a contact in a workflow of its own, with one more node after it; resolves once it waits. */
export async function ask(
	bed: Testbed,
	contact: Contact,
	asker: INode = asking(),
	settings: NewWorkflow['settings'] = {},
): Promise<string> {
	const nodes = [asker, node('After', 'n8n-nodes-base.noOp')];
	const workflow = inARow(nodes, [{ contactId: contact.id, approved: true }], settings);
	const executionId = await startWorkflow(bed, workflow);
	await untilStatus(bed, executionId, 'waiting');
	return executionId;
}

export async function untilStatus(
	bed: Testbed,
	executionId: string,
	...statuses: string[]
): Promise<Execution> {
	return await bed.n8n.rest.pollExecution(executionId, ({ status, data }) => {
		const isOver = finalStatuses.includes(status);
		if (isOver && !statuses.includes(status)) {
			throw new Error(`The execution is ${status}: ${data?.resultData?.error?.message ?? ''}`);
		}
		return statuses.includes(status);
	});
}

/** Resolves when the newest execution of all waits. */
export async function untilItWaits(rest: N8nRestClient): Promise<void> {
	await eventually(
		async () => await rest.get<{ results: Array<{ status: string }> }>('/executions?limit=1'),
		({ results: [newest] }) => newest?.status === 'waiting',
	);
}

/** What the node after the wait got. */
export async function outcome(bed: Testbed, executionId: string): Promise<IDataObject[]> {
	const { data } = await untilStatus(bed, executionId, 'success');
	return outputItems(data, 'After');
}

/** The subscriptions of waits that the service has. */
export function waitSubscriptions({ store }: Sandbox) {
	return [...store.subscriptions.values()].filter(({ url }) => url.includes('/webhook-waiting/'));
}
