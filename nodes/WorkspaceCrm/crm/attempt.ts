import { REQUEST_LIMIT_MS } from '../domain/timeLimits';
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
	const stop = outlivesStop ? connection.pastStop : connection.stop;
	const limit = connection.clock.signalAfter(REQUEST_LIMIT_MS);
	const end = stop ? AbortSignal.any([stop, limit]) : limit;
	let read: (error: unknown, isLate: boolean) => Failure = readConnectionFailure;
	try {
		const { transport, baseUrl, clock, hideKey } = connection;
		const answer = await transport.send(toWire(baseUrl, request), end);
		read = readBodyFailure;
		const body = await readStream(answer.body);
		const json = body && readJson(body, hideKey);
		if (isSuccess(answer)) return toAnswer(answer, json, !body);
		const retryAfterMs = readRetryAfterMs(answer.headers, clock.now());
		const facts = { retryAfterMs, body: json?.value };
		return { failure: statusFailure(answer.status, facts, request.sendsMessage) };
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
async function readStream(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
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

function isSuccess({ status }: WireAnswer): boolean {
	return status >= 200 && status < 300;
}

/** For an error status, a body that is not JSON is ignored: the status says enough. Here, it is a failure. */
function toAnswer(
	{ status }: WireAnswer,
	json: ReturnType<typeof readJson>,
	isTooLarge: boolean,
): TryResult {
	if (json) return { status, body: json.value };
	const reason = isTooLarge ? 'more than 32 MB' : 'something other than JSON';
	return { failure: otherFailure('unreadable', { status, reason }) };
}

/**
 * "Gives the seconds to wait" (API reference, errors). Proxies may send a date instead, as HTTP allows. Undefined if
 * the header is missing or is neither.
 */
function readRetryAfterMs(headers: WireAnswer['headers'], nowMs: number): number | undefined {
	const text = String(headers['retry-after'] ?? '').trim();
	if (/^\d{1,12}(\.\d+)?$/.test(text)) return Number(text) * 1_000;
	const untilMs = readHttpDate(text);
	if (untilMs === undefined) return undefined;
	// By the clock of whoever sent it, if that is known: ours may differ.
	return Math.max(0, untilMs - (readHttpDate(headers.date) ?? nowMs));
}

/** Milliseconds since 1970 of a date such as "Fri, 02 Jan 2026 03:04:35 GMT" (RFC 9110, HTTP date). */
function readHttpDate(header: unknown): number | undefined {
	const text = String(header ?? '');
	if (!/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return undefined;
	const ms = Date.parse(text);
	return Number.isNaN(ms) ? undefined : ms;
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
