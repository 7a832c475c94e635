import type {
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { tryParseJson, type JsonObject } from '../domain/json';
import { readRetryAfterMs, type Failure } from '../domain/retry';
import type { Clock } from './clock';

export const CREDENTIAL_TYPE = 'workspaceCrmApi';

/** Everything of n8n's that can make requests. */
export type RequestContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

/** What came of one try: the parsed body of a success (undefined when empty), or a failure. */
export type Outcome = { body: unknown; failure?: undefined } | { failure: Failure };

/**
 * Sends a request once, with the credential's key, and never throws.
 *
 * @param secret no text of the service's may carry it any further
 */
export async function attempt(
	context: RequestContext,
	options: IHttpRequestOptions,
	secret: string,
	clock: Clock,
): Promise<Outcome> {
	try {
		const response = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			CREDENTIAL_TYPE,
			{
				...options,
				// Statuses and bodies are read here, in one way, and not from n8n's many forms of errors.
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				encoding: 'text',
				// The key must never reach another host.
				disableFollowRedirect: true,
				sendCredentialsOnCrossOriginRedirect: false,
			},
		)) as IN8nHttpFullResponse;
		return readResponse(response, secret, clock.now());
	} catch (error) {
		return { failure: readConnectionFailure(error, secret) };
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

const NOT_CONNECTED = ['connect', 'getaddrinfo'];
const TIMED_OUT = ['ECONNABORTED', 'ETIMEDOUT'];

function readConnectionFailure(error: unknown, secret: string): Failure {
	// n8n wraps what axios throws; the cause knows why.
	const { cause, message } = error as { cause?: JsonObject; message?: string };
	const code = cause?.code;
	if (typeof code !== 'string') {
		return { kind: 'notSent', reason: withoutSecret(message ?? '', secret) };
	}
	const isUnconnected =
		NOT_CONNECTED.includes(String(syscallOf(cause))) || /CERT|TLS|SSL/.test(code);
	if (isUnconnected) return { kind: 'unreachable', reason: code };
	return { kind: TIMED_OUT.includes(code) ? 'timeout' : 'broken', reason: code };
}

function syscallOf(cause: JsonObject | undefined): unknown {
	return cause?.syscall ?? (cause?.cause as JsonObject | undefined)?.syscall;
}

function withoutSecret(text: string, secret: string): string {
	return secret === '' ? text : text.replaceAll(secret, '(the API key)');
}
