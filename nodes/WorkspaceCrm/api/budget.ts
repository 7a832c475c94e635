import {
	easeRule,
	explainRefusal,
	isAsFast,
	isShortWait,
	isWorthAsking,
	REFERENCE_RULE,
	type RateRule,
} from '../domain/rateRule';
import { MAX_SLEEP_MS, type Clock } from './clock';
import { Turns } from './turns';

/** Between two questions lies a window of the rule, but not less than this. */
const MIN_PATIENCE_MS = 7_500;

/** After each question that was in vain the time doubles, up to so many times that. */
const MAX_PATIENCE = 8;

/** What a request that may start has to report when it has ended. */
export interface Permit {
	/** It was let through, or may have been: it counts. */
	release(): void;
	/** The rate limit refused it (429) and asks for a wait: it does not count. */
	refuse(delayMs: number): void;
}

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

	private patience = 1;

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
	 * @returns undefined when it would take longer than `maxWaitMs`
	 * @throws the signal's reason when the execution was stopped
	 */
	async take(
		user: object,
		signal?: AbortSignal,
		maxWaitMs = Infinity,
	): Promise<Permit | undefined> {
		const untilMs = this.clock.now() + maxWaitMs;
		const ticket = this.turns.enter(user);
		const wake = () => ticket.wake();
		signal?.addEventListener('abort', wake);
		try {
			for (;;) {
				signal?.throwIfAborted();
				const isNext = this.turns.isNext(ticket);
				const waitMs = isNext ? this.waitMs() : Infinity;
				if (waitMs <= 0) {
					this.turns.serve(ticket);
					return this.occupy();
				}
				const leftMs = untilMs - this.clock.now();
				if (leftMs <= 0) return undefined;
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
		const nowMs = this.clock.now();
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
		const startMs = this.clock.now();
		const place: Place = { startMs, endMs: Infinity, forgottenAtMs: Infinity };
		if (this.freeInMs(startMs).length >= this.rule.limit) this.question = place;
		this.places = this.places.filter(({ endMs }) => endMs + this.reference.windowMs > startMs);
		this.places.push(place);
		return {
			release: () => {
				place.endMs = this.clock.now();
				if (this.question === place) this.ease(place.endMs);
				this.turns.wakeNext();
			},
			refuse: (delayMs) => {
				this.places.splice(this.places.indexOf(place), 1);
				const nowMs = this.clock.now();
				this.pausedUntilMs = Math.max(this.pausedUntilMs, nowMs + delayMs);
				if (this.question === place) this.confirm(nowMs, delayMs);
				else if (startMs >= this.learnedAtMs) this.learn(nowMs, delayMs);
				this.turns.wakeNext();
			},
		};
	}

	/** A question was let through. */
	private ease(nowMs: number): void {
		this.question = undefined;
		this.rule = easeRule(this.rule, this.reference);
		this.patience = Math.min(this.patience, 1);
		this.nextQuestionAtMs = nowMs + (this.isSureWhenEased ? 0 : this.patienceMs());
	}

	/** A question was refused: the rule is right, but for when the window ends. */
	private confirm(nowMs: number, delayMs: number): void {
		this.question = undefined;
		this.nextQuestionAtMs = nowMs + this.patienceMs();
		this.patience = Math.min(2 * this.patience, MAX_PATIENCE);

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
		this.patience = 1;
		this.nextQuestionAtMs = nowMs + delayMs + (this.isSureWhenEased ? 0 : this.patienceMs());
	}

	private patienceMs(): number {
		const isFullRate = isAsFast(this.rule, this.reference);
		const leastMs = isFullRate ? this.reference.windowMs : MIN_PATIENCE_MS;
		return this.patience * Math.max(this.rule.windowMs, leastMs);
	}
}
