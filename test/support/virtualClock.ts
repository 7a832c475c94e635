import { process } from '../../tools/support/platform';

interface Sleeper {
	dueMs: number;
	wake: () => void;
	fail: (error: Error) => void;
}

const ENDLESS = 'The code sleeps for ever';

/**
 * Time that costs nothing: when all code waits, it jumps to the moment when the first sleeper is due. Sleepers
 * wake one by one, in the order in which they are due (if at the same time, in which they went to sleep). Each
 * runs as far as it can before the next one wakes. The same program always runs the same way.
 *
 * Only for code that waits for nothing but this clock: no sockets, files or timers.
 */
export class VirtualClock {
	/** Code that sleeps more often waits for something that never happens. From then on, every sleep fails. */
	private static readonly maxWakes = 1_000_000;

	private readonly sleepers: Sleeper[] = [];

	private isRunning = false;

	private isOver = false;

	constructor(
		private nowMs = 0,
		readonly random = () => 0,
	) {}

	/** How far the date is ahead of the time that has passed. */
	private aheadMs = 0;

	now = () => this.nowMs + this.aheadMs;

	/** Sets the date of the machine's clock; durations stay as they were. */
	setDate = (byMs: number) => {
		this.aheadMs += byMs;
	};

	/** The machine sleeps while both times go on. Afterwards, everything is due that would have been due. */
	suspend = (forMs: number) => {
		this.nowMs += forMs;
	};

	elapsedMs = () => this.nowMs;

	sleep = async (delayMs: number) => {
		if (this.isOver) throw new Error(ENDLESS);
		await new Promise<void>((resolve, reject) => {
			const dueMs = this.nowMs + Math.max(0, delayMs);
			const behind = this.sleepers.findIndex((sleeper) => sleeper.dueMs > dueMs);
			this.sleepers.splice(behind < 0 ? this.sleepers.length : behind, 0, {
				dueMs,
				wake: resolve,
				fail: reject,
			});
			void this.run();
		});
	};

	signalAfter = (delayMs: number) => {
		const controller = new AbortController();
		void this.sleep(delayMs).then(() => controller.abort());
		return controller.signal;
	};

	/** Lets all code run that does not wait for this clock. */
	settle = async () => {
		// Node empties the whole queue of microtasks before it comes to the next tick.
		await new Promise<void>((resolve) => process.nextTick(resolve));
	};

	private async run() {
		if (this.isRunning) return;
		this.isRunning = true;
		for (let wakes = 0; wakes < VirtualClock.maxWakes; wakes += 1) {
			await this.settle();
			const next = this.sleepers.shift();
			if (!next) {
				this.isRunning = false;
				return;
			}
			this.nowMs = Math.max(this.nowMs, next.dueMs);
			next.wake();
		}
		this.isOver = true;
		for (const sleeper of this.sleepers.splice(0)) sleeper.fail(new Error(ENDLESS));
	}
}
