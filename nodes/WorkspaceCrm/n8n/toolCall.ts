import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/problem';
import { toolKind } from './waitingExecution';

/**
 * The arguments of a tool call, where an agent calls the node as a function; undefined where n8n's
 * engine runs the node. Such a call has no run of its own: n8n hands over that of the agent. But the
 * arguments are parsed for each call, and are the same object in all its tries
 * (`makeHandleToolInvocation` in n8n-core/execution-engine/node-execution-context/utils/
 * get-input-connection-data, seen in 2.41).
 */
export function calledWith(context: IExecuteFunctions): IDataObject | undefined {
	const isRun = context.getExecuteData().node.name === context.getNode().name;
	const [{ json } = { json: {} }] = context.getInputData();
	return isRun ? undefined : json;
}

/** Whether an agent has the node run, as a tool, so that a model reads what it gives. */
export function isForAgent(context: IExecuteFunctions): boolean {
	return calledWith(context) !== undefined || toolKind(context) !== undefined;
}

/**
 * n8n counts the calls of a tool in two places, which may differ, for example for items of a batch.
 * Then `$fromAI` gives the arguments of another call, and so, for example, another contact
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
