/**
 * A context whose requests end with a signal of ours. In place of the signal of a request, n8n takes
 * the one that its context gives (`httpRequestWithAuthentication` in n8n-core, request-helpers/
 * authentication, seen in 2.41), so both have to be set.
 */
export function withSignal<Context extends object>(context: Context, signal: AbortSignal): Context {
	const getExecutionCancelSignal = { value: () => signal };
	return Object.create(context, { getExecutionCancelSignal }) as Context;
}
