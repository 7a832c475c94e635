import type { INode } from 'n8n-workflow';

import { chosen, variablesOf } from '../engine/engine';
import type { Sandbox } from '../sandbox';
import { finalStatuses, type Execution, type N8nRestClient } from './n8nRestClient';
import { delay } from '../support/platform';
import { eventually, type Testbed } from './testbed';
import { crmNode } from './workflows';

/** The node that asks and waits, for the contact with the ID in the item. */
export function asking(more: Partial<INode> = {}, parameters: INode['parameters'] = {}): INode {
	return crmNode(
		{
			resource: 'message',
			operation: 'sendAndWait',
			contactId: { __rl: true, mode: 'id', value: '={{ $json.contactId }}' },
			template: chosen('name', 'welcome'),
			templateVariables: variablesOf({ name: 'Anna' }),
			resumeUnit: 'hours',
			...parameters,
		},
		{ name: 'Ask', ...more },
	);
}

/** For how long people read a question at least: a reply in the first moment may count as older. */
export const READING_MS = 3_000;

/** If the execution waits, a reply counts once this resolves. */
export async function untilStatus(
	bed: Testbed,
	executionId: string,
	...statuses: string[]
): Promise<Execution> {
	const execution = await bed.n8n.rest.pollExecution(executionId, ({ status, data }) => {
		const isOver = finalStatuses.includes(status);
		if (isOver && !statuses.includes(status)) {
			throw new Error(`The execution is ${status}: ${data?.resultData?.error?.message ?? ''}`);
		}
		return statuses.includes(status);
	});
	if (execution.status === 'waiting') await delay(READING_MS);
	return execution;
}

/** Resolves when the newest of all executions waits. */
export async function untilItWaits(rest: N8nRestClient): Promise<void> {
	await eventually(
		async () => await rest.get<{ results: Array<{ status: string }> }>('/executions?limit=1'),
		({ results: [newest] }) => newest?.status === 'waiting',
	);
	await delay(READING_MS);
}

/** The subscriptions of waits that the service has. */
export function waitSubscriptions({ store }: Sandbox) {
	return [...store.subscriptions.values()].filter(({ url }) => url.includes('/webhook-waiting/'));
}
