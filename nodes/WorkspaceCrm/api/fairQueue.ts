interface Waiter {
	user: object;
	arrived: number;
	/** Resolves when it is worth looking again. */
	changed: Promise<void>;
	wake: () => void;
}

/**
 * A queue in which users take turns: whoever has waited longest since it came, or since its last
 * turn, is next. So a user with a thousand waiters keeps one with a single waiter waiting for one
 * turn, and those of the same user are served in the order in which they came.
 */
export class FairQueue {
	private readonly waiters: Waiter[] = [];

	/** Counts arrivals and turns, to put them in order. */
	private count = 0;

	private readonly lastServed = new WeakMap<object, number>();

	join(user: object): Waiter {
		const waiter = { user, arrived: ++this.count, changed: Promise.resolve(), wake: () => {} };
		renew(waiter);
		this.waiters.push(waiter);
		return waiter;
	}

	isNext(waiter: Waiter): boolean {
		return this.next() === waiter;
	}

	/** The waiter has got what it waited for. */
	serve({ user }: Waiter): void {
		this.lastServed.set(user, ++this.count);
	}

	leave(waiter: Waiter): void {
		this.waiters.splice(this.waiters.indexOf(waiter), 1);
		this.wakeNext();
	}

	wakeNext(): void {
		const waiter = this.next();
		if (!waiter) return;
		waiter.wake();
		renew(waiter);
	}

	private next(): Waiter | undefined {
		let next: Waiter | undefined;
		let longest = Infinity;
		for (const waiter of this.waiters) {
			const since = Math.max(waiter.arrived, this.lastServed.get(waiter.user) ?? 0);
			if (since >= longest) continue;
			longest = since;
			next = waiter;
		}
		return next;
	}
}

function renew(waiter: Waiter): void {
	waiter.changed = new Promise((resolve) => {
		waiter.wake = resolve;
	});
}
