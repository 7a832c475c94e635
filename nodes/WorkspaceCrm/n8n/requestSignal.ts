/**
 * A context whose requests end with a signal of ours. In place of the signal of a request, n8n takes
 * the one that its context gives, so both have to be set (`httpRequestWithAuthentication` in
 * n8n-core/execution-engine/node-execution-context/utils/request-helpers/authentication, seen in 2.41).
 */
export function withSignal<Context extends object>(context: Context, signal: AbortSignal): Context {
	const getExecutionCancelSignal = { value: () => signal };
	return Object.create(context, { getExecutionCancelSignal }) as Context;
}
