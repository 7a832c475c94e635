interface Waiter {
	user: object;
	/** Whether it goes before the others of its user. */
	isUrgent: boolean;
	arrived: number;
	/** Makes it look again. */
	wake: () => void;
}

/**
 * A queue in which users take turns: whoever has waited longest since it came, or since its last
 * turn, is first. So a user with a thousand waiters keeps one with a single waiter waiting for one
 * turn. Those of the same user are served in the order in which they came, the urgent ones first.
 */
export class FairQueue {
	private readonly waiters = new Set<Waiter>();

	/** Counts arrivals and turns, to put them in order. */
	private count = 0;

	private readonly lastServed = new WeakMap<object, number>();

	join(user: object, isUrgent = false): Waiter {
		const waiter = { user, isUrgent, arrived: ++this.count, wake: () => {} };
		this.waiters.add(waiter);
		return waiter;
	}

	/** The waiter has got what it waited for. */
	serve({ user }: Waiter): void {
		this.lastServed.set(user, ++this.count);
	}

	leave(waiter: Waiter): void {
		this.waiters.delete(waiter);
		this.first()?.wake();
	}

	first(): Waiter | undefined {
		let first: Waiter | undefined;
		let longest = Infinity;
		for (const waiter of this.waiters) {
			const since = Math.max(waiter.arrived, this.lastServed.get(waiter.user) ?? 0);
			if (since >= longest) continue;
			longest = since;
			first = waiter;
		}
		for (const waiter of this.waiters) {
			if (waiter.isUrgent && waiter.user === first?.user) return waiter;
		}
		return first;
	}
}
