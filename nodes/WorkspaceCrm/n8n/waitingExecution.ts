import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/problem';

/** The key in the context data of a node, which n8n stores with the execution. */
const KEY = 'wait';

/**
 * The URL that calls `webhook` of this node while the execution waits. Its signature covers the path and
 * all parameters, so nothing may be added later (n8n/webhooks/waiting-webhooks, seen in 2.41). Older
 * versions lack this function, and n8n throws for an execution without an ID
 * (n8n-core/execution-engine/node-execution-context, seen in 2.41).
 *
 * @throws InputProblem if n8n provides no such URL
 */
export function resumeUrl(
	context: IExecuteFunctions | IWebhookFunctions,
	parameters: Record<string, string>,
): string {
	const hasUrl = 'getSignedResumeUrl' in context && typeof context.getExecutionId() === 'string';
	if (hasUrl) return context.getSignedResumeUrl(parameters);
	throw new InputProblem(
		'This execution cannot wait for a reply',
		'No message was sent. n8n provides no URL to resume this execution. Run it as a workflow, in n8n 1.123 or newer.',
	);
}

/**
 * n8n signs the resume URL with the path of its own address, as in https://example.com/n8n/, but checks the
 * path that arrives. A proxy removes it, because n8n answers under no path (`validateSignature` in n8n/webhooks/
 * waiting-webhooks, seen in 2.41). N8N_ENDPOINT_WEBHOOK_WAIT may have a path: n8n does answer there.
 *
 * @throws InputProblem if n8n would refuse every reply
 */
export function assertResumable(context: IExecuteFunctions, url: string): void {
	const [first, ...parts] = foldersOf(url);
	const [other] = foldersOf(context.getRestApiUrl());
	if (parts.length < 3 || first !== other) return;
	throw new InputProblem(
		`This execution cannot wait for a reply, because the address of n8n has the path /${first}`,
		'No message was sent. n8n would refuse every reply, because it signs the URL for the reply with this path, and the proxy in front of n8n removes it. Give n8n an address without a path, such as a subdomain of its own, in N8N_WEBHOOK_URL (WEBHOOK_URL in older versions).',
	);
}

function foldersOf(url: string): string[] {
	const path = url.replace(/[?#].*/s, '');
	return path.split('/').slice(3).filter(Boolean);
}

/** Stores a text with the execution, where it survives the wait. Read it with `readStoredText`. */
export function storeText(context: IExecuteFunctions, text: string): void {
	context.getContext('node')[KEY] = text;
}

/**
 * Returns the text that `storeText` stored; empty if there is none. A webhook can reach it only through an
 * expression. The expression contains the name of the node with each character escaped, because `}}`
 * would end it (n8n-workflow/workflow-data-proxy, seen in 2.41).
 */
export function readStoredText(context: IWebhookFunctions): string {
	const units = context.getNode().name.split('');
	const name = units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
	const kept = context.evaluateExpression(`{{ $("${name.join('')}").context["${KEY}"] }}`);
	return typeof kept === 'string' ? kept : '';
}

/**
 * Puts the execution to wait. At the timeout, n8n continues without calling the node again, and outputs
 * the data on its stack: the input. So the timeout output replaces the input there (`handleWaitingState`
 * and `handleDisabledNode` in n8n-core/execution-engine/workflow-execute, seen in 2.41).
 */
export async function waitUntil(
	context: IExecuteFunctions,
	untilMs: number,
	outputAtEnd: IDataObject,
): Promise<void> {
	const pairedItem = { item: 0 };
	context.getExecuteData().data = { main: [[{ json: outputAtEnd, pairedItem }]] };
	await context.putExecutionToWait(new Date(untilMs));
}

/**
 * The workflow's timeout in milliseconds; undefined if it has none. n8n 2.0 has no function for the
 * settings, but all versions keep them here (n8n-core/execution-engine/node-execution-context, seen in
 * 2.0.3 and 2.41).
 */
export function workflowTimeoutMs(context: IExecuteFunctions): number | undefined {
	const { workflow } = context as { workflow?: { settings?: { executionTimeout?: number } } };
	const { executionTimeout = 0 } = workflow?.settings ?? {};
	return executionTimeout > 0 ? executionTimeout * 1_000 : undefined;
}
