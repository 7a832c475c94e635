import { MAX_BACKOFF_MS, MAX_OUTAGE_MS, PERSISTENT_MAX_WAIT_MS } from '../domain/timeLimits';
import { attempt, type Answer, type TryResult } from './attempt';
import { MAX_SLEEP_MS, type Clock } from './clock';
import type { Connection, CrmRequest } from './connection';
import { OutdatedError, toCrmError } from './crmError';
import { statusFailure, type Failure } from './failure';

const MAX_TRIES = 3;

/**
 * Sends a request as often as its policy allows, within the rate limit of the key. A repeated DELETE
 * that gets 404 counts as deleted.
 *
 * @throws CrmError when a failure is not retried, or the tries are used up
 */
export async function sendWithRetry(connection: Connection, request: CrmRequest): Promise<Answer> {
	const { clock } = connection;
	const { isPersistent } = request;
	const stop = isPersistent ? connection.pastStop : connection.stop;
	const maxWaitMs = isPersistent ? PERSISTENT_MAX_WAIT_MS : connection.maxWaitMs;
	let failingSinceMs: number | undefined;
	let { mayHaveHappened = false } = request;
	for (let tries = 1; ; tries += 1) {
		const result = await tryWithinRate(connection, request, maxWaitMs, stop);
		const { failure } = result;
		if (!failure) return result;
		stop?.throwIfAborted();
		if (mayHaveHappened && isMissing(request, failure)) return { status: 404, body: undefined };
		mayHaveHappened ||= request.method !== 'GET' && failure.mayHaveHappened === true;
		failingSinceMs ??= clock.elapsedMs();
		const failingMs = clock.elapsedMs() - failingSinceMs;
		const delayMs = Math.max(backoffMs(tries, clock), failure.retryAfterMs ?? 0);
		if (delayMs > maxWaitMs || !shouldRetry(request, failure, tries, failingMs)) {
			throw toCrmError(request, failure, mayHaveHappened, connection);
		}
		await sleepInPieces(delayMs, clock, stop);
	}
}

/** How long the service asks to wait after a refusal (429), at least and if it does not say. */
const MIN_PAUSE_MS = 1_000;
const DEFAULT_PAUSE_MS = 5_000;

/** Tries once. Refusals by the rate limit (429) do not count, because they prove that nothing was done. */
async function tryWithinRate(
	connection: Connection,
	request: CrmRequest,
	maxWaitMs: number,
	stop?: AbortSignal,
): Promise<TryResult> {
	const { rateLimiter } = connection.account;
	for (let waitedMs = 0; ; ) {
		const permit = await rateLimiter.acquire(connection, stop, maxWaitMs, request.sendsMessage);
		if ('pauseMs' in permit) {
			return { failure: statusFailure(429, { retryAfterMs: permit.pauseMs }) };
		}
		if (request.isOutdated?.()) {
			permit.cancel();
			throw new OutdatedError();
		}
		connection.requestCount += 1;
		request.onSend?.();
		const result = await attempt(connection, request);
		const { failure } = result;
		if (failure?.retryable === 'afterPause') {
			const pauseMs = Math.max(failure.retryAfterMs ?? DEFAULT_PAUSE_MS, MIN_PAUSE_MS);
			permit.refuse(pauseMs);
			waitedMs += pauseMs;
			if (waitedMs > maxWaitMs) return result;
		} else {
			if (failure?.isUnsent) permit.cancel();
			else permit.release();
			return result;
		}
	}
}

function isMissing({ method }: CrmRequest, { status }: Failure): boolean {
	return method === 'DELETE' && status === 404;
}

/**
 * Whether to send a request again after a failed try: it may succeed then, does no harm, and is not over. Which
 * requests are `once`, `crm/endpoints` says.
 */
function shouldRetry(
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
