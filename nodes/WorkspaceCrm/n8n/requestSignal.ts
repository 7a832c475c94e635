/**
 * A context whose requests end with our signal. n8n overrides the signal of a request with that of its
 * context, so both must be set (`httpRequestWithAuthentication` in
 * n8n-core/execution-engine/node-execution-context/utils/request-helpers/authentication, seen in 2.41).
 */
export function withSignal<Context extends object>(context: Context, signal: AbortSignal): Context {
	const getExecutionCancelSignal = { value: () => signal };
	return Object.create(context, { getExecutionCancelSignal }) as Context;
}
