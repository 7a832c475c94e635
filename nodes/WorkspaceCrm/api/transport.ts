import type {
	ICredentialDataDecryptedObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { readApiKey } from './apiKey';
import { readBaseUrl } from './baseUrl';
import { toJsonText, type JsonObject } from '../domain/json';
import { redactor } from './redact';
import { isRefusal, isUnclear, refusalDelayMs, retryDelayMs, type Failure } from './retry';
import { CREDENTIAL_TYPE, createAttempt, type Answer, type RequestContext } from './attempt';
import type { Permit, Rejection, WaitLimits } from './rateLimiter';
import { MAX_SLEEP_MS, type Clock } from '../n8n/clock';
import { toCrmError, type FailedRequest } from './errors';
import { accountIdOf, rateLimiterOf, type Runtime } from './runtime';

export interface CrmRequest extends FailedRequest {
	method: IHttpRequestMethods;
	/** From `path`, so that values in it are encoded. */
	path: string;
	query?: Record<string, string | number>;
	body?: JsonObject;
	/** Called each time that the request goes out. */
	onSend?: () => void;
}

/** What the requests for one input item have in common. */
export interface ItemRequests {
	/** Ends the wait for the rate limit, up to the item's first request. */
	mayBegin?: AbortSignal;
	/** The paths of requests other than GET that have taken effect, or may have. */
	readonly changes: Set<string>;
	/**
	 * Gets what a request failed with, and throws it. Until then nobody else hears of the failure and
	 * goes on, so this can see to it that no other item begins.
	 */
	fail(error: unknown): never;
}

/** Sends a request. A deletion that turns out to be done already counts as one without a body. */
export type Send = (request: CrmRequest, item?: ItemRequests) => Promise<Answer>;

/** What the requests of one run have cost. */
export interface Usage {
	/** Requests sent, also those that failed. */
	requests: number;
	/** How long all of the run stood still for the rate limit, or before another try. */
	waitedMs: number;
}

interface Transport {
	send: Send;
	usage: Usage;
	credential: ICredentialDataDecryptedObject;
	/** From `accountIdOf`. */
	accountId: string;
}

/**
 * The one way to the service: waits for the rate limiter of the key, repeats what may be repeated, and
 * turns every other failure into a `CrmError`.
 *
 * @throws InputProblem when the credential's base URL or key cannot be used
 */
export async function createTransport(
	context: RequestContext,
	runtime: Runtime,
	waitLimits: WaitLimits,
	signal: AbortSignal | undefined = stopSignal(context),
): Promise<Transport> {
	const credential = await context.getCredentials(CREDENTIAL_TYPE);
	const apiKey = readApiKey(credential.apiKey);
	const baseUrl = readBaseUrl(credential.baseUrl);
	const accountId = accountIdOf(baseUrl, apiKey);
	const rateLimiter = rateLimiterOf(runtime, accountId);
	const redact = redactor(apiKey, '(the API key)');
	const { clock } = runtime;
	const attempt = createAttempt(context, redact, clock, signal);

	const usage: Usage = { requests: 0, waitedMs: 0 };
	const user = {};
	const waiting = stopwatch(clock, usage);

	const send: Send = async (request, item) => {
		const changes = item?.changes ?? new Set();
		const options = toOptions(baseUrl, request);
		const { repeatable } = request;
		const { maxRefusalWaitMs } = waitLimits;
		const sofar = { failedTries: 0, refusals: 0, refusalWaitMs: 0 };

		for (;;) {
			const mayBegin = item?.mayBegin ?? signal;
			// A contact that is marked for a campaign is not to wait for the marks of others.
			const isUrgent = request.sendsMessage;
			const acquiring = rateLimiter.acquire(user, mayBegin, waitLimits, isUrgent);
			const permit = await waiting(acquiring);
			if ('rejected' in permit) throw toCrmError(request, toFailure(permit), baseUrl);
			delete item?.mayBegin;
			usage.requests += 1;
			request.onSend?.();
			const outcome = await attempt(options);
			const { failure } = outcome;
			const isRefused = isRefusal(failure);
			if (failure) sofar[isRefused ? 'refusals' : 'failedTries'] += 1;
			report(permit, failure, sofar.refusals);
			if (request.method !== 'GET' && (!failure || isUnclear(failure))) changes.add(request.path);
			if (!failure) return outcome;
			signal?.throwIfAborted();
			if (changes.has(request.path) && isMissing(request, failure)) {
				return { status: 404, body: undefined };
			}

			const random = clock.random();
			const delayMs = retryDelayMs(failure, { ...sofar, repeatable, maxRefusalWaitMs, random });
			if (delayMs === undefined) throw toCrmError(request, failure, baseUrl);

			if (isRefused) sofar.refusalWaitMs += delayMs;
			else await waiting(wait(delayMs, clock, signal));
		}
	};
	return { send, usage, credential, accountId };
}

/** Tells the rate limiter how an attempt ended. */
function report(permit: Permit, failure: Failure | undefined, refusals: number): void {
	if (isRefusal(failure)) {
		// No request with this key would be taken now, so the others need not find out one by one.
		permit.refuse(refusalDelayMs(failure.retryAfterMs, refusals));
	} else if (failure?.kind === 'unreachable' || failure?.kind === 'notSent') {
		permit.cancel();
	} else {
		permit.release();
	}
}

/** The failure that a rejected request would have met. */
function toFailure(rejection: Rejection): Failure {
	if (rejection.rejected === 'queue') return { kind: 'queueTooLong' };
	return { kind: 'status', status: 429, retryAfterMs: rejection.pauseMs, body: undefined };
}

/** Measures the time in which at least one of several waits goes on, as one. */
function stopwatch(clock: Clock, usage: Usage) {
	let waits = 0;
	let sinceMs = 0;
	return async <T>(wait: Promise<T>): Promise<T> => {
		if (waits === 0) sinceMs = clock.elapsedMs();
		waits += 1;
		try {
			return await wait;
		} finally {
			waits -= 1;
			if (waits === 0) usage.waitedMs += clock.elapsedMs() - sinceMs;
		}
	};
}

function toOptions(baseUrl: string, request: CrmRequest): IHttpRequestOptions {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(request.query ?? {})) query.set(name, String(value));
	const search = query.size > 0 ? `?${query}` : '';
	return {
		method: request.method,
		url: `${baseUrl}${request.path}${search}`,
		// Some servers refuse a request that is said to be JSON but has no body.
		headers: {
			Accept: 'application/json',
			...(request.body && { 'Content-Type': 'application/json' }),
		},
		// As text, because n8n leaves out a body that is an empty object.
		...(request.body && { body: toJsonText(request.body) }),
	};
}

/** After a deletion that worked or may have, "does not exist" means that it did. */
function isMissing({ method }: CrmRequest, failure: Failure): boolean {
	return method === 'DELETE' && failure.kind === 'status' && failure.status === 404;
}

/** Aborts when the user stops the execution. */
function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** Sleeps in pieces, so that stopping the execution ends the wait. */
async function wait(delayMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
	const untilMs = clock.elapsedMs() + delayMs;
	for (let leftMs = delayMs; leftMs > 0; leftMs = untilMs - clock.elapsedMs()) {
		signal?.throwIfAborted();
		await clock.sleep(Math.min(leftMs, MAX_SLEEP_MS));
	}
}
