import { createHash } from 'node:crypto';
import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { JsonObject } from '../domain/json';
import { withSignal } from '../n8n/runs';
import { keyHider, readApiKey } from './apiKey';
import type { Clock } from './clock';
import type { Call } from './endpoints';
import type { ErrorTexts } from './errors';
import { rateLimiterOf, type Runtime } from './runtime';
import { readBaseUrl } from './urls';

export const CREDENTIAL_TYPE = 'workspaceCrmApi';

/** The n8n contexts that can make requests. */
export type RequestContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| IWebhookFunctions;

/** What a request sends beside its endpoint, and how. */
export interface SendOptions extends ErrorTexts {
	query?: Record<string, string | number>;
	body?: JsonObject;
	/** Whether an earlier run of the node may have done it already; then 404 on DELETE counts as success. */
	mayBeDone?: boolean;
	/** Called before each try. */
	onSend?: () => void;
	/** Called before each try. If it returns true, the request is not sent and fails with an OutdatedError. */
	isOutdated?: () => boolean;
	/** Whether to retry through refusals for an hour and outages for ten minutes, and for a minute after Stop. */
	isPersistent?: boolean;
}

export type CrmRequest = Call & SendOptions;

/**
 * Opens the service for one run, poll, delivery, publishing or drop-down. It decrypts the credential
 * once, because n8n takes some 40 ms for it outside of executions.
 *
 * @param maxWaitMs how long a request may wait after refusals (429)
 * @param stop once it aborts, nothing more is sent; by default, the execution's own signal
 * @throws InputProblem if the credential's base URL or key cannot be used
 */
export async function openService(
	context: RequestContext,
	runtime: Runtime,
	maxWaitMs: number,
	stop: AbortSignal | undefined = stopSignal(context),
) {
	const fields = await context.getCredentials(CREDENTIAL_TYPE);
	const apiKey = readApiKey(fields.apiKey);
	const baseUrl = readBaseUrl(fields.baseUrl);
	// A hash, so that the key itself is not kept.
	const accountId = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const { clock } = runtime;
	const stopAfterGrace = stop && afterGrace(stop, clock);
	const ids = { id: CREDENTIAL_TYPE, name: CREDENTIAL_TYPE, type: CREDENTIAL_TYPE };
	return {
		baseUrl,
		/** A hash of the base URL and the API key, so equal for all nodes that use both. */
		accountId,
		fields,
		clock,
		rateLimiter: rateLimiterOf(runtime, accountId),
		maxWaitMs,
		/** Aborts when the user stops the execution. */
		stop,
		/** Aborts a minute later. */
		stopAfterGrace,
		/** How many requests the run has sent, including failed tries. */
		requestCount: 0,
		/** Replaces the API key in a text. */
		hideKey: keyHider(apiKey),
		/** Returns the context and signals for a request that begins now. */
		begin: timeLimits(context, clock, stop),
		/** The same for a request that gets its answer even if the execution is stopped. */
		beginOutliving: timeLimits(context, clock, stopAfterGrace),
		/** A copy for each request, because n8n assigns into it. */
		credential: (): ICredentialsDecrypted => ({ ...ids, data: { ...fields } }),
	};
}

export type Service = Awaited<ReturnType<typeof openService>>;

/** Aborts when the user stops the execution. */
function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** How long requests under way may continue after Stop. */
const GRACE_MS = 60_000;

function afterGrace(stop: AbortSignal, clock: Clock): AbortSignal {
	const grace = new AbortController();
	const end = () => grace.abort(stop.reason);
	const begin = () => clock.signalAfter(GRACE_MS).addEventListener('abort', end);
	stop.addEventListener('abort', begin, { once: true });
	return grace.signal;
}

/** The time limit of a request, including its body: some answers never end. */
export const REQUEST_LIMIT_MS = 60_000;

/** Requests that begin within this time share one timer. */
const SHARED_LIMIT_MS = 1_000;

/** Returns a function that creates the signals of a request; `limit` aborts after a minute. */
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
