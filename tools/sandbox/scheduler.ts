import type { Clock } from '../support/clock';
import { delay } from '../support/platform';

interface Waiter {
	dueMs: number;
	end: (elapsed: boolean) => void;
}

/** How often the clock is looked at while somebody waits, in the machine's milliseconds. */
const tickMs = 5;

/**
 * Waits that can be given up.
 *
 * A clock's own sleep cannot be cancelled, and a retry that is 16 minutes away would keep the
 * process alive after the sandbox was closed. So the clock is only asked for the time.
 */
export class Scheduler {
	private readonly waiters = new Set<Waiter>();

	private ticking = false;

	constructor(private readonly clock: Clock) {}

	/** Waits `delayMs` of the clock: true once they have passed, false when given up before. */
	async wait(delayMs: number, signal?: AbortSignal): Promise<boolean> {
		if (signal?.aborted) return false;
		return await new Promise((resolve) => {
			const giveUp = () => waiter.end(false);
			const waiter: Waiter = {
				dueMs: this.clock.now() + delayMs,
				end: (elapsed) => {
					this.waiters.delete(waiter);
					signal?.removeEventListener('abort', giveUp);
					resolve(elapsed);
				},
			};
			signal?.addEventListener('abort', giveUp);
			this.waiters.add(waiter);
			void this.tick();
		});
	}

	/** Ends every wait at once. */
	cancelAll(): void {
		for (const waiter of [...this.waiters]) waiter.end(false);
	}

	private async tick(): Promise<void> {
		if (this.ticking) return;
		this.ticking = true;
		while (this.waiters.size > 0) {
			await delay(tickMs);
			const nowMs = this.clock.now();
			for (const waiter of [...this.waiters]) if (waiter.dueMs <= nowMs) waiter.end(true);
		}
		this.ticking = false;
	}
}
