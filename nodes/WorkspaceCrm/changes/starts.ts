import type { Change, ContactMap, KnownContact } from './comparison';

/** A start of the workflow whose outcome is open. */
export interface Start {
	/** By ID, what the record knew of the contacts before the changes that the workflow starts with. */
	known: Map<string, KnownContact | undefined>;
	/** Contacts for which an earlier start failed: if this one fails, too, the record goes back to before both. */
	covers: Set<string>;
	/** The contacts whose later changes have started the workflow. */
	overtaken: Set<string>;
}

/** What a start that has failed or succeeded leaves. */
export interface Settled {
	/** What the record must know again, so that the next poll finds the changes again. */
	again: Start['known'];
	/** The contacts with changes that nothing reports any more. */
	lost: Set<string>;
}

/** Only the end of an execution shows that it has started. With so many open, the oldest has started long ago. */
const MAX_OPEN = 1_000;

/** The starts of a node's workflow whose outcome is open, oldest first. Several may fail, in any order. */
export class Starts {
	private open: Start[] = [];

	get areOpen(): boolean {
		return this.open.length > 0;
	}

	begin(changes: readonly Change[]): Start {
		const known = new Map(changes.map((change) => [change.id, change.known]));
		const start = { known, covers: new Set<string>(), overtaken: new Set<string>() };
		this.open = [...this.open.slice(1 - MAX_OPEN), start];
		return start;
	}

	/** Only the first call counts. */
	settle(start: Start, hasStarted: boolean): Settled {
		const index = this.open.indexOf(start);
		if (index < 0) return { again: new Map(), lost: new Set() };
		const [earlier, later] = [this.open.slice(0, index), this.open.slice(index + 1)];
		this.open = [...earlier, ...later];
		return hasStarted ? overtake(start, earlier) : giveBack(start, later);
	}
}

/** Going back to what was known before an earlier start would repeat the changes of this one. */
function overtake(start: Start, earlier: Start[]): Settled {
	for (const { known, overtaken } of earlier) {
		for (const id of start.known.keys()) if (known.delete(id)) overtaken.add(id);
	}
	return { again: new Map(), lost: start.covers };
}

/** If a later start with the same contact fails, too, the record must go back to before both. */
function giveBack(start: Start, later: Start[]): Settled {
	const again: Settled['again'] = new Map();
	for (const [id, known] of start.known) {
		const next = later.find((each) => each.known.has(id));
		next?.covers.add(id);
		(next?.known ?? again).set(id, known);
	}
	return { again, lost: start.overtaken };
}

/** The contacts of a record that knows again what it knew before a start. */
export function goBack(contacts: ContactMap, again: Settled['again']): ContactMap {
	const all = new Map(contacts);
	for (const [id, known] of again) {
		if (known) all.set(id, known);
		else all.delete(id);
	}
	return all;
}
