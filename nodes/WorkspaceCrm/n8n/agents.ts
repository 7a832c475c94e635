import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/inputProblem';

/**
 * Adds the description to the message, so that the model of an AI agent learns, for example, that a
 * message may have been sent. If n8n's engine runs the tool, the model reads only the message. Where an
 * agent calls the tool as a function, n8n adds the description itself (`makeHandleToolInvocation` in
 * n8n-core/execution-engine/node-execution-context/utils/get-input-connection-data, seen in 2.41).
 */
export function withDetailsForModel<E extends Error & { description?: string | null }>(
	context: IExecuteFunctions,
	error: E,
): E {
	const isTool = toolKind(context) && !calledWith(context);
	if (isTool && error.description) {
		error.message += `\n\nDetails: ${error.description}`;
		// Or n8n shows it twice.
		error.description = undefined;
	}
	return error;
}

/**
 * The arguments of a tool call, where an agent calls the node as a function; undefined where n8n's
 * engine runs the node. Such a call has no run of its own: n8n passes the agent's. But n8n parses the
 * arguments once per call, and passes the same object in all tries (`makeHandleToolInvocation` in
 * n8n-core/execution-engine/node-execution-context/utils/get-input-connection-data, seen in 2.41).
 */
export function calledWith(context: IExecuteFunctions): IDataObject | undefined {
	const isRun = context.getExecuteData().node.name === context.getNode().name;
	const [{ json } = { json: {} }] = context.getInputData();
	return isRun ? undefined : json;
}

/** Whether an agent uses the node as a tool, so that a model reads its output. */
export function isForAgent(context: IExecuteFunctions): boolean {
	return (
		calledWith(context) !== undefined || toolKind(context) !== undefined || isRequested(context)
	);
}

/**
 * Whether an agent has asked n8n's engine to run this node. Only such runs have this mark
 * (`prepareRequestedNodesForExecution` in n8n-core/execution-engine/requests-response, seen in 2.41).
 */
function isRequested(context: IExecuteFunctions): boolean {
	return context.getExecuteData().metadata?.preserveSourceOverwrite === true;
}

/**
 * Finds arguments that n8n mixed up. n8n counts the calls of a tool in two places, which may differ,
 * e.g. within a batch. Then `$fromAI` returns the arguments of another call, such as another contact
 * (`handleFromAi` in n8n-workflow/workflow-data-proxy, seen in 2.41).
 */
export function argumentsProblem(context: IExecuteFunctions): InputProblem | undefined {
	const values = calledWith(context);
	if (!values) return undefined;
	const read = context.getWorkflowDataProxy(0).$fromAI as ((key: string) => unknown) | undefined;
	const isRead = ([key, value]: [string, unknown]) => (read?.(key) ?? null) === (value ?? null);
	if (read && Object.entries(values).every(isRead)) return undefined;
	return new InputProblem(
		read
			? 'n8n mixed up the arguments of this tool call with those of another'
			: 'n8n does not show the arguments of this tool call',
		"If the agent works on several items, set 'Batch Size' in its options to 1.",
	);
}

/**
 * Whether the node runs as the tool variant that n8n generates of each node: `tool` for a tool of an
 * agent, `approval` for one that asks a person to approve the agent's other tools (n8n/tool-generation,
 * seen in 2.41).
 */
export function toolKind(context: IExecuteFunctions): 'tool' | 'approval' | undefined {
	const { type } = context.getNode();
	if (type.endsWith('HitlTool')) return 'approval';
	return type.endsWith('Tool') ? 'tool' : undefined;
}

/**
 * The text of n8n's field 'Message', which asks a person to approve a tool call. Its default expression
 * contains the tool's input as an object, which would read "[object Object]", so write it as JSON
 * (n8n/tool-generation/hitl-tools, seen in 2.41).
 */
export function approvalText(context: IExecuteFunctions): { saved: string; text: string } {
	const raw: unknown = context.getNodeParameter('message', 0, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=')) {
		return { saved: String(raw), text: String(raw) };
	}
	const saved = raw.replaceAll(TOOL_INPUT, '{{ JSON.stringify($tool.parameters) }}');
	return { saved, text: String(context.evaluateExpression(saved.slice(1), 0)) };
}

const TOOL_INPUT = /\{\{\s*\$tool\.parameters\s*\}\}/g;
