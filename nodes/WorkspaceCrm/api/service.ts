import { createHash } from 'node:crypto';
import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { JsonObject } from '../domain/json';
import type { Clock } from '../n8n/clock';
import { withSignal } from '../n8n/requestSignal';
import { keyHider, readApiKey } from './apiKey';
import type { FailedRequest } from './errors';
import type { WaitLimits } from './rateLimiter';
import { rateLimiterOf, type Runtime } from './runtime';
import { readBaseUrl } from './urls';

export const CREDENTIAL_TYPE = 'workspaceCrmApi';

/** Everything of n8n's that can make requests. */
export type RequestContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| IWebhookFunctions;

export interface CrmRequest extends FailedRequest {
	method: IHttpRequestMethods;
	/** From `path`, so that values in it are encoded. */
	path: string;
	query?: Record<string, string | number>;
	body?: JsonObject;
	/** Whether an earlier run of the node may have done it already; then 404 on DELETE counts as success. */
	mayBeDone?: boolean;
	/** Whether it sends a message: it goes before others, and 502 can be the messaging platform's refusal. */
	sendsMessage?: boolean;
	/** Called each time that the request goes out. */
	onSend?: () => void;
	/** Asked each time before the request goes out: then it does not, and fails with an OutdatedError. */
	isOutdated?: () => boolean;
	/** Waits out refusals for an hour and outages for ten minutes, and goes on for a minute after Stop. */
	isPersistent?: boolean;
}

/** What the requests of one run have cost. */
export interface Usage {
	/** Requests sent, also those that failed. */
	requests: number;
	/** How long all of the run stood still for the rate limit, or before another try. */
	waitedMs: number;
}

/**
 * The service, as one run, poll, delivery, publishing or list of choices uses it. The credential is decrypted
 * once: outside of executions n8n takes some 40 ms for it.
 *
 * @param stop after it, nothing more is sent; by default, it aborts when the execution is stopped
 * @throws InputProblem if the credential's base URL or key cannot be used
 */
export async function openService(
	context: RequestContext,
	runtime: Runtime,
	waitLimits: WaitLimits,
	stop: AbortSignal | undefined = stopSignal(context),
) {
	const fields = await context.getCredentials(CREDENTIAL_TYPE);
	const apiKey = readApiKey(fields.apiKey);
	const baseUrl = readBaseUrl(fields.baseUrl);
	const accountId = accountIdOf(baseUrl, apiKey);
	const { clock } = runtime;
	const stopAfterGrace = stop && afterGrace(stop, clock);
	const ids = { id: CREDENTIAL_TYPE, name: CREDENTIAL_TYPE, type: CREDENTIAL_TYPE };
	const usage: Usage = { requests: 0, waitedMs: 0 };
	return {
		baseUrl,
		/** Stands for the base URL and the API key, and is the same for all nodes that use both. */
		accountId,
		fields,
		clock,
		rateLimiter: rateLimiterOf(runtime, accountId),
		waitLimits,
		/** Aborts when the user stops the execution. */
		stop,
		/** Aborts a minute later. */
		stopAfterGrace,
		usage,
		/** How many requests of the run wait now, and since when. */
		waits: { count: 0, sinceMs: 0 },
		/** Replaces the API key in a text. */
		hideKey: keyHider(apiKey),
		/** What to send a request with that begins now. */
		begin: timeLimits(context, clock, stop),
		/** The same for one that gets its answer if the execution is stopped meanwhile. */
		beginOutliving: timeLimits(context, clock, stopAfterGrace),
		/** A copy for each request, because n8n assigns into it. */
		credential: (): ICredentialsDecrypted => ({ ...ids, data: { ...fields } }),
	};
}

export type Service = Awaited<ReturnType<typeof openService>>;

/** Under which a key of a service is known. The key itself is not kept. */
function accountIdOf(baseUrl: string, apiKey: string): string {
	return createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
}

/** Aborts when the user stops the execution. */
function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** How long what has begun may go on after Stop. */
const GRACE_MS = 60_000;

function afterGrace(stop: AbortSignal, clock: Clock): AbortSignal {
	const grace = new AbortController();
	const end = () => grace.abort(stop.reason);
	const begin = () => clock.signalAfter(GRACE_MS).addEventListener('abort', end);
	stop.addEventListener('abort', begin, { once: true });
	return grace.signal;
}

/** How long a request may take in all, so that an answer that never ends holds nobody up. */
export const REQUEST_LIMIT_MS = 60_000;

/** Requests that begin within so long share the limit of the first, because each takes a timer. */
const SHARED_LIMIT_MS = 1_000;

/** Gives the limits of a request that begins now; `limit` aborts after a minute. */
function timeLimits(context: RequestContext, clock: Clock, stop?: AbortSignal) {
	const limitsFromNow = () => {
		const limit = clock.signalAfter(REQUEST_LIMIT_MS);
		const abortSignal = AbortSignal.any(stop ? [stop, limit] : [limit]);
		return { context: withSignal(context, abortSignal), abortSignal, limit };
	};
	let shared: ReturnType<typeof limitsFromNow> | undefined;
	let sharedSinceMs = 0;
	return () => {
		const nowMs = clock.elapsedMs();
		const isCurrent = nowMs - sharedSinceMs < SHARED_LIMIT_MS && !shared?.limit.aborted;
		if (shared && isCurrent) return shared;
		sharedSinceMs = nowMs;
		return (shared = limitsFromNow());
	};
}
