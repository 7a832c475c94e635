import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';

/**
 * Marks an output item as failed. n8n copies an item that has an `error` to the error output
 * (`handleNodeErrorOutput`), and then replaces the JSON of each item with an `error` by the message alone
 * (`normalizeNodeErrors`). The copy lacks the `error` if the property is not enumerable
 * (n8n-core/execution-engine/workflow-execute, seen in 2.41).
 */
export function markFailed(context: IExecuteFunctions, output: object, error: Error): void {
	if (context.getNode().onError !== 'continueErrorOutput') return;
	Object.defineProperty(output, 'error', { value: error, writable: true, configurable: true });
}

/** The number of this run of the node in the execution. All tries of Retry On Fail are one run. */
export function runIndexOf(context: IExecuteFunctions): string {
	return String(context.getWorkflowDataProxy(0).$runIndex);
}

/**
 * The error of a stopped run. n8n recognizes it by the word "canceled" in the message
 * (`processSuccessExecution` in n8n-core/execution-engine/workflow-execute, seen in 2.41).
 */
export function canceledError(context: IExecuteFunctions): NodeOperationError {
	return new NodeOperationError(context.getNode(), 'The execution was canceled');
}

/**
 * A context whose requests end with our signal. n8n overrides the signal of a request with that of its
 * context, so both must be set (`httpRequestWithAuthentication` in
 * n8n-core/execution-engine/node-execution-context/utils/request-helpers/authentication, seen in 2.41).
 */
export function withSignal<Context extends object>(context: Context, signal: AbortSignal): Context {
	const getExecutionCancelSignal = { value: () => signal };
	return Object.create(context, { getExecutionCancelSignal }) as Context;
}
