import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookFunctions,
	IWorkflowSettings,
} from 'n8n-workflow';

import { InputProblem } from '../domain/problem';

/** What n8n keeps of a node with the execution, under this name. */
const KEY = 'wait';

/**
 * The URL that calls `webhook` of this node in this execution while it waits. n8n checks its signature,
 * which is over the path and all parameters; so nothing may be added later (n8n/webhooks/
 * waiting-webhooks, seen in 2.41). Older versions have no such function, and n8n throws for an execution
 * without an ID (n8n-core/execution-engine/node-execution-context, seen in 2.41).
 *
 * @throws InputProblem where n8n gives none
 */
export function resumeUrl(
	context: IExecuteFunctions | IWebhookFunctions,
	parameters: Record<string, string>,
): string {
	const hasUrl = 'getSignedResumeUrl' in context && typeof context.getExecutionId() === 'string';
	if (hasUrl) return context.getSignedResumeUrl(parameters);
	throw new InputProblem(
		'This execution cannot wait for a reply',
		'No message was sent. n8n gives this execution no address at which it could be resumed. Run it as a workflow, in n8n 1.123 or newer.',
	);
}

/** Keeps a text with the execution, also while it waits, for `readKept`. */
export function keep(context: IExecuteFunctions, text: string): void {
	context.getContext('node')[KEY] = text;
}

/**
 * The text that `keep` kept, undefined if there is none. The context of a webhook gives no access to
 * it, but expressions have it. They name the node, so each character of the name is escaped: `}}` would
 * end the expression (n8n-workflow/workflow-data-proxy, seen in 2.41).
 */
export function readKept(context: IWebhookFunctions): string | undefined {
	const units = context.getNode().name.split('');
	const name = units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
	const kept = context.evaluateExpression(`{{ $("${name.join('')}").context["${KEY}"] }}`);
	return typeof kept === 'string' ? kept : undefined;
}

/**
 * Has the execution wait. If nothing resumes it, n8n goes on at the end of the time without calling the
 * node again, and passes on what lies on its stack: the input. So that nobody takes that for a reply,
 * what is to come out lies there in its place (`handleWaitingState` and `handleDisabledNode` in
 * n8n-core/execution-engine/workflow-execute, seen in 2.41).
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
 * After how long n8n ends executions of this workflow; undefined if it does not. n8n 2.0 has no function
 * that gives the settings, but all have them here (n8n-core/execution-engine/node-execution-context, seen
 * in 2.0.3 and 2.41).
 */
export function workflowTimeoutMs(context: IExecuteFunctions): number | undefined {
	const { workflow } = context as { workflow?: { settings?: IWorkflowSettings } };
	const { executionTimeout = 0 } = workflow?.settings ?? {};
	return executionTimeout > 0 ? executionTimeout * 1_000 : undefined;
}

/**
 * Whether the node is a tool that an agent calls, which n8n makes of every node; and whether it is one
 * that has a person approve the agent's other tools (n8n/tool-generation, seen in 2.41).
 */
export function toolKind(context: IExecuteFunctions): 'tool' | 'approval' | undefined {
	const { type } = context.getNode();
	if (type.endsWith('HitlTool')) return 'approval';
	return type.endsWith('Tool') ? 'tool' : undefined;
}

/**
 * The text of n8n's field 'Message', with which a person is asked to approve a tool call. n8n puts the
 * tool's input into it as an object, which comes out as "[object Object]": whoever approves would not know
 * what (n8n/tool-generation/hitl-tools, seen in 2.41).
 */
export function approvalText(context: IExecuteFunctions): string {
	const raw = context.getNodeParameter('message', 0, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=')) return String(raw);
	const readable = raw.slice(1).replaceAll(TOOL_INPUT, '{{ JSON.stringify($tool.parameters) }}');
	return String(context.evaluateExpression(readable, 0));
}

const TOOL_INPUT = /\{\{\s*\$tool\.parameters\s*\}\}/g;
