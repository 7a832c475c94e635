import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { tryParseJson } from '../domain/json';
import { readBodyFailure, readConnectionFailure } from './connectionFailure';
import { otherFailure, statusFailure, type Failure } from './failure';
import { CREDENTIAL_TYPE, REQUEST_LIMIT_MS, type Connection, type CrmRequest } from './connection';

/** The largest answer to read, in decompressed bytes. A page of 100 contacts has some 50 kB. */
const MAX_ANSWER_BYTES = 32_000_000;

/** A successful answer. Its body is parsed JSON, or undefined if it is empty. */
export interface Answer {
	status: number;
	body: unknown;
}

/** The result of one try. */
export type TryResult = (Answer & { failure?: undefined }) | { failure: Failure };

/** Sends a request once, with the key of the credential, and never throws. */
export async function attempt(connection: Connection, request: CrmRequest): Promise<TryResult> {
	// A request that must not be repeated gets its answer even if the execution is stopped.
	const outlivesStop = request.isPersistent || request.once;
	const lifetime = outlivesStop ? connection.pastStop : connection.whileRunning;
	const { context, limit, abortSignal } = lifetime.begin();
	let read: (error: unknown, isLate: boolean) => Failure = readConnectionFailure;
	try {
		const { httpRequestWithAuthentication } = context.helpers;
		const answer = (await httpRequestWithAuthentication.call(
			context,
			CREDENTIAL_TYPE,
			{ ...toOptions(connection.baseUrl, request), abortSignal },
			{ credentialsDecrypted: connection.credential() },
		)) as IN8nHttpFullResponse;
		read = readBodyFailure;
		const text = await readBody(answer.body as AsyncIterable<Buffer>);
		return toTryResult(answer, text && connection.hideKey(text), request);
	} catch (error) {
		const failure = read(error, limit.aborted);
		failure.reason = failure.reason && connection.hideKey(failure.reason);
		return { failure };
	}
}

function toOptions(
	baseUrl: string,
	{ method, path, query, body }: CrmRequest,
): IHttpRequestOptions {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value));
	return {
		method,
		url: `${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`,
		// Some servers refuse a JSON content type without a body.
		headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
		// As text, because n8n drops a body that is an empty object.
		...(body && { body: JSON.stringify(body) }),
		timeout: REQUEST_LIMIT_MS,
		// Read every status and body here, because n8n's errors come in many forms.
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// Otherwise n8n reads and decompresses a body of any size.
		encoding: 'stream',
	};
}

/** Reads a body as text; undefined if it is too large. Rejects if the body breaks off. */
async function readBody(body: AsyncIterable<Buffer>): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		// Leaving the loop closes the connection.
		if (bytes > MAX_ANSWER_BYTES) return undefined;
		chunks.push(chunk);
	}
	// `trim` also removes a byte order mark.
	return Buffer.concat(chunks).toString().trim();
}

/** For an error status, a body that is not JSON is ignored: the status says enough. */
function toTryResult(
	{ statusCode: status, headers }: IN8nHttpFullResponse,
	text: string | undefined,
	{ sendsMessage }: CrmRequest,
): TryResult {
	const body = text ? tryParseJson(text) : undefined;
	if (status < 200 || status >= 300) {
		const retryAfterMs = readRetryAfterMs(headers['retry-after']);
		return { failure: statusFailure(status, { retryAfterMs, body }, sendsMessage) };
	}
	if (body !== undefined || text === '') return { status, body };
	const reason = text === undefined ? 'more than 32 MB' : 'something other than JSON';
	return { failure: otherFailure('unreadable', { status, reason }) };
}

/** "Gives the seconds to wait" (API reference, errors). Undefined if the header is missing or is not a number. */
function readRetryAfterMs(header: unknown): number | undefined {
	const text = String(header ?? '').trim();
	return /^\d{1,12}(\.\d+)?$/.test(text) ? Number(text) * 1_000 : undefined;
}
