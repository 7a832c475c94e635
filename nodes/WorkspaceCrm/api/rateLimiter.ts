import { MAX_SLEEP_MS, type Clock } from '../n8n/clock';
import { FairQueue } from './fairQueue';

/** `limit` requests in each `windowMs`. */
export interface RateRule {
	limit: number;
	windowMs: number;
}

/** "120 requests per minute per API key" (API reference, limits). */
export const REFERENCE_RULE: RateRule = { limit: 120, windowMs: 60_000 };

/** A bucket has a token again within this time; a longer wait is for a window. */
const LONGEST_TOKEN_WAIT_MS = 2_500;
/** `Retry-After` is rounded up to whole seconds. */
const ROUNDING_MS = 1_000;
/** The longest pause that a service can impose; then one request tries again. */
const MAX_PAUSE_MS = 60 * 60_000;

/** Just below the full rate, so that rounding errors never put us ahead of a bucket of the service. */
const FULL_SHARE = 0.99999;
/** What a refusal leaves of the rate when others use the key. */
const BACKOFF = 0.7;
/** How much of the full rate comes back in a second. */
const RECOVERY_PER_S = 0.015;

/** How long one request may wait for the rate limit. */
export interface WaitLimits {
	/** In the queue, behind others who use the key. */
	maxQueueWaitMs: number;
	/** In all, after the service has refused it, or another request with the key. */
	maxRefusalWaitMs: number;
}

/** Lets one request start. The caller reports how the request ended, by one of the methods. */
export interface Permit {
	/** The service took it, or may have: it counts. */
	release(): void;
	/** The rate limit refused it (429) and asked for a wait: it does not count. */
	refuse(delayMs: number): void;
	/** It never reached the service: it does not count. */
	cancel(): void;
}

/** Why a request may not start: the queue is too long, or the service refuses all requests. */
export type Rejection = { rejected: 'queue' } | { rejected: 'pause'; pauseMs: number };

/**
 * Limits the rate of all requests of this process that use one API key: a bucket of 120 tokens, to which
 * two come back each second. The service may count in another way, and other processes may use the key,
 * so each refusal (429) pauses all requests for as long as it asks, and corrects when tokens come back.
 */
export class RateLimiter {
	private readonly queue = new FairQueue();
	/** When each token of the bucket has come back, or will, in order. */
	private tokensAtMs: number[];
	/** Of the full rate, right after the last refusal; others use the rest. */
	private share = FULL_SHARE;
	private inFlight = 0;
	/** When the last requests that passed will be `windowMs` old, so that a window has room again. */
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
	 * @param user who sends it, such as one execution; users take turns
	 * @param signal of the execution; when it is stopped, so is the waiting
	 * @returns a rejection if it would wait longer than the limits allow
	 * @throws the signal's reason if the execution was stopped
	 */
	async acquire(
		user: object,
		signal?: AbortSignal,
		{ maxQueueWaitMs = Infinity, maxRefusalWaitMs = Infinity }: Partial<WaitLimits> = {},
		isUrgent = false,
	): Promise<Permit | Rejection> {
		const untilMs = this.clock.elapsedMs() + maxQueueWaitMs;
		const waiter = this.queue.join(user, isUrgent);
		const wake = () => waiter.wake();
		// Node.js warns about more than ten listeners of one signal.
		const stopped = signal && AbortSignal.any([signal]);
		stopped?.addEventListener('abort', wake);
		try {
			for (;;) {
				signal?.throwIfAborted();
				const nowMs = this.clock.elapsedMs();
				const pauseMs = this.pausedUntilMs - nowMs;
				if (pauseMs > maxRefusalWaitMs) return { rejected: 'pause', pauseMs };
				// Only the first in the queue looks at the clock; the others are woken when they are first.
				const waitMs = this.queue.first() === waiter ? this.waitMs(nowMs) : Infinity;
				if (waitMs <= 0) return this.start(nowMs);
				const leftMs = untilMs - nowMs;
				if (leftMs <= 0) return { rejected: 'queue' };
				const woken = new Promise<void>((resolve) => (waiter.wake = resolve));
				const sleepMs = Math.ceil(Math.min(waitMs, leftMs));
				await (sleepMs < Infinity ? Promise.race([woken, this.clock.sleep(sleepMs)]) : woken);
			}
		} finally {
			stopped?.removeEventListener('abort', wake);
			this.queue.leave(waiter);
		}
	}

	/** In how long the first in the queue may start, or looks again. */
	private waitMs(nowMs: number): number {
		const [tokenAtMs = nowMs, nextAtMs = Infinity] = this.tokensAtMs;
		// The service may have fewer: one request finds out by the last token, and not all in flight.
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

	/** Adds the token that comes back after all others, and after `fromMs`. */
	private addToken(fromMs: number): void {
		const { limit, windowMs } = this.rule;
		const lastMs = Math.max(fromMs, this.tokensAtMs.at(-1) ?? fromMs);
		this.tokensAtMs.push(lastMs + windowMs / (limit * this.shareAt(lastMs)));
	}

	private shareAt(atMs: number): number {
		return Math.min(FULL_SHARE, this.share + (RECOVERY_PER_S * (atMs - this.refusedAtMs)) / 1_000);
	}

	/** The service refused a request, and takes the next one at `freeAtMs`. */
	private pause(startMs: number, nowMs: number, freeAtMs: number): void {
		if (freeAtMs > this.pausedUntilMs + ROUNDING_MS) this.pausedUntilMs = freeAtMs;
		// One that started before another was refused shows nothing new.
		if (startMs <= this.refusedAtMs) return;
		this.share = this.shareAt(nowMs);
		this.refusedAtMs = nowMs;
		this.roomAtMs = this.roomAtMs.filter((ms) => ms > nowMs);
		const [roomAtMs] = this.roomAtMs;
		// Others have used the limit up, which shows nothing about it.
		if (roomAtMs === undefined) return;
		const isWindow = freeAtMs - nowMs > LONGEST_TOKEN_WAIT_MS;
		if (isWindow && roomAtMs <= freeAtMs && roomAtMs > freeAtMs - ROUNDING_MS) {
			// It counts the requests of any minute, and takes one as soon as our first is that old.
			this.pausedUntilMs = roomAtMs;
			this.tokensAtMs = [...this.roomAtMs];
		} else {
			// Its windows begin at times of its own, or others take tokens from its bucket.
			if (!isWindow && (this.tokensAtMs[0] ?? 0) > nowMs) this.share *= BACKOFF;
			this.tokensAtMs = Array<number>(isWindow ? this.roomAtMs.length : 1).fill(freeAtMs);
			this.roomAtMs = [];
		}
		while (this.tokensAtMs.length < this.rule.limit) this.addToken(freeAtMs);
	}
}
