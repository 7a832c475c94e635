import type { WireRecord } from '../api/types';
import type { ContactMap } from './baseline';
import type { Change } from './changeOutput';
import {
	consentIn,
	isChanged,
	packSnapshot,
	tagsIn,
	toSnapshot,
	unpackSnapshot,
	type Snapshot,
} from './snapshot';
import type { Watched } from './watched';

/** What a missing contact's ID gave: `erased` for 404, `hidden` if it still belongs to the list. */
export type Found = WireRecord | 'erased' | 'hidden';

/** A list compared with the one before. Nothing counts until the list is complete. */
export class Comparison {
	readonly changes: Change[] = [];

	/** What the next list is compared with. */
	readonly contacts: ContactMap = new Map();

	/** @param before undefined for a first reading, which gives no events without 'Start for Existing Contacts' */
	constructor(
		private readonly before: ContactMap | undefined,
		private readonly watched: Watched,
	) {}

	/** Takes a contact of the list; of several rows of one contact, the first counts. */
	take(id: string, record: WireRecord): void {
		if (this.contacts.has(id)) return;
		const { parts } = this.watched;
		const known = this.before?.get(id);
		const before = known && unpackSnapshot(known.snapshot, parts);
		const now = toSnapshot(record, parts, before);
		this.contacts.set(id, { state: 'listed', snapshot: packSnapshot(now) });
		if (before) return this.add(...differences(record, before, now, this.watched));
		const isEvent = this.before !== undefined || this.watched.startForExisting;
		if (isEvent) this.add({ event: 'entered', contact: record });
	}

	/**
	 * Call it after the last contact of a complete list.
	 *
	 * @returns the IDs to ask for: missing from two lists in a row. A hidden contact is asked for again only
	 * once another one is back, which says that the list has changed.
	 */
	findMissing(): string[] {
		const before: ContactMap = this.before ?? new Map<string, never>();
		const isBack = [...before].some(([id, { state }]) => {
			return state !== 'listed' && this.contacts.has(id);
		});
		const due: string[] = [];
		for (const [id, { state, snapshot }] of before) {
			if (this.contacts.has(id)) continue;
			const isHidden = state === 'hidden' && !isBack;
			this.contacts.set(id, { state: isHidden ? 'hidden' : 'missing', snapshot });
			if (state !== 'listed' && !isHidden) due.push(id);
		}
		return due;
	}

	/** Takes what the ID of a missing contact gave. */
	takeMissing(id: string, found: Found): void {
		const contact = this.contacts.get(id);
		if (!contact) return;
		if (found === 'hidden') {
			contact.state = found;
			return;
		}
		this.contacts.delete(id);
		const snapshot = unpackSnapshot(contact.snapshot, this.watched.parts);
		const tags = this.watched.parts.tags ? tagsIn(snapshot) : undefined;
		const before = { consent: consentIn(snapshot), tags };
		if (found === 'erased') this.add({ event: 'erased', contact: { id }, before });
		else this.add({ event: 'left', contact: found, before });
	}

	private add(...changes: Change[]): void {
		this.changes.push(...changes.filter(({ event }) => this.watched.events.has(event)));
	}
}

function differences(
	contact: WireRecord,
	before: Snapshot,
	now: Snapshot,
	{ parts }: Watched,
): Change[] {
	const fields = parts.fields.filter((_, index) =>
		isChanged(before.fields[index] ?? '', now.fields[index] ?? ''),
	);
	const [from, to] = [consentIn(before), consentIn(now)];
	const had = tagsIn(before);
	const has = tagsIn(now) ?? [];
	const added = had ? has.filter((tag) => !had.includes(tag)) : [];
	const removed = had ? had.filter((tag) => !has.includes(tag)) : [];
	return [
		...(fields.length > 0 ? [{ event: 'updated' as const, contact, fields }] : []),
		...(from && to && from !== to
			? [{ event: 'consentChanged' as const, contact, consent: { from, to } }]
			: []),
		...added.map((tag) => ({ event: 'tagAdded' as const, contact, tag })),
		...removed.map((tag) => ({ event: 'tagRemoved' as const, contact, tag })),
	];
}
