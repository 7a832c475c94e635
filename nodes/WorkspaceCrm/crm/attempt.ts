import { otherFailure, statusFailure, type Failure } from './failure';
import type { Connection, CrmRequest } from './connection';
import { readJson } from './readJson';
import {
	explain,
	NoAnswer,
	type NodeFailure,
	type WireAnswer,
	type WireRequest,
} from './transport';

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
	const { limit, abortSignal } = lifetime.begin();
	let read: (error: unknown, isLate: boolean) => Failure = readConnectionFailure;
	try {
		const { transport, baseUrl, hideKey } = connection;
		const answer = await transport.send(toWire(baseUrl, request), abortSignal);
		read = readBodyFailure;
		const body = await readBody(answer.body);
		return toTryResult(answer, body && readJson(body, hideKey), request, !body);
	} catch (error) {
		const failure = read(error, limit.aborted);
		failure.reason = failure.reason && connection.hideKey(failure.reason);
		return { failure };
	}
}

function toWire(baseUrl: string, { method, path, query, body }: CrmRequest): WireRequest {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value));
	return {
		method,
		url: `${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`,
		// Some servers refuse a JSON content type without a body.
		headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
		// As text, because n8n drops a body that is an empty object.
		...(body && { body: JSON.stringify(body) }),
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
	{ status, headers }: WireAnswer,
	json: ReturnType<typeof readJson>,
	{ sendsMessage }: CrmRequest,
	isTooLarge: boolean,
): TryResult {
	if (status < 200 || status >= 300) {
		const retryAfterMs = readRetryAfterMs(headers);
		return { failure: statusFailure(status, { retryAfterMs, body: json?.value }, sendsMessage) };
	}
	if (json) return { status, body: json.value };
	const reason = isTooLarge ? 'more than 32 MB' : 'something other than JSON';
	return { failure: otherFailure('unreadable', { status, reason }) };
}

/** "Gives the seconds to wait" (API reference, errors). Undefined if the header is missing or is not a number. */
function readRetryAfterMs(headers: WireAnswer['headers']): number | undefined {
	const text = String(headers['retry-after'] ?? '').trim();
	return /^\d{1,12}(\.\d+)?$/.test(text) ? Number(text) * 1_000 : undefined;
}

/** Why a request has no answer. Without proof, it may have been sent. */
function readConnectionFailure(error: unknown, isLate: boolean): Failure {
	const { stage, cause } = error instanceof NoAnswer ? error : perhapsSent(error);
	const reason = explain(cause);
	if (stage === 'refused') return otherFailure('notSent', { reason });
	if (stage === 'unwritten') {
		return otherFailure('unreachable', {
			reason: isLate ? 'no connection within a minute' : reason,
		});
	}
	const isTimeout = isLate || cause.code === 'ECONNABORTED' || cause.code === 'ETIMEDOUT';
	return otherFailure(isTimeout ? 'timeout' : 'broken', { reason });
}

function perhapsSent(error: unknown): NoAnswer {
	return new NoAnswer('perhapsSent', (error ?? {}) as NodeFailure);
}

/** Why the body of an answer broke off. The request was sent in any case. */
function readBodyFailure(error: unknown, isLate: boolean): Failure {
	return otherFailure(isLate ? 'timeout' : 'broken', { reason: explain(error as NodeFailure) });
}
