import type { IDataObject, INode } from 'n8n-workflow';

import type { Sandbox } from '../../tools/sandbox';
import { delay, fs, path } from '../../tools/support/platform';
import { outputItems } from '../../tools/n8n/n8nRestClient';
import { finalStatuses, type Execution, type NewWorkflow } from '../../tools/n8n/n8nRestClient';
import { examplesFolder } from '../../tools/n8n/paths';
import { poll } from '../../tools/n8n/poll';
import type { Testbed } from '../../tools/n8n/testbed';
import { linkTo } from '../../tools/n8n/workflows';
import { withModelNode, type ModelScript } from './scriptedModel';

/** One of the workflows in `examples/`, as it stands in its file. */
export interface Example extends NewWorkflow {
	id: string;
	file: string;
	active: boolean;
}

/** How long to wait for an execution that should not come. */
const quietMs = 300;

export function readExamples(): Example[] {
	const files = fs.readdirSync(examplesFolder).filter((file) => file.endsWith('.json'));
	return files.map((file) => {
		const text = fs.readFileSync(path.join(examplesFolder, file), 'utf8');
		return { file, ...(JSON.parse(text) as Omit<Example, 'file'>) };
	});
}

/** Changes a node, as a user does before using an example. */
export async function changeNode(
	{ n8n }: Testbed,
	workflowId: string,
	nodeName: string,
	change: (node: INode) => void,
): Promise<void> {
	const { nodes, connections, versionId } = await n8n.rest.getWorkflow(workflowId);
	const node = nodes.find(({ name }) => name === nodeName);
	if (!node) throw new Error(`The example has no node '${nodeName}'`);
	change(node);
	await n8n.rest.request('PATCH', `/workflows/${workflowId}`, { nodes, connections, versionId });
}

/** Sets values in an Edit Fields node. */
export async function setFields(
	testbed: Testbed,
	workflowId: string,
	nodeName: string,
	values: IDataObject,
): Promise<void> {
	await changeNode(testbed, workflowId, nodeName, ({ parameters }) => {
		const { assignments } = parameters.assignments as { assignments: IDataObject[] };
		for (const [name, value] of Object.entries(values)) {
			const assignment = assignments.find((each) => each.name === name);
			if (!assignment) throw new Error(`'${nodeName}' sets no field '${name}'`);
			assignment.value = value;
		}
	});
}

/**
 * Makes the examples use another address of the sandbox. The nodes send at most 120 requests a minute to each
 * address, and the examples together need more.
 */
export async function useOtherAddress({ n8n, sandbox }: Testbed): Promise<void> {
	const url = sandbox.url.replace('127.0.0.1', 'localhost');
	await n8n.rest.setCredential('workspaceCrmDemo', { url, apiKey: sandbox.apiKey });
}

/** Publishes an example, does something, and unpublishes it. */
export async function whilePublished(
	{ n8n, sandbox }: Testbed,
	workflowId: string,
	act: () => Promise<void>,
): Promise<void> {
	const { subscriptions } = sandbox.store;
	const before = [...subscriptions.keys()];
	await n8n.rest.publish(workflowId);
	const made = [...subscriptions.keys()].filter((id) => !before.includes(id));
	if (made.length !== 1) throw new Error('Publishing did not subscribe');
	try {
		await act();
	} finally {
		await n8n.rest.unpublish(workflowId);
		// n8n would do it some seconds later; the next example must find none, even if this one fails.
		for (const id of subscriptions.keys()) if (!before.includes(id)) subscriptions.delete(id);
	}
}

/**
 * Waits until a workflow has had `count` executions and all have ended. Returns them, oldest first. Throws if
 * one failed or if there are more, unless `isLenient`.
 */
export async function endedExecutions(
	{ n8n, sandbox }: Testbed,
	workflowId: string,
	count: number,
	{ isLenient = false } = {},
): Promise<Execution[]> {
	const list = async () => await n8n.rest.listExecutions(workflowId);
	await poll(
		list,
		(all) => all.length >= count && all.every(({ status }) => finalStatuses.includes(status)),
		`${count} executions of ${workflowId} to end`,
	);
	await sandbox.settled();
	await delay(quietMs);
	const ids = (await list()).map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
	const all = await Promise.all(ids.map(async (id) => await n8n.rest.waitForExecution(id)));
	if (isLenient) return all;
	if (all.length > count) throw new Error(`${all.length} executions instead of ${count}`);
	return all.map(succeeded);
}

function succeeded(execution: Execution): Execution {
	const { status, data, workflowId } = execution;
	if (status === 'success') return execution;
	throw new Error(`${workflowId} ended with '${status}': ${data.resultData.error?.message}`);
}

/** Runs an example with its button. Throws if it fails. */
export async function runByHand(
	{ n8n }: Testbed,
	workflowId: string,
	triggerName = 'When clicking ‘Execute workflow’',
): Promise<Execution> {
	return succeeded(await n8n.rest.runWorkflow(workflowId, triggerName));
}

/** The names of the nodes that ran and returned an item, in any order. */
export function nodesWithOutput({ data }: Execution): string[] {
	const { runData } = data.resultData;
	const gave = (name: string) =>
		[0, 1].some((output) => outputItems(data, name, output).length > 0);
	return Object.keys(runData).filter(gave);
}

/** Saves a contact as another client of the service does. */
export async function saveContact(
	{ url, apiKey }: Sandbox,
	fields: { phone: string } & IDataObject,
): Promise<{ id: string }> {
	const response = await fetch(`${url}/v1/contacts`, {
		method: 'POST',
		headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify(fields),
	});
	if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
	return (await response.json()) as { id: string };
}

export const contactOf = (testbed: Testbed, phone: string) => {
	const contact = testbed.sandbox.store.findByPhone(phone);
	if (!contact) throw new Error(`No contact has ${phone}`);
	return contact;
};

/** Only the phone numbers of exported contacts begin with this. */
export const EXPORTED = '+491511235';

/** Connects a model to the agent, as the note of the example asks users to, and sends it a message. */
export async function chatWith(
	testbed: Testbed,
	id: string,
	words: string,
	script: ModelScript,
	meanwhile = noReply,
) {
	const { rest } = testbed.n8n;
	return await withModelNode(testbed, script, async (model, requests) => {
		const { connections, versionId, ...saved } = await rest.getWorkflow(id);
		const nodes = [...saved.nodes.filter(({ name }) => name !== model.name), model];
		connections[model.name] = linkTo('AI Agent', 'ai_languageModel');
		await rest.request('PATCH', `/workflows/${id}`, { nodes, connections, versionId });
		const json = { sessionId: 's', action: 'sendMessage', chatInput: words };
		const executionId = await rest.startWorkflow(id, 'When chat message received', {
			startTime: Date.now(),
			executionTime: 0,
			executionIndex: 0,
			source: [],
			data: { main: [[{ json }]] },
		});
		await meanwhile(executionId);
		const { status, data } = await rest.waitForExecution(executionId);
		expect([status, data.resultData.error?.message]).toEqual(['success', undefined]);
		return { output: outputItems(data, 'AI Agent'), requests };
	});
}

const noReply: (executionId: string) => Promise<void> = async () => {};
