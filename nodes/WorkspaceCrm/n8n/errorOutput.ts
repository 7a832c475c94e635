import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { calledWith } from './toolCall';

/**
 * Marks an output item as failed.
 *
 * n8n copies an item that has an `error` to the error output (`handleNodeErrorOutput`), and then
 * replaces the JSON of each item with an `error` by the message alone (`normalizeNodeErrors`). The copy
 * lacks the `error` if the property is not enumerable (n8n-core/execution-engine/workflow-execute, seen
 * in 2.41).
 */
export function markFailed(
	context: IExecuteFunctions,
	output: INodeExecutionData,
	error: Error,
): void {
	if (context.getNode().onError !== 'continueErrorOutput') return;
	Object.defineProperty(output, 'error', { value: error, writable: true, configurable: true });
}

/**
 * The error of a stopped run. n8n recognizes it by the word "canceled" in the message
 * (`processSuccessExecution` in n8n-core/execution-engine/workflow-execute, seen in 2.41).
 */
export function canceledError(context: IExecuteFunctions): NodeOperationError {
	return new NodeOperationError(context.getNode(), 'The execution was canceled');
}

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
	const isTool = context.getNode().type.endsWith('Tool') && !calledWith(context);
	if (isTool && error.description) error.message += `\n\nDetails: ${error.description}`;
	return error;
}
