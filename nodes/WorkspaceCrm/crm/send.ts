import {
	MAX_BACKOFF_MS,
	MAX_OUTAGE_MS,
	PERSISTENT_MAX_WAIT_MS,
	REQUEST_LIMIT_MS,
} from '../domain/timeLimits';
import { readAnswer, type Answer, type TryResult } from './answer';
import { MAX_SLEEP_MS, type Clock } from './clock';
import type { Connection, CrmRequest } from './connection';
import { OutdatedError, toCrmError, type CrmError } from './crmError';
import { otherFailure, statusFailure, type Failure } from './failure';
import {
	explain,
	isAboutCertificate,
	type NoAnswer,
	type NodeFailure,
	type WireRequest,
} from './transport';

/**
 * Sends a request within the rate limit of its account, and again as often as its failures allow. A repeated DELETE
 * that gets 404 counts as deleted.
 *
 * @throws CrmError when a failure is final; OutdatedError if `isOutdated` returns true; the signal's reason after Stop
 */
export async function sendRequest(connection: Connection, request: CrmRequest): Promise<Answer> {
	const { clock, account } = connection;
	const { isPersistent, sendsMessage } = request;
	const stop = isPersistent ? connection.pastStop : connection.stop;
	const maxWaitMs = isPersistent ? PERSISTENT_MAX_WAIT_MS : connection.maxWaitMs;
	let { mayHaveHappened = false } = request;
	let refusedMs = 0;
	let tries = 0;
	let failingSinceMs: number | undefined;
	let failed: CrmError | undefined;
	const toError = (failure: Failure) => toCrmError(request, failure, mayHaveHappened, connection);
	for (;;) {
		const permit = await account.rateLimiter.acquire(connection, stop, maxWaitMs, sendsMessage);
		if ('pauseMs' in permit) throw toError(statusFailure(429, { retryAfterMs: permit.pauseMs }));
		if (request.isOutdated?.()) {
			permit.cancel();
			throw new OutdatedError(failed);
		}
		connection.requestCount += 1;
		request.onSend?.();
		const result = await attempt(connection, request);
		const { failure } = result;
		const pauseMs = pauseAfter(failure);
		if (pauseMs !== undefined) permit.refuse(pauseMs);
		else if (failure?.isUnsent) permit.cancel();
		else permit.release();
		if (!failure) return result;
		stop?.throwIfAborted();
		if (pauseMs !== undefined) {
			// Not a failed try, because a refusal proves that nothing was done.
			refusedMs += pauseMs;
			if (refusedMs > maxWaitMs) throw toError(failure);
			continue;
		}
		if (mayHaveHappened && isMissing(request, failure)) return { status: 404, body: undefined };
		mayHaveHappened ||= request.method !== 'GET' && failure.mayHaveHappened === true;
		tries += 1;
		failingSinceMs ??= clock.elapsedMs();
		const failingMs = clock.elapsedMs() - failingSinceMs;
		const delayMs = Math.max(backoffMs(tries, clock), failure.retryAfterMs ?? 0);
		const mayWait = delayMs <= maxWaitMs;
		failed = toError(failure);
		if (!mayWait || !mayRetry(request, failure, tries, failingMs)) throw failed;
		await sleepInPieces(delayMs, clock, stop);
	}
}

/** How long the service asks to wait after a refusal (429), at least and if it does not say. */
const MIN_PAUSE_MS = 1_000;
const DEFAULT_PAUSE_MS = 5_000;

/** How long to send nothing after a refusal by the rate limit (429); undefined after anything else. */
function pauseAfter(failure?: Failure): number | undefined {
	if (failure?.retryable !== 'afterPause') return undefined;
	return Math.max(failure.retryAfterMs ?? DEFAULT_PAUSE_MS, MIN_PAUSE_MS);
}

/** Sends a request once, with the key of the credential. Never throws. */
async function attempt(connection: Connection, request: CrmRequest): Promise<TryResult> {
	const { transport, baseUrl, clock, hideKey } = connection;
	// A request that must not be repeated gets its answer even if the execution is stopped.
	const outlivesStop = request.isPersistent || request.once;
	const stop = outlivesStop ? connection.pastStop : connection.stop;
	const limit = clock.signalAfter(REQUEST_LIMIT_MS);
	const end = stop ? AbortSignal.any([stop, limit]) : limit;
	const failed = (reached: NoAnswer) => ({ failure: failureOf(reached, limit.aborted, hideKey) });
	try {
		const answer = await transport.send(toWire(baseUrl, request), end);
		if ('stage' in answer) return failed(answer);
		return await readAnswer(answer, request, connection);
	} catch (error) {
		return failed({ stage: 'perhapsSent', cause: (error ?? {}) as NodeFailure });
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

/** Why a request has no answer, or only a part of one. */
function failureOf(
	{ stage, cause }: NoAnswer,
	isLate: boolean,
	hideKey: (text: string) => string,
): Failure {
	const reason = hideKey(explain(cause));
	if (stage === 'refused') return otherFailure('notSent', { reason });
	if (stage === 'unwritten') {
		if (isLate) return otherFailure('unreachable', { reason: 'no connection within a minute' });
		return otherFailure(isAboutCertificate(cause) ? 'untrusted' : 'unreachable', { reason });
	}
	const isTimeout = isLate || cause.code === 'ECONNABORTED' || cause.code === 'ETIMEDOUT';
	return otherFailure(isTimeout ? 'timeout' : 'broken', { reason });
}

function isMissing({ method }: CrmRequest, { status }: Failure): boolean {
	return method === 'DELETE' && status === 404;
}

const MAX_TRIES = 3;

/**
 * Whether to send a request again after a failed try: it may succeed then, does no harm, and is not over. Which
 * requests are `once`, `crm/endpoints` says.
 */
function mayRetry(
	{ once, isPersistent }: CrmRequest,
	{ retryable, mayHaveHappened }: Failure,
	tries: number,
	failingMs: number,
): boolean {
	if (retryable !== 'soon') return false;
	if (once && mayHaveHappened) return false;
	return isPersistent ? failingMs < MAX_OUTAGE_MS : tries < MAX_TRIES;
}

function backoffMs(tries: number, clock: Clock): number {
	const longestMs = Math.min(1_000 * 2 ** (tries - 1), MAX_BACKOFF_MS);
	return longestMs * (0.5 + clock.random() / 2);
}

/** Sleeps in pieces, so that stopping the execution ends the wait. */
async function sleepInPieces(delayMs: number, clock: Clock, stop?: AbortSignal): Promise<void> {
	const untilMs = clock.elapsedMs() + delayMs;
	for (let leftMs = delayMs; leftMs > 0; leftMs = untilMs - clock.elapsedMs()) {
		stop?.throwIfAborted();
		await clock.sleep(Math.min(leftMs, MAX_SLEEP_MS));
	}
}
