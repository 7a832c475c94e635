import { several } from '../domain/text';
import { MAX_PAUSE_MS } from '../domain/timeLimits';
import { MAX_SLEEP_MS, type Clock } from './clock';

/** `limit` requests in each `windowMs`. */
export interface RateRule {
	limit: number;
	windowMs: number;
}

/** "120 requests per minute per API key" (API reference, limits). */
export const REFERENCE_RULE: RateRule = { limit: 120, windowMs: 60_000 };

/** How long requests take by that rule, in words. */
export function timeFor(requests: number): string {
	const { limit } = REFERENCE_RULE;
	const minutes = `about ${several(Math.ceil(requests / limit), 'minute')}`;
	return `${requests <= limit ? 'less than a minute' : minutes}, at ${limit} requests a minute`;
}

/** A bucket asks for at most this wait. After a longer one, the service counts from the beginning. */
const LONGEST_TOKEN_WAIT_MS = 2_500;

/** Just below the full rate, so that rounding errors never put us ahead of the service's bucket. */
const SHARE = 0.99999;

/** Lets one request start. The caller reports how the request ended, by one of the methods. */
export interface Permit {
	/** The service received it, or may have: it counts. */
	release(): void;
	/** The rate limit refused it (429) and asked for a wait: it does not count. */
	refuse(delayMs: number): void;
	/** It never reached the service: it does not count. */
	cancel(): void;
}

/**
 * Limits the rate of all requests in this process that use one API key: a bucket of 120 tokens, refilled by two a
 * second. The service may count differently, and other processes may use the key. So each refusal (429) pauses all
 * requests for `Retry-After`.
 */
export class RateLimiter {
	private readonly queue = new FairQueue();
	/** How many tokens the bucket holds at a time, by `Clock.elapsedMs`, which is later than now in a pause. */
	private bucket: { tokens: number; atMs: number };
	private inFlight = 0;
	private pausedUntilMs = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly rule = REFERENCE_RULE,
	) {
		this.bucket = { tokens: rule.limit, atMs: clock.elapsedMs() };
	}

	/**
	 * Waits until a request may start. An urgent one goes before the others of the same user.
	 *
	 * @param user the sender, such as one execution; users take turns
	 * @param signal ends the wait when the execution is stopped
	 * @param maxWaitMs the longest pause that it accepts; the queue may take any time
	 * @returns how long the service refuses all requests, if that is longer
	 * @throws the signal's reason if the execution was stopped
	 */
	async acquire(
		user: object,
		signal?: AbortSignal,
		maxWaitMs = Infinity,
		isUrgent = false,
	): Promise<Permit | { pauseMs: number }> {
		const waiter = this.queue.join(user, isUrgent);
		const wake = () => waiter.wake();
		let stopped: AbortSignal | undefined;
		try {
			for (;;) {
				signal?.throwIfAborted();
				const nowMs = this.clock.elapsedMs();
				const pauseMs = this.pausedUntilMs - nowMs;
				if (pauseMs > maxWaitMs) return { pauseMs };
				// Only the first in the queue watches the clock; the others are woken when their turn comes.
				const waitMs = this.queue.first() === waiter ? this.waitMs(nowMs) : Infinity;
				if (waitMs <= 0) return this.start(nowMs);
				if (signal && !stopped) {
					// Node.js warns about more than ten listeners of one signal.
					stopped = AbortSignal.any([signal]);
					stopped.addEventListener('abort', wake);
				}
				const woken = new Promise<void>((resolve) => (waiter.wake = resolve));
				const slept = waitMs < Infinity ? [this.clock.sleep(Math.ceil(waitMs))] : [];
				await Promise.race([woken, ...slept]);
			}
		} finally {
			stopped?.removeEventListener('abort', wake);
			this.queue.leave(waiter);
		}
	}

	/** How long the first in the queue waits before it starts or checks again. */
	private waitMs(nowMs: number): number {
		const tokens = this.tokensAt(nowMs);
		// The service may have fewer tokens: only one request goes on the last token, so that only one is refused.
		if (tokens < 2 && this.inFlight > 0) return MAX_SLEEP_MS;
		const tokenMs = (1 - tokens) * this.msPerToken;
		return Math.min(Math.max(this.pausedUntilMs - nowMs, tokenMs), MAX_SLEEP_MS);
	}

	private get msPerToken(): number {
		return this.rule.windowMs / (this.rule.limit * SHARE);
	}

	private tokensAt(nowMs: number): number {
		const { tokens, atMs } = this.bucket;
		const added = Math.max(0, nowMs - atMs) / this.msPerToken;
		return Math.min(tokens + added, this.rule.limit);
	}

	private start(startMs: number): Permit {
		this.bucket = { tokens: this.tokensAt(startMs) - 1, atMs: startMs };
		this.inFlight += 1;
		const end = () => {
			this.inFlight -= 1;
			this.queue.first()?.wake();
		};
		return {
			release: end,
			refuse: (delayMs) => {
				this.pause(Math.min(delayMs, MAX_PAUSE_MS));
				end();
			},
			cancel: () => {
				this.bucket.tokens += 1;
				end();
			},
		};
	}

	/** Sends nothing until the service accepts requests again: all that it allows, or as the bucket is refilled. */
	private pause(delayMs: number): void {
		const { limit } = this.rule;
		const freeAtMs = this.clock.elapsedMs() + delayMs;
		if (freeAtMs <= this.pausedUntilMs) return;
		this.pausedUntilMs = freeAtMs;
		this.bucket = { tokens: delayMs > LONGEST_TOKEN_WAIT_MS ? limit : 1, atMs: freeAtMs };
	}
}

/** A request that waits for its turn. */
interface Waiter {
	readonly user: object;
	/** Goes before the user's other requests. */
	readonly isUrgent: boolean;
	/** Makes it check again whether it may start. */
	wake: () => void;
}

/**
 * A queue in which users take turns, so that short runs are interleaved with long ones. Requests of one
 * user keep their order, urgent ones first.
 */
class FairQueue {
	/** Each user's requests. The user whose turn is next comes first. */
	private readonly waiters = new Map<object, Waiter[]>();

	join(user: object, isUrgent: boolean): Waiter {
		const waiter = { user, isUrgent, wake: () => {} };
		const own = this.waiters.get(user) ?? [];
		const behind = isUrgent ? own.findIndex((other) => !other.isUrgent) : -1;
		own.splice(behind < 0 ? own.length : behind, 0, waiter);
		this.waiters.set(user, own);
		return waiter;
	}

	first(): Waiter | undefined {
		const [own] = this.waiters.values();
		return own?.[0];
	}

	/** Removes a request and passes the turn to the next user. */
	leave(waiter: Waiter): void {
		const own = this.waiters.get(waiter.user) ?? [];
		own.splice(own.indexOf(waiter), 1);
		this.waiters.delete(waiter.user);
		if (own.length > 0) this.waiters.set(waiter.user, own);
		this.first()?.wake();
	}
}
