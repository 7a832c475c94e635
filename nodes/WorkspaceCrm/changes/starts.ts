import type { Change, ContactMap, KnownContact } from './comparison';

/** What the record knew of the contacts, by ID, before the changes that a start of the workflow reports. */
export type Start = ReadonlyMap<string, KnownContact | undefined>;

/** The starts of a node's workflow whose outcome is open. Several may fail, in any order. */
export class Starts {
	/** By contact, the newest open start that reports it. */
	private readonly newest = new Map<string, Start>();

	get areOpen(): boolean {
		return this.newest.size > 0;
	}

	begin(changes: readonly Change[]): Start {
		const start = new Map(changes.map(({ id, known }) => [id, known]));
		for (const id of start.keys()) this.newest.set(id, start);
		return start;
	}

	/**
	 * Returns the part of a start for which it is the newest. If the start has failed, the record can go back to
	 * that. It must not for any other contact, because a newer start has reported it.
	 */
	end(start: Start): Start {
		const last = [...start].filter(([id]) => this.newest.get(id) === start);
		for (const [id] of last) this.newest.delete(id);
		return new Map(last);
	}
}

/** The contacts of a record that knows again what it knew before a start. */
export function goBack(contacts: ContactMap, before: Start): ContactMap {
	const all = new Map(contacts);
	for (const [id, known] of before) {
		if (known) all.set(id, known);
		else all.delete(id);
	}
	return all;
}
