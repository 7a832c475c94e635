import {
	easeRule,
	explainRefusal,
	isAsFast,
	isShortWait,
	isWorthAsking,
	REFERENCE_RULE,
	type RateRule,
} from './rateRule';
import { MAX_SLEEP_MS, type Clock } from '../n8n/clock';
import { Turns } from './turns';

/** Between two questions lies a window of the rule, but not less than this. */
const MIN_BACKOFF_MS = 7_500;

/** After each question that was in vain the time doubles, up to so many times that. */
const MAX_BACKOFF = 8;

/** Whatever the service asks for, after so long it is asked again. */
const MAX_PAUSE_MS = 60 * 60_000;

/** How long one request may wait for the rate limit. */
export interface Patience {
	/** For others who use the key, until it is its turn. */
	maxTurnWaitMs: number;
	/** When the service refuses it, or somebody else who uses the key: in all. */
	maxRefusalWaitMs: number;
}

/** What a request that may start has to report when it has ended. */
export interface Permit {
	/** It was let through, or may have been: it counts. */
	release(): void;
	/** The rate limit refused it (429) and asks for a wait: it does not count. */
	refuse(delayMs: number): void;
	/** It never got to the service: it does not count, and tells nothing. */
	cancel(): void;
}

/** Why a request may not start: others keep their turns for too long, or the service refuses all. */
export type Denial = { denied: 'turn' } | { denied: 'pause'; pauseMs: number };

/** A request that was let through, or is under way. */
interface Place {
	startMs: number;
	/** Infinity while it is under way. */
	endMs: number;
	/** When the service will have forgotten it, if it has said so; else Infinity. */
	forgottenAtMs: number;
}

/**
 * The requests that one API key may make, shared by everything in this process that uses the key.
 *
 * It goes by a rule: so many requests in any span of so long. At first that is the reference's. A
 * request takes a place, and gives it back one span after it has *ended*: the service counts it
 * somewhere between its start and its end, so no span holds more than the limit, however long the
 * way there takes.
 *
 * The rule is learned where it turns out to be wrong, in both directions:
 * - A refusal while places are free: somebody else uses the key, or the service counts in another
 *   way. The rule becomes one that explains the refusal.
 * - When no place is free, one request now and then goes all the same, to ask. If it is let through,
 *   the rule was too strict and is eased. If it is refused, the wait that the service asks for may
 *   tell that its window ends sooner than we thought.
 *
 * Whatever is refused, all who use the key pause for as long as the service asks.
 */
export class RequestBudget {
	/** Let through within the reference's window, or under way; in the order of their start. */
	private places: Place[] = [];

	private readonly turns = new Turns();

	private pausedUntilMs = -Infinity;

	private rule: RateRule;

	/** Requests that started before this were under way when the rule was learned. */
	private learnedAtMs = -Infinity;

	/** Whether a question that was let through proves enough to ask again at once. */
	private isSureWhenEased = false;

	/** The request that asks, while it is under way. */
	private question?: Place;

	private nextQuestionAtMs = -Infinity;

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
	 * @param user for whom, such as one execution; users take turns
	 * @param signal of the execution; when it is stopped, so is the waiting
	 * @returns why not, when it would take longer than the patience allows
	 * @throws the signal's reason when the execution was stopped
	 */
	async take(
		user: object,
		signal?: AbortSignal,
		{ maxTurnWaitMs = Infinity, maxRefusalWaitMs = Infinity }: Partial<Patience> = {},
	): Promise<Permit | Denial> {
		const untilMs = this.clock.elapsedMs() + maxTurnWaitMs;
		const ticket = this.turns.enter(user);
		const wake = () => ticket.wake();
		signal?.addEventListener('abort', wake);
		try {
			for (;;) {
				signal?.throwIfAborted();
				const pauseMs = this.pausedUntilMs - this.clock.elapsedMs();
				if (pauseMs > maxRefusalWaitMs) return { denied: 'pause', pauseMs };
				const isNext = this.turns.isNext(ticket);
				const waitMs = isNext ? this.waitMs() : Infinity;
				if (waitMs <= 0) {
					this.turns.serve(ticket);
					return this.occupy();
				}
				const leftMs = untilMs - this.clock.elapsedMs();
				if (leftMs <= 0) return { denied: 'turn' };
				// Only the next one has to look at the clock; the others are woken when it is their turn.
				const sleepMs = isNext ? Math.min(waitMs, leftMs, MAX_SLEEP_MS) : leftMs;
				await Promise.race([
					ticket.changed,
					...(sleepMs < Infinity ? [this.clock.sleep(Math.ceil(sleepMs))] : []),
				]);
			}
		} finally {
			signal?.removeEventListener('abort', wake);
			this.turns.leave(ticket);
		}
	}

	private waitMs(): number {
		const nowMs = this.clock.elapsedMs();
		if (this.pausedUntilMs > nowMs) return this.pausedUntilMs - nowMs;
		if (this.question !== undefined) return Infinity;
		const freeInMs = this.freeInMs(nowMs);
		if (freeInMs.length < this.rule.limit || this.mayAsk(nowMs, freeInMs)) return 0;
		return Math.min(...freeInMs);
	}

	/** For each request that the rule counts: in how long it will not any more. */
	private freeInMs(nowMs: number): number[] {
		return this.places
			.map((place) => this.freeAtMs(place) - nowMs)
			.filter((freeInMs) => freeInMs > 0);
	}

	private freeAtMs({ endMs, forgottenAtMs }: Place): number {
		return Math.min(endMs + this.rule.windowMs, forgottenAtMs);
	}

	/** A question goes alone, so that it is its own answer that tells, and not that of another. */
	private mayAsk(nowMs: number, freeInMs: number[]): boolean {
		const isAlone = this.places.every(({ endMs }) => endMs < Infinity);
		if (!isAlone || nowMs < this.nextQuestionAtMs) return false;
		return isWorthAsking(this.rule, freeInMs);
	}

	private occupy(): Permit {
		const startMs = this.clock.elapsedMs();
		const place: Place = { startMs, endMs: Infinity, forgottenAtMs: Infinity };
		if (this.freeInMs(startMs).length >= this.rule.limit) this.question = place;
		this.places = this.places.filter(({ endMs }) => endMs + this.reference.windowMs > startMs);
		this.places.push(place);
		return {
			release: () => {
				place.endMs = this.clock.elapsedMs();
				if (this.question === place) this.ease(place.endMs);
				this.turns.wakeNext();
			},
			refuse: (delayMs) => {
				this.places.splice(this.places.indexOf(place), 1);
				const nowMs = this.clock.elapsedMs();
				const pauseMs = Math.min(delayMs, MAX_PAUSE_MS);
				this.pausedUntilMs = Math.max(this.pausedUntilMs, nowMs + pauseMs);
				if (this.question === place) this.confirm(nowMs, delayMs);
				else if (startMs >= this.learnedAtMs) this.learn(nowMs, delayMs);
				this.turns.wakeNext();
			},
			cancel: () => {
				this.places.splice(this.places.indexOf(place), 1);
				if (this.question === place) this.question = undefined;
				this.turns.wakeNext();
			},
		};
	}

	/** A question was let through. */
	private ease(nowMs: number): void {
		this.question = undefined;
		this.rule = easeRule(this.rule, this.reference);
		this.backoff = 1;
		this.nextQuestionAtMs = nowMs + (this.isSureWhenEased ? 0 : this.backoffMs());
	}

	/** A question was refused: the rule is right, but for when the window ends. */
	private confirm(nowMs: number, delayMs: number): void {
		this.question = undefined;
		this.nextQuestionAtMs = nowMs + this.backoffMs();
		this.backoff = Math.min(2 * this.backoff, MAX_BACKOFF);

		// A sliding window counts none of the requests that we count for less than its whole length.
		const counted = this.places.filter((place) => this.freeAtMs(place) > nowMs);
		const earliestMs = Math.min(...counted.map(({ startMs }) => startMs)) + this.rule.windowMs;
		if (nowMs + delayMs >= earliestMs || isShortWait(delayMs)) return;
		for (const place of this.places) place.forgottenAtMs = nowMs + delayMs;
	}

	/** A refusal that the rule did not foresee. */
	private learn(nowMs: number, delayMs: number): void {
		const ended = this.places.filter(({ endMs }) => endMs <= nowMs);
		const grantsMs = ended.map(({ startMs }) => startMs).reverse();
		const underWay = this.places.length - ended.length;
		const held = this.freeInMs(nowMs).length - underWay;
		this.rule = explainRefusal({ nowMs, delayMs, grantsMs, held }, this.reference);
		this.learnedAtMs = nowMs;
		this.isSureWhenEased = !isShortWait(delayMs);
		this.backoff = 1;
		this.nextQuestionAtMs = nowMs + delayMs + (this.isSureWhenEased ? 0 : this.backoffMs());
	}

	private backoffMs(): number {
		const isFullRate = isAsFast(this.rule, this.reference);
		const leastMs = isFullRate ? this.reference.windowMs : MIN_BACKOFF_MS;
		return this.backoff * Math.max(this.rule.windowMs, leastMs);
	}
}
