import { MAX_SLEEP_MS, type Clock } from './clock';

/** "120 requests per minute per API key" (API reference, limits). */
const REQUESTS_PER_WINDOW = 120;
const WINDOW_MS = 60_000;

interface Ticket {
	/** Resolves when the ticket in front has left the queue. */
	turn: Promise<void>;
	wake: () => void;
}

/**
 * The requests that one API key may make, shared by everything in this process that uses the key.
 *
 * A request takes a place and gives it back one window after it has *ended*. The service counts it
 * somewhere between its start and its end, so no window of the service's can hold more than the
 * limit, however long the way there takes. While places are free, nothing waits; when none is,
 * requests are served in the order they came.
 */
export class RequestBudget {
	/** For each place in use: when it is free again. Infinity while its request is under way. */
	private readonly freeAtMs: number[] = [];

	private readonly queue: Ticket[] = [];

	private pausedUntilMs = 0;

	constructor(
		private readonly clock: Clock,
		private readonly limit = REQUESTS_PER_WINDOW,
		private readonly windowMs = WINDOW_MS,
	) {}

	/**
	 * Waits for a place.
	 *
	 * @param signal of the execution; when it is stopped, so is the waiting
	 * @returns what to call when the request has ended, whatever came of it
	 * @throws the signal's reason when the execution was stopped
	 */
	async take(signal?: AbortSignal): Promise<() => void> {
		const ticket = this.enqueue();
		try {
			for (;;) {
				signal?.throwIfAborted();
				const isNext = this.queue[0] === ticket;
				const waitMs = isNext ? this.waitMs() : Infinity;
				if (waitMs <= 0) return this.occupy();
				const slept = this.clock.sleep(Math.min(waitMs, MAX_SLEEP_MS));
				await (isNext ? slept : Promise.race([slept, ticket.turn]));
			}
		} finally {
			this.queue.splice(this.queue.indexOf(ticket), 1);
			this.queue[0]?.wake();
		}
	}

	/** Lets no request start for a while, because the service has refused one. */
	pause(delayMs: number): void {
		this.pausedUntilMs = Math.max(this.pausedUntilMs, this.clock.now() + delayMs);
	}

	private enqueue(): Ticket {
		let wake = () => {};
		const turn = new Promise<void>((resolve) => {
			wake = resolve;
		});
		const ticket = { turn, wake };
		this.queue.push(ticket);
		return ticket;
	}

	private waitMs(): number {
		const nowMs = this.clock.now();
		const pauseMs = this.pausedUntilMs - nowMs;
		if (this.freeAtMs.length < this.limit) return pauseMs;
		return Math.max(pauseMs, Math.min(...this.freeAtMs) - nowMs);
	}

	private occupy(): () => void {
		const place =
			this.freeAtMs.length < this.limit
				? this.freeAtMs.length
				: this.freeAtMs.indexOf(Math.min(...this.freeAtMs));
		this.freeAtMs[place] = Infinity;
		return () => {
			this.freeAtMs[place] = this.clock.now() + this.windowMs;
		};
	}
}
