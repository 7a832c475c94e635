import type { IHttpRequestMethods } from 'n8n-workflow';

import { MAX_SLEEP_MS, type Clock } from '../n8n/clock';
import { attempt, type Answer } from './attempt';
import { OutdatedError } from './crmError';
import { toCrmError } from './errors';
import { isRateLimited, mayHaveHappened, type Failure } from './failure';
import type { Permit } from './rateLimiter';
import type { CrmRequest, Service } from './service';

/**
 * What an operation does to the service. It decides which requests are repeated:
 * - `read`: changes nothing.
 * - `idempotent`: running it twice leaves the same as running it once.
 * - `once`: running it twice does harm, such as a second message.
 */
export type Effect = 'read' | 'idempotent' | 'once';

/** Whether repeating a request of an operation does no harm: all but the POST of one that is `once`. */
export function isRepeatable(method: IHttpRequestMethods, effect: Effect): boolean {
	return method !== 'POST' || effect !== 'once';
}

/**
 * Sends a request as often as its policy allows, within the rate limit of the key. A repeated DELETE
 * that gets 404 counts as deleted.
 *
 * @throws CrmError when a failure is not retried, or the tries are used up
 */
export async function sendWithRetry(service: Service, request: CrmRequest): Promise<Answer> {
	const { rateLimiter, clock } = service;
	const { isPersistent } = request;
	const stop = isPersistent ? service.stopAfterGrace : service.stop;
	const maxWaitMs = isPersistent ? PERSISTENT_MAX_WAIT_MS : service.maxWaitMs;
	const past: Past = { failedTries: 0, refusals: 0, refusalWaitMs: 0 };
	let { mayBeDone = false } = request;
	for (;;) {
		const permit = await rateLimiter.acquire(service, stop, maxWaitMs, request.sendsMessage);
		if ('pauseMs' in permit) {
			throw toCrmError(request, rateLimited(permit.pauseMs), mayBeDone, service);
		}
		if (request.isOutdated?.()) {
			permit.cancel();
			throw new OutdatedError();
		}
		service.requestCount += 1;
		request.onSend?.();
		const result = await attempt(service, request);
		const { failure } = result;
		past[isRateLimited(failure) ? 'refusals' : 'failedTries'] += 1;
		report(permit, failure, past.refusals);
		if (!failure) return result;
		past.failingSinceMs = isRateLimited(failure)
			? undefined
			: (past.failingSinceMs ?? clock.elapsedMs());
		stop?.throwIfAborted();
		if (mayBeDone && isMissing(request, failure)) return { status: 404, body: undefined };
		mayBeDone ||= request.method !== 'GET' && mayHaveHappened(failure);

		const delayMs = retryDelayMs(failure, request, past, maxWaitMs, clock);
		if (delayMs === undefined) throw toCrmError(request, failure, mayBeDone, service);
		// After a refusal, `acquire` waits.
		if (isRateLimited(failure)) past.refusalWaitMs += delayMs;
		else await wait(delayMs, clock, stop);
	}
}

/** The history of a request, including the last try. */
interface Past {
	failedTries: number;
	/** When the current series of failures began; a refusal ends a series. */
	failingSinceMs?: number;
	/** Refusals by the rate limit (429), which do not count as failed tries. */
	refusals: number;
	/** How long the request has waited after refusals. */
	refusalWaitMs: number;
}

const MAX_TRIES = 3;

/** How long a persistent request waits after refusals. */
const PERSISTENT_MAX_WAIT_MS = 60 * 60_000;

/** How long to retry a persistent request during an outage, and the longest pause between tries. */
const MAX_OUTAGE_MS = 10 * 60_000;
const MAX_BACKOFF_MS = 20_000;

/** How long to wait before a failed request is sent again; undefined to give up. */
function retryDelayMs(
	failure: Failure,
	{ repeatable, isPersistent }: CrmRequest,
	{ failedTries, failingSinceMs, refusals, refusalWaitMs }: Past,
	maxWaitMs: number,
	clock: Clock,
): number | undefined {
	if (failure.kind === 'status' && failure.status === 429) {
		const delayMs = refusalDelayMs(failure.retryAfterMs, refusals);
		return refusalWaitMs + delayMs <= maxWaitMs ? delayMs : undefined;
	}
	const failingMs = clock.elapsedMs() - (failingSinceMs ?? 0);
	const longestMs = Math.min(1_000 * 2 ** (failedTries - 1), MAX_BACKOFF_MS);
	const backoffMs = longestMs * (0.5 + clock.random() / 2);
	if (isPersistent ? failingMs >= MAX_OUTAGE_MS : failedTries >= MAX_TRIES) return undefined;
	if (failure.kind === 'unreachable') return backoffMs;
	if (!repeatable) return undefined;
	if (failure.kind === 'broken' || failure.kind === 'timeout') return backoffMs;
	if (failure.kind !== 'status') return undefined;
	if (failure.status < 500 && failure.status !== 408) return undefined;
	const askedMs = failure.retryAfterMs ?? 0;
	return askedMs <= maxWaitMs ? Math.max(backoffMs, askedMs) : undefined;
}

/** How long to wait after a refusal (429): `Retry-After`, or else doubling from 5 to 60 seconds. */
function refusalDelayMs(retryAfterMs: number | undefined, refusals: number): number {
	if (retryAfterMs !== undefined) return Math.max(retryAfterMs, 1_000);
	return Math.min(5_000 * 2 ** (refusals - 1), 60_000);
}

/** Reports to the rate limiter how a try ended. */
function report(permit: Permit, failure: Failure | undefined, refusals: number): void {
	// The refusal concerns the key, so the limiter pauses all requests.
	if (isRateLimited(failure)) permit.refuse(refusalDelayMs(failure.retryAfterMs, refusals));
	else if (failure?.kind === 'unreachable' || failure?.kind === 'notSent') permit.cancel();
	else permit.release();
}

/** The failure of a request that the service would refuse. */
function rateLimited(retryAfterMs: number): Failure {
	return { kind: 'status', status: 429, retryAfterMs, body: undefined };
}

function isMissing({ method }: CrmRequest, failure: Failure): boolean {
	return method === 'DELETE' && failure.kind === 'status' && failure.status === 404;
}

/** Sleeps in pieces, so that stopping the execution ends the wait. */
async function wait(delayMs: number, clock: Clock, stop?: AbortSignal): Promise<void> {
	const untilMs = clock.elapsedMs() + delayMs;
	for (let leftMs = delayMs; leftMs > 0; leftMs = untilMs - clock.elapsedMs()) {
		stop?.throwIfAborted();
		await clock.sleep(Math.min(leftMs, MAX_SLEEP_MS));
	}
}
