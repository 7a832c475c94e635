import type { IDataObject } from 'n8n-workflow';

import type { Table } from '../bench/output/table';
import { outputItems, type Execution } from '../n8n/n8nRestClient';
import { poll } from '../n8n/poll';
import { asking, READING_MS, waitSubscriptions } from '../n8n/waits';
import { manualWorkflow, node } from '../n8n/workflows';
import { addContacts } from '../sandbox/fill';
import type { Contact } from '../sandbox';
import { delay } from '../support/platform';
import type { Cluster } from './cluster';

interface Case {
	name: string;
	/** The address that the service's deliveries come to. */
	via: 'processors' | 'main';
	meanwhile?: () => Promise<void>;
	/** Minutes to wait; without a reply by then, the leader goes on. */
	minutes?: number;
	text?: string;
}

const LIMIT_MS = 210_000;

/** Executions that wait for a reply, while processes come and go. */
export async function measureWaits(cluster: Cluster): Promise<Table> {
	const contacts = addContacts(cluster.sandbox, 4);
	const cases: Case[] = [
		{ name: 'Delivered to a webhook processor', via: 'processors', text: 'yes' },
		{ name: 'Delivered to the main process', via: 'main', text: 'yes' },
		{
			name: 'A worker is killed during the wait',
			via: 'processors',
			text: 'yes',
			meanwhile: async () => await cluster.workers[0].kill(),
		},
		{ name: 'No reply: the main process ends the wait', via: 'processors', minutes: 2 },
	];
	const rows: string[][] = [];
	let asItShould = 0;
	for (const [index, each] of cases.entries()) {
		const output = await runCase(cluster, each, contacts[index]);
		const { replied, approved, timed_out } = output[0] ?? {};
		const hasReply = each.text !== undefined;
		const left = await poll(
			() => waitSubscriptions(cluster.sandbox).length,
			(count) => count === (hasReply ? 0 : 1),
			'the subscription to go',
		);
		rows.push([each.name, String(replied), String(left)]);
		const isAll = replied === hasReply && approved === hasReply && timed_out === !hasReply;
		if (output.length === 1 && isAll) asItShould += 1;
	}
	return {
		title: 'Send Template and Wait for Response',
		how: 'A worker asks the question and ends its job. One process receives the reply, and any worker continues the execution. Without a reply, the subscription stays until the next wait, or until a trigger is published.',
		head: ['', 'replied', 'Subscriptions left'],
		rows,
		requirements: [
			{
				text: 'each execution continues once, with the reply or without one',
				measured: `${asItShould} of ${cases.length}`,
				isMet: asItShould === cases.length,
			},
		],
	};
}

async function runCase(
	cluster: Cluster,
	{ via, meanwhile, minutes, text }: Case,
	contact: Contact,
): Promise<IDataObject[]> {
	const { rest } = cluster.main;
	const limit = { resumeAmount: minutes ?? 10, resumeUnit: 'minutes' };
	const credentials = { workspaceCrmApi: { id: cluster.credentialId, name: 'CRM' } };
	const nodes = [asking({ credentials }, limit), node('After', 'n8n-nodes-base.noOp')];
	const { id } = await rest.createWorkflow(manualWorkflow(nodes, [{ contactId: contact.id }]));
	const executionId = await rest.startWorkflow(id, 'Start');
	const until = async (status: string, timeoutMs?: number): Promise<Execution> =>
		await poll(
			async () => await rest.getExecution(executionId),
			(execution) => execution.status === status,
			`execution ${executionId} to be '${status}'`,
			timeoutMs,
		);
	await until('waiting');
	await delay(READING_MS);
	await meanwhile?.();
	if (via === 'main') cluster.balancer.sendTo([cluster.main.url]);
	if (text !== undefined) cluster.sandbox.emit.inboundMessage(contact.id, text);
	const { data } = await until('success', LIMIT_MS);
	cluster.balancer.sendTo(cluster.processors.map(({ url }) => url));
	return outputItems(data, 'After');
}
