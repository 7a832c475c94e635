import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { toJsonText, tryParseJson } from '../domain/json';
import { readBodyFailure, readConnectionFailure, readStatusFailure, type Failure } from './failure';
import { CREDENTIAL_TYPE, REQUEST_LIMIT_MS, type CrmRequest, type Service } from './service';

/** How much of an answer is read, unpacked. A page of 100 contacts has some 50 kB. */
const MAX_ANSWER_BYTES = 32_000_000;

/** An answer of success; its body is parsed, and undefined when it is empty. */
export interface Answer {
	status: number;
	body: unknown;
}

/** What came of one try. */
export type TryResult = (Answer & { failure?: undefined }) | { failure: Failure };

/** Sends a request once, with the key of the credential, and never throws. */
export async function attempt(service: Service, request: CrmRequest): Promise<TryResult> {
	// What must not be repeated gets its answer also if the execution is stopped meanwhile.
	const outlivesStop = request.isPersistent || !request.repeatable;
	const begin = outlivesStop ? service.beginOutliving : service.begin;
	const { context, limit, abortSignal } = begin();
	let read: (error: unknown, isLate: boolean) => Failure = readConnectionFailure;
	try {
		const { httpRequestWithAuthentication } = context.helpers;
		const answer = (await httpRequestWithAuthentication.call(
			context,
			CREDENTIAL_TYPE,
			{ ...toOptions(service.baseUrl, request), abortSignal },
			{ credentialsDecrypted: service.credential() },
		)) as IN8nHttpFullResponse;
		read = readBodyFailure;
		const text = await readBody(answer.body as AsyncIterable<Buffer>);
		return toTryResult(answer, text && service.hideKey(text), request);
	} catch (error) {
		const failure = read(error, limit.aborted);
		if ('reason' in failure) failure.reason = service.hideKey(failure.reason);
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
		// Some servers refuse a request that is said to be JSON but has no body.
		headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
		// As text, because n8n leaves out a body that is an empty object.
		...(body && { body: toJsonText(body) }),
		timeout: REQUEST_LIMIT_MS,
		// Statuses and bodies are read here, in one way, and not from n8n's many forms of errors.
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// n8n itself would read and unpack a body of any size.
		encoding: 'stream',
	};
}

/** The text of a body, or undefined if that is too large. Rejects if the body does not come to its end. */
async function readBody(body: AsyncIterable<Buffer>): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		// Leaving the loop closes the connection.
		if (bytes > MAX_ANSWER_BYTES) return undefined;
		chunks.push(chunk);
	}
	// It may begin with a byte order mark, which counts as a blank.
	return Buffer.concat(chunks).toString().trim();
}

/** A status other than success says enough, even if its body cannot be read. */
function toTryResult(
	{ statusCode: status, headers }: IN8nHttpFullResponse,
	text: string | undefined,
	{ sendsMessage }: CrmRequest,
): TryResult {
	const body = text ? tryParseJson(text) : undefined;
	if (status < 200 || status >= 300) {
		const retryAfterMs = readRetryAfterMs(headers['retry-after']);
		return { failure: readStatusFailure({ status, retryAfterMs, body }, sendsMessage) };
	}
	if (body !== undefined || text === '') return { status, body };
	return { failure: { kind: 'unreadable', status, isTooLarge: text === undefined } };
}

/** "Gives the seconds to wait" (API reference, errors). Undefined if the header is missing or says anything else. */
function readRetryAfterMs(header: unknown): number | undefined {
	const text = String(header ?? '').trim();
	return /^\d{1,12}(\.\d+)?$/.test(text) ? Number(text) * 1_000 : undefined;
}
