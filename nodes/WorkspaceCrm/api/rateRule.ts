/** So many requests in so long. */
export interface RateRule {
	limit: number;
	windowMs: number;
}

/** "120 requests per minute per API key" (API reference, limits). */
export const REFERENCE_RULE: RateRule = { limit: 120, windowMs: 60_000 };

/** A request that the service let through, or that is in flight. */
export interface Slot {
	startMs: number;
	/** Infinity while it is in flight. */
	endMs: number;
}

/** Limits below the reference that services often have. */
const USUAL_LIMITS = [10, 20, 30, 60];

/**
 * Whether the request after so many, or the last of them, may be more than a service with a usual
 * limit allows.
 *
 * @param proven so many it has let through
 */
export function isAtUsualLimit(count: number, proven: number): boolean {
	return [count, count - 1].some((each) => each >= proven && USUAL_LIMITS.includes(each));
}

/** A slot that becomes free within this time tells nothing about a probe. */
const MARGIN_MS = 2_500;

/** By so much a wait may be too long, as services ask for whole seconds. */
const ROUNDING_MS = 1_000;

/**
 * At most `limit` requests in any span of `windowMs`, and never more than the reference allows. A slot
 * becomes free one window after its request has *ended*: the service counts it somewhere between its
 * start and its end, so latency never breaks the limit.
 */
export class WindowRule {
	private limit: number;
	private windowMs: number;

	constructor(private readonly reference: RateRule) {
		({ limit: this.limit, windowMs: this.windowMs } = reference);
	}

	/** Whether it allows as many requests as the reference. */
	get isWhole(): boolean {
		return this.limit >= this.reference.limit;
	}

	/** The slots that are not free, in the order of their start. */
	held(slots: readonly Slot[], nowMs: number): Slot[] {
		return slots.filter(({ endMs }) => endMs + this.windowMs > nowMs);
	}

	/** In how long a request may start; Infinity while that is for others in flight to show. */
	waitMs(slots: readonly Slot[], nowMs: number): number {
		const held = this.held(slots, nowMs);
		if (held.length < this.limit) return 0;
		return Math.min(...held.map(({ endMs }) => endMs + this.windowMs - nowMs));
	}

	/** Whether the service, too, has no free slot, and will have none for a while. */
	isSurelyFull(slots: readonly Slot[], nowMs: number): boolean {
		const [first] = this.held(slots, nowMs);
		return first !== undefined && first.startMs + this.windowMs > nowMs + MARGIN_MS;
	}

	/** Learns from a refusal: no more slots than those held, and the first of them is free then. */
	learn(slots: readonly Slot[], freeAtMs: number, nowMs: number): void {
		const held = this.held(slots, nowMs);
		const [first] = held;
		// Others have used the limit up, which tells nothing about it.
		if (first === undefined) return;
		const spanMs = freeAtMs - first.startMs;
		if (held.length >= this.limit && spanMs < this.windowMs - ROUNDING_MS) {
			// The service's window began before the first request, and all slots are free at its end.
			for (const slot of held) slot.endMs = Math.min(slot.endMs, freeAtMs - this.windowMs);
			return;
		}
		this.limit = Math.min(held.length, this.reference.limit);
		this.windowMs = Math.min(Math.max(spanMs, this.leastMs()), this.reference.windowMs);
	}

	/** The service lets more requests through, up to the reference. */
	grow(by: number): void {
		this.limit = Math.min(this.limit + by, this.reference.limit);
		this.windowMs = Math.max(this.windowMs, this.leastMs());
	}

	/** In which time the reference allows as many requests. */
	private leastMs(): number {
		return (this.limit * this.reference.windowMs) / this.reference.limit;
	}
}

/** The rate of a bucket is measured over this time, or half of it at least. */
const MEASURED_MS = 10_000;

/** The least rate, as a share of the reference's. */
const LEAST_SHARE = 0.25;

/**
 * A bucket of tokens, which fills at an even rate. Each request takes one when it starts. It is never
 * faster than the reference, and after a refusal gets as fast again within a minute.
 */
export class BucketRule {
	/** How many tokens it holds. */
	private burst: number;
	/** When it was empty, or will be: it fills from then on. */
	private emptyAtMs = -Infinity;
	/** Of the reference's rate, at `measuredAtMs`: others may use the rest. */
	private share = 1;
	private measuredAtMs = -Infinity;

	constructor(private readonly reference: RateRule) {
		this.burst = reference.limit;
	}

	/** How many tokens it lacks. */
	missing(nowMs: number): number {
		return Math.max(0, this.burst - (nowMs - this.emptyAtMs) / this.tokenMs(nowMs));
	}

	/** In how long a request may start. */
	waitMs(nowMs: number): number {
		return Math.max(0, this.emptyAtMs + this.tokenMs(nowMs) - nowMs);
	}

	take(nowMs: number): void {
		this.emptyAtMs = nowMs - (this.burst - this.missing(nowMs) - 1) * this.tokenMs(nowMs);
	}

	/** There are more tokens than it knew. */
	add(tokens: number, nowMs: number): void {
		this.emptyAtMs -= tokens * this.tokenMs(nowMs);
	}

	/** Learns from a refusal: there is no token now, and one at `freeAtMs`. */
	learn(slots: readonly Slot[], freeAtMs: number, nowMs: number): void {
		const tokens = this.burst - this.missing(nowMs);
		const spanMs = Math.min(nowMs - this.measuredAtMs, MEASURED_MS);
		if (tokens >= 2) {
			// It holds fewer.
			this.burst = Math.max(1, this.burst - tokens);
			this.measuredAtMs = nowMs;
		} else if (spanMs >= MEASURED_MS / 2) {
			const { limit, windowMs } = this.reference;
			const count = slots.filter(({ startMs }) => startMs > nowMs - spanMs).length;
			this.share = Math.max(LEAST_SHARE, (count / spanMs) * (windowMs / limit));
			this.measuredAtMs = nowMs;
		}
		this.emptyAtMs = freeAtMs - this.tokenMs(nowMs);
	}

	/** The time in which one token comes. Slow at first, and then fast, it returns to the reference's. */
	private tokenMs(nowMs: number): number {
		const { limit, windowMs } = this.reference;
		const recovered = ((nowMs - this.measuredAtMs) / windowMs) ** 3;
		return windowMs / limit / Math.min(1, this.share + recovered);
	}
}
