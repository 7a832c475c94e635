import {
	easeRule,
	explainRefusal,
	isAsFast,
	isShortWait,
	isWorthProbing,
	REFERENCE_RULE,
	type RateRule,
} from './rateRule';
import { MAX_SLEEP_MS, type Clock } from '../n8n/clock';
import { FairQueue } from './fairQueue';

/** The least time between two probes; it is one window of the rule if that is longer. */
const MIN_BACKOFF_MS = 7_500;

/** Each refused probe doubles the time to the next one, up to this factor. */
const MAX_BACKOFF = 8;

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

/** A request that the service took, or that is in flight. */
interface Slot {
	startMs: number;
	/** Infinity while it is in flight. */
	endMs: number;
	/** When the service stops counting it, if the service has said so; else Infinity. */
	forgottenAtMs: number;
}

/**
 * Limits the rate of all requests of this process that use one API key.
 *
 * It follows a rule: at most `limit` requests in any span of `windowMs`. The first rule is that of
 * the API reference. A request takes a slot, and frees it one window after the request has *ended*:
 * the service counts it somewhere between its start and its end, so latency never breaks the limit.
 *
 * The rule is corrected in both directions:
 * - A refusal while slots are free: another system uses the key, or the service counts in another
 *   way. The rule becomes one that explains the refusal.
 * - When no slot is free, one request now and then is sent as a probe. If the service takes it, the
 *   rule was too strict and is eased. If not, the wait that the service asks for may show that its
 *   window ends sooner than expected.
 *
 * After any refusal, all requests with the key pause for as long as the service asks.
 */
export class RateLimiter {
	/** Those of the reference's window, in the order of their start. */
	private slots: Slot[] = [];

	private readonly queue = new FairQueue();

	private pausedUntilMs = -Infinity;

	private rule: RateRule;

	/** Requests that started before this were in flight when the rule was learned. */
	private learnedAtMs = -Infinity;

	/** Whether the next probe may follow at once after one that the service took. */
	private isSureWhenEased = false;

	/** The probe, while it is in flight. */
	private probe?: Slot;

	private nextProbeAtMs = -Infinity;

	private backoff = 1;

	constructor(
		private readonly clock: Clock,
		private readonly reference = REFERENCE_RULE,
	) {
		this.rule = reference;
	}

	/**
	 * Waits until a request may start.
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
	): Promise<Permit | Rejection> {
		const untilMs = this.clock.elapsedMs() + maxQueueWaitMs;
		const waiter = this.queue.join(user);
		const wake = () => waiter.wake();
		signal?.addEventListener('abort', wake);
		try {
			for (;;) {
				signal?.throwIfAborted();
				const pauseMs = this.pausedUntilMs - this.clock.elapsedMs();
				if (pauseMs > maxRefusalWaitMs) return { rejected: 'pause', pauseMs };
				const isNext = this.queue.isNext(waiter);
				const waitMs = isNext ? this.waitMs() : Infinity;
				if (waitMs <= 0) {
					this.queue.serve(waiter);
					return this.occupy();
				}
				const leftMs = untilMs - this.clock.elapsedMs();
				if (leftMs <= 0) return { rejected: 'queue' };
				// Only the first in the queue looks at the clock; the others are woken when they are first.
				const sleepMs = isNext ? Math.min(waitMs, leftMs, MAX_SLEEP_MS) : leftMs;
				await Promise.race([
					waiter.changed,
					...(sleepMs < Infinity ? [this.clock.sleep(Math.ceil(sleepMs))] : []),
				]);
			}
		} finally {
			signal?.removeEventListener('abort', wake);
			this.queue.leave(waiter);
		}
	}

	private waitMs(): number {
		const nowMs = this.clock.elapsedMs();
		if (this.pausedUntilMs > nowMs) return this.pausedUntilMs - nowMs;
		if (this.probe !== undefined) return Infinity;
		const freeInMs = this.freeInMs(nowMs);
		if (freeInMs.length < this.rule.limit || this.mayProbe(nowMs, freeInMs)) return 0;
		return Math.min(...freeInMs);
	}

	/** For each request that the rule counts: the time until it no longer does. */
	private freeInMs(nowMs: number): number[] {
		return this.slots.map((slot) => this.freeAtMs(slot) - nowMs).filter((freeInMs) => freeInMs > 0);
	}

	private freeAtMs({ endMs, forgottenAtMs }: Slot): number {
		return Math.min(endMs + this.rule.windowMs, forgottenAtMs);
	}

	/** A probe goes alone, so that its answer cannot be due to another request. */
	private mayProbe(nowMs: number, freeInMs: number[]): boolean {
		const isAlone = this.slots.every(({ endMs }) => endMs < Infinity);
		if (!isAlone || nowMs < this.nextProbeAtMs) return false;
		return isWorthProbing(this.rule, freeInMs);
	}

	private occupy(): Permit {
		const startMs = this.clock.elapsedMs();
		const slot: Slot = { startMs, endMs: Infinity, forgottenAtMs: Infinity };
		if (this.freeInMs(startMs).length >= this.rule.limit) this.probe = slot;
		this.slots = this.slots.filter(({ endMs }) => endMs + this.reference.windowMs > startMs);
		this.slots.push(slot);
		return {
			release: () => {
				slot.endMs = this.clock.elapsedMs();
				if (this.probe === slot) this.ease(slot.endMs);
				this.queue.wakeNext();
			},
			refuse: (delayMs) => {
				this.slots.splice(this.slots.indexOf(slot), 1);
				const nowMs = this.clock.elapsedMs();
				const pauseMs = Math.min(delayMs, MAX_PAUSE_MS);
				this.pausedUntilMs = Math.max(this.pausedUntilMs, nowMs + pauseMs);
				if (this.probe === slot) this.confirm(nowMs, delayMs);
				else if (startMs >= this.learnedAtMs) this.learn(nowMs, delayMs);
				this.queue.wakeNext();
			},
			cancel: () => {
				this.slots.splice(this.slots.indexOf(slot), 1);
				if (this.probe === slot) this.probe = undefined;
				this.queue.wakeNext();
			},
		};
	}

	/** The service took a probe. */
	private ease(nowMs: number): void {
		this.probe = undefined;
		this.rule = easeRule(this.rule, this.reference);
		this.backoff = 1;
		this.nextProbeAtMs = nowMs + (this.isSureWhenEased ? 0 : this.backoffMs());
	}

	/** The service refused a probe: the rule is right, except for when the window ends. */
	private confirm(nowMs: number, delayMs: number): void {
		this.probe = undefined;
		this.nextProbeAtMs = nowMs + this.backoffMs();
		this.backoff = Math.min(2 * this.backoff, MAX_BACKOFF);

		// A sliding window counts none of the requests that we count for less than its whole length.
		const counted = this.slots.filter((slot) => this.freeAtMs(slot) > nowMs);
		const earliestMs = Math.min(...counted.map(({ startMs }) => startMs)) + this.rule.windowMs;
		if (nowMs + delayMs >= earliestMs || isShortWait(delayMs)) return;
		for (const slot of this.slots) slot.forgottenAtMs = nowMs + delayMs;
	}

	/** A refusal that the rule did not foresee. */
	private learn(nowMs: number, delayMs: number): void {
		const ended = this.slots.filter(({ endMs }) => endMs <= nowMs);
		const grantsMs = ended.map(({ startMs }) => startMs).reverse();
		const underWay = this.slots.length - ended.length;
		const held = this.freeInMs(nowMs).length - underWay;
		this.rule = explainRefusal({ nowMs, delayMs, grantsMs, held }, this.reference);
		this.learnedAtMs = nowMs;
		this.isSureWhenEased = !isShortWait(delayMs);
		this.backoff = 1;
		this.nextProbeAtMs = nowMs + delayMs + (this.isSureWhenEased ? 0 : this.backoffMs());
	}

	private backoffMs(): number {
		const isFullRate = isAsFast(this.rule, this.reference);
		const leastMs = isFullRate ? this.reference.windowMs : MIN_BACKOFF_MS;
		return this.backoff * Math.max(this.rule.windowMs, leastMs);
	}
}
