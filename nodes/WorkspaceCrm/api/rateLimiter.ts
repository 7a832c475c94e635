import { MAX_SLEEP_MS, type Clock } from '../n8n/clock';
import { FairQueue } from './fairQueue';
import { BucketRule, isAtUsualLimit, REFERENCE_RULE, WindowRule, type Slot } from './rateRule';

/** A shorter wait is that of a bucket, which fills drop by drop; a longer one ends a window. */
const SHORT_WAIT_MS = 2_500;

/** After so long, a request has got to the service, even if its answer is still to come. */
const ARRIVAL_MS = 250;

/** From a refusal to the next probe for a larger window; each refused probe doubles it, up to 8 times. */
const PROBE_MS = 60_000;

/** The longest wait that a service can impose; then it is tried again. */
const MAX_PAUSE_MS = 60 * 60_000;

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
	/** It never reached the service: it does not count, and nothing is learned. */
	cancel(): void;
}

/** Why a request may not start: the queue is too long, or the service refuses all requests. */
export type Rejection = { rejected: 'queue' } | { rejected: 'pause'; pauseMs: number };

/**
 * Limits the rate of all requests of this process that use one API key.
 *
 * The API reference gives a rate, and does not say how the service counts. Most count in a window, or
 * take tokens from a bucket. Both let the first 120 requests through; then a window is full for the
 * rest of its minute, while a bucket gives two more each second. One request alone, a *probe*, shows
 * which it is. From then on requests start by that rule. Each refusal corrects it, by the wait that
 * the service asks for, and later probes find out whether the service allows more again.
 *
 * After any refusal, all requests with the key pause for as long as the service asks.
 */
export class RateLimiter {
	private readonly queue = new FairQueue();
	/** Those of the last window of the reference, in the order of their start. */
	private slots: Slot[] = [];
	private readonly window: WindowRule;
	private readonly bucket: BucketRule;
	/** The rule that the service goes by. As long as that is unknown, the window's holds, being stricter. */
	private kind: 'unknown' | 'window' | 'bucket' = 'unknown';
	/** The most tokens that a bucket lacked when the service let a request through. */
	private proven = 0;

	private pausedUntilMs = -Infinity;
	/** Requests that started before the last refusal taught something teach nothing more. */
	private learnedAtMs = -Infinity;

	private nextProbeAtMs = -Infinity;
	private probeEveryMs = PROBE_MS;
	/** How much more the next probe allows, if the service lets it through. */
	private step = 1;

	constructor(
		private readonly clock: Clock,
		private readonly reference = REFERENCE_RULE,
	) {
		this.window = new WindowRule(reference);
		this.bucket = new BucketRule(reference);
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
		signal?.addEventListener('abort', wake);
		try {
			for (;;) {
				signal?.throwIfAborted();
				const nowMs = this.clock.elapsedMs();
				const pauseMs = this.pausedUntilMs - nowMs;
				if (pauseMs > maxRefusalWaitMs) return { rejected: 'pause', pauseMs };
				const isFirst = this.queue.first() === waiter;
				const waitMs = isFirst ? Math.max(pauseMs, this.waitMs(nowMs)) : Infinity;
				if (waitMs <= 0) {
					this.queue.serve(waiter);
					return this.start(nowMs);
				}
				const leftMs = untilMs - nowMs;
				if (leftMs <= 0) return { rejected: 'queue' };
				// Only the first in the queue looks at the clock; the others are woken when they are first.
				const sleepMs = isFirst ? Math.min(waitMs, leftMs, MAX_SLEEP_MS) : leftMs;
				await Promise.race([
					new Promise<void>((resolve) => (waiter.wake = resolve)),
					...(sleepMs < Infinity ? [this.clock.sleep(Math.ceil(sleepMs))] : []),
				]);
			}
		} finally {
			signal?.removeEventListener('abort', wake);
			this.queue.leave(waiter);
		}
	}

	/** In how long the next request may start: by the rule, or before as a probe. */
	private waitMs(nowMs: number): number {
		const ruleMs = this.ruleMs(nowMs);
		if (ruleMs <= 0 && !this.mayBeFull(nowMs)) return 0;
		const inFlight = this.slots.filter(({ endMs }) => endMs === Infinity);
		if (ruleMs <= 0) {
			return Math.max(0, ...inFlight.map(({ startMs }) => startMs + ARRIVAL_MS - nowMs));
		}
		// A probe goes alone: its answer must not be due to another request, or to a slot that is free.
		const couldTell = this.kind === 'bucket' || this.window.isSurelyFull(this.slots, nowMs);
		const isRight = this.kind === 'window' && this.window.isWhole;
		if (isRight || !couldTell || inFlight.length > 0) return ruleMs;
		// The first one goes as soon as a bucket would have a token.
		const tokenMs = this.kind === 'unknown' ? this.bucket.waitMs(nowMs) : 0;
		return Math.min(ruleMs, Math.max(tokenMs, this.nextProbeAtMs - nowMs));
	}

	private ruleMs(nowMs: number): number {
		if (this.kind === 'bucket') return this.bucket.waitMs(nowMs);
		return this.window.waitMs(this.slots, nowMs);
	}

	/** Whether the service may refuse from here on. One request finds out, and not all in flight. */
	private mayBeFull(nowMs: number): boolean {
		if (this.kind !== 'unknown') return false;
		const held = this.window.held(this.slots, nowMs).length;
		const counts = [held, Math.ceil(this.bucket.missing(nowMs))];
		return counts.some((count) => isAtUsualLimit(count, this.proven));
	}

	private start(startMs: number): Permit {
		const slot: Slot = { startMs, endMs: Infinity };
		const isProbe = this.ruleMs(startMs) > 0;
		this.bucket.take(startMs);
		const missing = this.bucket.missing(startMs);
		this.slots = this.slots.filter(({ endMs }) => endMs + this.reference.windowMs > startMs);
		this.slots.push(slot);

		const isNews = () => startMs > this.learnedAtMs;
		const end = (act: (nowMs: number) => void) => {
			act(this.clock.elapsedMs());
			this.queue.first()?.wake();
		};
		const remove = (nowMs: number) => {
			this.slots = this.slots.filter((other) => other !== slot);
			if (isNews()) this.bucket.add(1, nowMs);
		};
		return {
			release: () =>
				end((nowMs) => {
					slot.endMs = nowMs;
					this.proven = Math.max(this.proven, missing);
					if (isProbe) this.ease(nowMs);
				}),
			refuse: (delayMs) =>
				end((nowMs) => {
					remove(nowMs);
					const freeAtMs = nowMs + Math.min(delayMs, MAX_PAUSE_MS);
					this.pausedUntilMs = Math.max(this.pausedUntilMs, freeAtMs);
					if (isNews()) this.learn(freeAtMs, nowMs, isProbe);
				}),
			cancel: () => end(remove),
		};
	}

	/** The service let a probe through: it counts in another way, or allows more. */
	private ease(nowMs: number): void {
		if (this.kind !== 'bucket' && this.window.isWhole) {
			this.kind = 'bucket';
		} else {
			if (this.kind === 'bucket') this.bucket.add(this.step, nowMs);
			else this.window.grow(this.step);
			this.step *= 2;
		}
		// Not more than the reference allows beyond what is known.
		this.nextProbeAtMs = this.step < this.reference.limit ? nowMs : Infinity;
		this.probeEveryMs = PROBE_MS;
	}

	/** The service refused a request, and allows one at `freeAtMs`. */
	private learn(freeAtMs: number, nowMs: number, isProbe: boolean): void {
		const wasUnknown = this.kind === 'unknown';
		if (freeAtMs - nowMs >= SHORT_WAIT_MS) this.kind = 'window';
		// After a slow answer, a window may have ended as well.
		else if (wasUnknown && this.window.isSurelyFull(this.slots, nowMs)) this.kind = 'bucket';

		if (isProbe) this.probeEveryMs = Math.min(2 * this.probeEveryMs, 8 * PROBE_MS);
		if (this.kind !== 'bucket') {
			this.window.learn(this.slots, freeAtMs, nowMs);
			this.nextProbeAtMs = this.kind === 'unknown' ? freeAtMs : nowMs + this.probeEveryMs;
		} else {
			this.bucket.learn(this.slots, freeAtMs, nowMs);
			// It may have been the end of a window. Later the rate recovers without probes.
			this.nextProbeAtMs = wasUnknown ? freeAtMs : Infinity;
		}
		this.learnedAtMs = nowMs;
		this.step = 1;
	}
}
