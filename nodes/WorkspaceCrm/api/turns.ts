interface Ticket {
	user: object;
	arrived: number;
	/** Resolves when it is worth looking again. */
	changed: Promise<void>;
	wake: () => void;
}

/**
 * A queue in which users take turns: whoever has waited longest since it came, or since its last
 * turn, is next. So a user with a thousand tickets keeps one with a single ticket waiting for one
 * turn, and those of the same user are served in the order in which they came.
 */
export class Turns {
	private readonly tickets: Ticket[] = [];

	/** Counts arrivals and turns, to put them in order. */
	private count = 0;

	private readonly lastTurns = new WeakMap<object, number>();

	enter(user: object): Ticket {
		const ticket = { user, arrived: ++this.count, changed: Promise.resolve(), wake: () => {} };
		renew(ticket);
		this.tickets.push(ticket);
		return ticket;
	}

	isNext(ticket: Ticket): boolean {
		return this.next() === ticket;
	}

	/** The ticket has got what it waited for. */
	serve({ user }: Ticket): void {
		this.lastTurns.set(user, ++this.count);
	}

	leave(ticket: Ticket): void {
		this.tickets.splice(this.tickets.indexOf(ticket), 1);
		this.wakeNext();
	}

	wakeNext(): void {
		const ticket = this.next();
		if (!ticket) return;
		ticket.wake();
		renew(ticket);
	}

	private next(): Ticket | undefined {
		let next: Ticket | undefined;
		let longest = Infinity;
		for (const ticket of this.tickets) {
			const since = Math.max(ticket.arrived, this.lastTurns.get(ticket.user) ?? 0);
			if (since >= longest) continue;
			longest = since;
			next = ticket;
		}
		return next;
	}
}

function renew(ticket: Ticket): void {
	ticket.changed = new Promise((resolve) => {
		ticket.wake = resolve;
	});
}
