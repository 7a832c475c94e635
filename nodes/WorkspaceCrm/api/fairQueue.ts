/** A request that waits for its turn. */
export interface Waiter {
	readonly user: object;
	/** Goes before the user's other requests. */
	readonly isUrgent: boolean;
	/** Makes it check again whether it may start. */
	wake: () => void;
}

/**
 * A queue in which users take turns, so that short runs are interleaved with long ones. Requests of one
 * user keep their order, urgent ones first.
 */
export class FairQueue {
	/** Each user's requests. The user whose turn is next comes first. */
	private readonly waiters = new Map<object, Waiter[]>();

	join(user: object, isUrgent: boolean): Waiter {
		const waiter = { user, isUrgent, wake: () => {} };
		const own = this.waiters.get(user) ?? [];
		const behind = isUrgent ? own.findIndex((other) => !other.isUrgent) : -1;
		own.splice(behind < 0 ? own.length : behind, 0, waiter);
		this.waiters.set(user, own);
		return waiter;
	}

	first(): Waiter | undefined {
		const [own] = this.waiters.values();
		return own?.[0];
	}

	/** Removes a request and passes the turn to the next user. */
	leave(waiter: Waiter): void {
		const own = this.waiters.get(waiter.user) ?? [];
		own.splice(own.indexOf(waiter), 1);
		this.waiters.delete(waiter.user);
		if (own.length > 0) this.waiters.set(waiter.user, own);
		this.first()?.wake();
	}
}
