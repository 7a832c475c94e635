import type { IHttpRequestMethods } from 'n8n-workflow';

/** What came of one try of a request that did not succeed. */
export type Failure =
	/** The service (or a proxy) answered with an HTTP status that is no success. */
	| { kind: 'status'; status: number; retryAfterMs?: number; body: unknown }
	/** It answered with success, but with something that is not read. */
	| { kind: 'unreadable'; status: number; content: 'page' | 'text' | 'broken' | 'large' | 'deep' }
	/** No connection could be made, so nothing was sent. */
	| { kind: 'unreachable'; reason: string }
	/** The connection broke, or no answer came in time: the request may have taken effect. */
	| { kind: 'broken' | 'timeout'; reason: string }
	/** The rate limit was used up by others for so long that the request was not sent. */
	| { kind: 'queueTooLong' }
	/** n8n itself did not send the request. */
	| { kind: 'notSent'; reason: string };

/** Whether a failed request may still have taken effect on the service. */
export function isUnclear(failure: Failure): boolean {
	if (failure.kind === 'status') return failure.status >= 500 || failure.status === 408;
	return ['unreadable', 'broken', 'timeout'].includes(failure.kind);
}

/** Whether the rate limit refused a request, which proves that it did nothing. */
export function isRefusal(
	failure: Failure | undefined,
): failure is Extract<Failure, { kind: 'status' }> & { status: 429 } {
	return failure?.kind === 'status' && failure.status === 429;
}

/**
 * What an operation does to the service, which decides what is tried again:
 * - `read`: changes nothing.
 * - `idempotent`: running it twice leaves the same as running it once.
 * - `once`: running it twice does harm, such as a second message.
 */
export type Effect = 'read' | 'idempotent' | 'once';

/** Whether repeating a request of an operation does no harm: all but the POST of one that is `once`. */
export function isRepeatable(method: IHttpRequestMethods, effect: Effect): boolean {
	return method !== 'POST' || effect !== 'once';
}

/** Where a request stands when its next step is decided. */
export interface RetryState {
	/** Whether repeating the request does no harm. */
	repeatable: boolean;
	/** Failed tries so far that were not refusals by the rate limit, this one included. */
	failedTries: number;
	/** Refusals by the rate limit so far, this one included. */
	refusals: number;
	/** How long this request has waited for the rate limit already. */
	refusalWaitMs: number;
	/** How long one request may wait for the rate limit in all. */
	maxRefusalWaitMs: number;
	/** From 0 up to 1, not included. */
	random: number;
}

const MAX_TRIES = 3;
const FIRST_WAIT_MS = 1_000;
const MIN_REFUSAL_WAIT_MS = 1_000;
const DEFAULT_REFUSAL_WAIT_MS = 5_000;
const MAX_DEFAULT_REFUSAL_WAIT_MS = 60_000;

/**
 * How long to wait before a failed request is sent again, or undefined to give up.
 *
 * A refusal by the rate limit (429) proves that nothing happened, so it is repeated for any
 * request, as long as the waiting stays within its allowance; and so does a connection that could
 * not be made. Anything unclear is repeated only where repeating does no harm.
 *
 * @see API reference, errors and limits
 */
export function retryDelayMs(failure: Failure, state: RetryState): number | undefined {
	if (isRefusal(failure)) {
		const delayMs = refusalDelayMs(failure.retryAfterMs, state.refusals);
		return state.refusalWaitMs + delayMs <= state.maxRefusalWaitMs ? delayMs : undefined;
	}
	const mayRepeat =
		failure.kind === 'unreachable' ||
		(state.repeatable && isUnclear(failure) && failure.kind !== 'unreadable');
	if (!mayRepeat || state.failedTries >= MAX_TRIES) return undefined;

	// Between a half and the whole of 1, then 2 seconds, so that many clients do not return at once.
	const fullMs = FIRST_WAIT_MS * 2 ** (state.failedTries - 1);
	const backoffMs = fullMs * (0.5 + state.random / 2);
	const askedMs = failure.kind === 'status' ? (failure.retryAfterMs ?? 0) : 0;
	return askedMs <= state.maxRefusalWaitMs ? Math.max(backoffMs, askedMs) : undefined;
}

/** How long a refusal asks us to wait: what the service says, else longer each time. */
export function refusalDelayMs(retryAfterMs: number | undefined, refusals: number): number {
	if (retryAfterMs !== undefined) return Math.max(retryAfterMs, MIN_REFUSAL_WAIT_MS);
	return Math.min(DEFAULT_REFUSAL_WAIT_MS * 2 ** (refusals - 1), MAX_DEFAULT_REFUSAL_WAIT_MS);
}

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 *
 * @param dateHeader the answer's own `Date`: measuring from it keeps a wrong clock here harmless
 * @returns milliseconds from now, never negative; undefined when the header is missing or unreadable
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function readRetryAfterMs(
	retryAfter: unknown,
	dateHeader: unknown,
	nowMs: number,
): number | undefined {
	const text = typeof retryAfter === 'number' ? String(retryAfter) : retryAfter;
	if (typeof text !== 'string') return undefined;
	if (/^\s*\d{1,12}(\.\d+)?\s*$/.test(text)) return Number(text) * 1_000;

	const untilMs = parseHttpDate(text);
	if (untilMs === undefined) return undefined;
	return Math.max(0, untilMs - (parseHttpDate(dateHeader) ?? nowMs));
}

/** Only what has the form of one, because `Date.parse` finds a date in almost any text: "in 5". */
function parseHttpDate(value: unknown): number | undefined {
	if (typeof value !== 'string' || !/^[A-Z][a-z]+, .+ GMT$/.test(value)) return undefined;
	const ms = Date.parse(value);
	return Number.isNaN(ms) ? undefined : ms;
}
