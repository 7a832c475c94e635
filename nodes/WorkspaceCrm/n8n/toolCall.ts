import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/problem';
import { toolKind } from './waitingExecution';

/**
 * The arguments of a tool call, where an agent calls the node as a function; undefined where n8n's
 * engine runs the node. Such a call has no run of its own: n8n passes the agent's. But n8n parses the
 * arguments once per call, and passes the same object in all tries (`makeHandleToolInvocation` in
 * n8n-core/execution-engine/node-execution-context/utils/ get-input-connection-data, seen in 2.41).
 */
export function calledWith(context: IExecuteFunctions): IDataObject | undefined {
	const isRun = context.getExecuteData().node.name === context.getNode().name;
	const [{ json } = { json: {} }] = context.getInputData();
	return isRun ? undefined : json;
}

/** Whether an agent uses the node as a tool, so that a model reads its output. */
export function isForAgent(context: IExecuteFunctions): boolean {
	return calledWith(context) !== undefined || toolKind(context) !== undefined;
}

/**
 * Finds arguments that n8n mixed up. n8n counts the calls of a tool in two places, which may differ,
 * e.g. within a batch. Then `$fromAI` returns the arguments of another call, such as another contact
 * (`handleFromAi` in n8n-workflow/workflow-data-proxy, seen in 2.41).
 */
export function argumentsProblem(context: IExecuteFunctions): InputProblem | undefined {
	const values = calledWith(context);
	if (!values) return undefined;
	const read = context.getWorkflowDataProxy(0).$fromAI as (key: string) => unknown;
	const isRead = ([key, value]: [string, unknown]) => (read(key) ?? null) === (value ?? null);
	if (Object.entries(values).every(isRead)) return undefined;
	return new InputProblem(
		'n8n mixed up the arguments of this tool call with those of another',
		"Nothing was done. Call the tool again. If the agent works on several items, set 'Batch Size' in its options to 1.",
	);
}
