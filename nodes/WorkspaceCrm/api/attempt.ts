import type {
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { tryParseJson } from '../domain/json';
import { readRetryAfterMs, type Failure } from '../domain/retry';
import type { Clock } from './clock';
import { readConnectionFailure } from './connection';

/** How long a request may take in all, so that an answer that never ends holds nobody up. */
const REQUEST_LIMIT_MS = 60_000;

export const CREDENTIAL_TYPE = 'workspaceCrmApi';

/** Everything of n8n's that can make requests. */
export type RequestContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

/** What came of one try: the parsed body of a success (undefined when empty), or a failure. */
export type Outcome = { body: unknown; failure?: undefined } | { failure: Failure };

/**
 * Sends a request once, with the credential's key, and never throws.
 *
 * @param secret no text of the service's may carry it any further
 * @param stop ends the request at once
 */
export async function attempt(
	context: RequestContext,
	options: IHttpRequestOptions,
	secret: string,
	clock: Clock,
	stop?: AbortSignal,
): Promise<Outcome> {
	const limit = clock.signalAfter(REQUEST_LIMIT_MS);
	const abortSignal = AbortSignal.any(stop ? [stop, limit] : [limit]);
	// In place of the signal of a request, n8n takes the one that its context gives.
	const getExecutionCancelSignal = { value: () => abortSignal };
	const limited = Object.create(context, { getExecutionCancelSignal }) as RequestContext;
	const request: IHttpRequestOptions = {
		...options,
		abortSignal,
		timeout: REQUEST_LIMIT_MS,
		// Statuses and bodies are read here, in one way, and not from n8n's many forms of errors.
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		encoding: 'text',
		// The key must never reach another host.
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
	};
	try {
		const { httpRequestWithAuthentication } = limited.helpers;
		const answer = await httpRequestWithAuthentication.call(limited, CREDENTIAL_TYPE, request);
		return readResponse(answer as IN8nHttpFullResponse, secret, clock.now());
	} catch (error) {
		const failure = readConnectionFailure(error, limit.aborted);
		if ('reason' in failure) failure.reason = withoutSecret(failure.reason, secret);
		return { failure };
	}
}

function readResponse(
	{ statusCode, headers, body }: IN8nHttpFullResponse,
	secret: string,
	nowMs: number,
): Outcome {
	const text = withoutSecret(typeof body === 'string' ? body : '', secret).trim();
	const parsed = tryParseJson(text);
	if (statusCode >= 200 && statusCode < 300) {
		if (text === '') return { body: undefined };
		if (parsed === undefined) return { failure: { kind: 'unreadable', status: statusCode, text } };
		return { body: parsed };
	}
	const retryAfterMs = readRetryAfterMs(headers['retry-after'], headers.date, nowMs);
	return { failure: { kind: 'status', status: statusCode, retryAfterMs, body: parsed } };
}

function withoutSecret(text: string, secret: string): string {
	return secret === '' ? text : text.replaceAll(secret, '(the API key)');
}
