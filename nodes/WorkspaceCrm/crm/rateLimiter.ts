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

/** A token bucket asks for at most this wait; a longer one means a window. */
const LONGEST_TOKEN_WAIT_MS = 2_500;
/** `Retry-After` is rounded up to whole seconds. */
const ROUNDING_MS = 1_000;

/** Just below the full rate, so that rounding errors never put us ahead of the service's bucket. */
const FULL_SHARE = 0.99999;
/** A refusal multiplies the rate by this if others use the key. */
const BACKOFF = 0.7;
/** The share of the full rate that is restored each second. */
const RECOVERY_PER_S = 0.015;

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
 * Limits the rate of all requests in this process that use one API key: a bucket of 120 tokens, refilled
 * by two a second. The service may count differently, and other processes may use the key. So each
 * refusal (429) pauses all requests for `Retry-After`, and corrects the refill times.
 */
export class RateLimiter {
	private readonly queue = new FairQueue();
	/** When each token of the bucket was or will be refilled, in order; by `Clock.elapsedMs`. */
	private tokensAtMs: number[];
	/** Our share of the full rate right after the last refusal; others use the rest. */
	private share = FULL_SHARE;
	private inFlight = 0;
	/** When each of the last accepted requests will be `windowMs` old, so that a sliding window has room again. */
	private roomAtMs: number[] = [];
	private pausedUntilMs = -Infinity;
	private refusedAtMs = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly rule = REFERENCE_RULE,
	) {
		this.tokensAtMs = Array<number>(rule.limit).fill(-Infinity);
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
		const [tokenAtMs = nowMs, nextAtMs = Infinity] = this.tokensAtMs;
		// The service may have fewer tokens: send only one request on the last token, so that only one is
		// refused.
		if (nextAtMs - nowMs > MAX_SLEEP_MS && this.inFlight > 0) return MAX_SLEEP_MS;
		return Math.min(Math.max(this.pausedUntilMs, tokenAtMs) - nowMs, MAX_SLEEP_MS);
	}

	private start(startMs: number): Permit {
		const { limit, windowMs } = this.rule;
		this.tokensAtMs.shift();
		this.addToken(startMs);
		this.inFlight += 1;
		const end = (learn: (nowMs: number) => void) => {
			this.inFlight -= 1;
			learn(this.clock.elapsedMs());
			this.queue.first()?.wake();
		};
		return {
			release: () =>
				end((nowMs) => (this.roomAtMs = [...this.roomAtMs, nowMs + windowMs].slice(-limit))),
			refuse: (delayMs) =>
				end((nowMs) => this.pause(startMs, nowMs, nowMs + Math.min(delayMs, MAX_PAUSE_MS))),
			cancel: () => end(() => (this.tokensAtMs = [startMs, ...this.tokensAtMs.slice(0, -1)])),
		};
	}

	/** Schedules one more token: after all others, and after `fromMs`. */
	private addToken(fromMs: number): void {
		const { limit, windowMs } = this.rule;
		const lastMs = Math.max(fromMs, this.tokensAtMs.at(-1) ?? fromMs);
		this.tokensAtMs.push(lastMs + windowMs / (limit * this.shareAt(lastMs)));
	}

	private shareAt(atMs: number): number {
		return Math.min(FULL_SHARE, this.share + (RECOVERY_PER_S * (atMs - this.refusedAtMs)) / 1_000);
	}

	/** Handles a refusal: the service accepts the next request at `freeAtMs`. */
	private pause(startMs: number, nowMs: number, freeAtMs: number): void {
		if (freeAtMs > this.pausedUntilMs + ROUNDING_MS) this.pausedUntilMs = freeAtMs;
		// A request that started before an earlier refusal adds no information.
		if (startMs <= this.refusedAtMs) return;
		this.share = this.shareAt(nowMs);
		this.refusedAtMs = nowMs;
		this.roomAtMs = this.roomAtMs.filter((ms) => ms > nowMs);
		const [roomAtMs] = this.roomAtMs;
		// Only others used the limit, so the refusal says nothing about how the service counts ours.
		if (roomAtMs === undefined) return;
		const isWindow = freeAtMs - nowMs > LONGEST_TOKEN_WAIT_MS;
		if (isWindow && roomAtMs <= freeAtMs && roomAtMs > freeAtMs - ROUNDING_MS) {
			// A sliding window: it has room as soon as our oldest request is a minute old.
			this.pausedUntilMs = roomAtMs;
			this.tokensAtMs = [...this.roomAtMs];
		} else {
			// Fixed windows, or a bucket from which others take tokens.
			if (!isWindow && (this.tokensAtMs[0] ?? 0) > nowMs) this.share *= BACKOFF;
			this.tokensAtMs = Array<number>(isWindow ? this.roomAtMs.length : 1).fill(freeAtMs);
			this.roomAtMs = [];
		}
		while (this.tokensAtMs.length < this.rule.limit) this.addToken(freeAtMs);
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
