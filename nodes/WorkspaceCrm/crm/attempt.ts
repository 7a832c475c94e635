import {
	BaseError,
	NodeApiError,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { InputProblem } from '../domain/problem';
import { REQUEST_LIMIT_MS } from '../domain/timeLimits';
import { otherFailure, statusFailure, type Failure } from './failure';
import { CREDENTIAL_TYPE, type Connection, type CrmRequest } from './connection';
import { readJson } from './readJson';

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
		const body = await readBody(answer.body as AsyncIterable<Buffer>);
		return toTryResult(answer, body && readJson(body, connection.hideKey), request, !body);
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

/** Reads a body; undefined if it is too large. Rejects if the body breaks off. */
async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		// Leaving the loop closes the connection.
		if (bytes > MAX_ANSWER_BYTES) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** For an error status, a body that is not JSON is ignored: the status says enough. */
function toTryResult(
	{ statusCode: status, headers }: IN8nHttpFullResponse,
	json: ReturnType<typeof readJson>,
	{ sendsMessage }: CrmRequest,
	isTooLarge: boolean,
): TryResult {
	if (status < 200 || status >= 300) {
		const retryAfterMs = readRetryAfterMs(headers['retry-after']);
		return { failure: statusFailure(status, { retryAfterMs, body: json?.value }, sendsMessage) };
	}
	if (json) return { status, body: json.value };
	const reason = isTooLarge ? 'more than 32 MB' : 'something other than JSON';
	return { failure: otherFailure('unreadable', { status, reason }) };
}

/** "Gives the seconds to wait" (API reference, errors). Undefined if the header is missing or is not a number. */
function readRetryAfterMs(header: unknown): number | undefined {
	const text = String(header ?? '').trim();
	return /^\d{1,12}(\.\d+)?$/.test(text) ? Number(text) * 1_000 : undefined;
}

/** The parts of what n8n's HTTP helper throws that show how far a request got (seen in n8n 2.41). */
interface Thrown {
	name?: string;
	message?: string;
	code?: unknown;
	syscall?: unknown;
	cause?: Thrown;
	isAxiosError?: boolean;
	/**
	 * Node's own request. `writableFinished` is false while it holds data. Its socket is null until one is assigned,
	 * e.g. until a proxy accepts the connection; `secureConnecting` until the TLS handshake is complete; and its
	 * dispatched bytes are 0 while it is connecting, even if data is buffered.
	 */
	request?: {
		writableFinished?: boolean;
		socket?: { secureConnecting?: boolean; _bytesDispatched?: number } | null;
	};
}

/**
 * Why a request has no answer. How far it got decides, not the error code: it is "unreachable" only if
 * no bytes can have been written.
 *
 * @param isLate whether our time limit ended it
 */
function readConnectionFailure(error: unknown, isLate: boolean): Failure {
	const { cause = {} } = error as Thrown;
	const reason = explain(cause);
	if (isRefusedByN8n(error as Thrown)) return otherFailure('notSent', { reason });
	if (!isUnwritten(cause)) {
		const isTimeout = isLate || cause.code === 'ECONNABORTED' || cause.code === 'ETIMEDOUT';
		return otherFailure(isTimeout ? 'timeout' : 'broken', { reason });
	}
	return otherFailure('unreachable', { reason: isLate ? 'no connection within a minute' : reason });
}

/** Why the body of an answer broke off. The request was sent in any case. */
function readBodyFailure(error: unknown, isLate: boolean): Failure {
	return otherFailure(isLate ? 'timeout' : 'broken', { reason: explain(error as Thrown) });
}

/**
 * n8n and the credential throw errors of their own before they open a connection. Any other error may come from
 * later on.
 */
function isRefusedByN8n({ cause }: Thrown): boolean {
	if (!cause || cause.isAxiosError || cause.code !== undefined) return false;
	if (cause.cause) return isRefusedByN8n(cause);
	const isN8ns = cause instanceof BaseError && !(cause instanceof NodeApiError);
	return isN8ns || cause instanceof InputProblem;
}

/** Whether certainly no byte of the request was written. What Node does not promise can only confirm what it does. */
function isUnwritten({ syscall, code, request }: Thrown): boolean {
	if (!request) return syscall === 'getaddrinfo' || syscall === 'connect';
	const { socket, writableFinished } = request;
	const isHandshake = code === 'EPROTO' && socket?.secureConnecting === true;
	if (writableFinished !== false && !isHandshake) return false;
	return socket === null || socket?.secureConnecting === true || socket?._bytesDispatched === 0;
}

/** For codes and texts of Node and OpenSSL that users would not understand; the first match counts. */
const REASONS: Array<[RegExp, string]> = [
	[/ENOTFOUND|EAI_AGAIN/, 'the host name was not found'],
	[/ECONNREFUSED/, 'the connection was refused'],
	[/E(NET|HOST)UNREACH/, 'this address cannot be reached from the network of n8n'],
	[/SELF_SIGNED|UNABLE_TO/, 'the certificate has an incomplete chain or an unknown issuer'],
	[/wrong version|packet length/, 'the server speaks http, not https, or the port is wrong'],
	[/ECONNRESET|EPIPE|ERR_BAD_RESPONSE/, 'the connection was closed'],
];

function explain({ code, message = '' }: Thrown): string {
	const text = `${String(code)} ${message}`;
	const words = REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? message;
	return code === undefined ? words : `${words} (${String(code)})`;
}
