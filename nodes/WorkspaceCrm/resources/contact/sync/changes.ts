/**
 * The changes of a contact, each by its name: `name`, `attributes.city`, `tags +vip`, `tags -old`, `opt_in`. They are
 * what is planned, what a request sends, what was done, and what the output shows.
 */
import type { WireRecord } from '../../../crm/records';
import { ATTRIBUTE } from '../../../domain/contactColumns';
import { dropNothings, isJsonObject, type JsonObject } from '../../../domain/plainData';
import type { ContactFields } from './row';

/** What a field was, and what it becomes; null is none. For `opt_in`, true or false until an answer shows the status. */
export interface Change {
	from: unknown;
	to: unknown;
}

export type Changes = ReadonlyMap<string, Change>;

const ADDED = 'tags +';
const REMOVED = 'tags -';

export const isConsent = (name: string) => name === 'opt_in' || name === 'consent_proof';
export const isAddedTag = (name: string) => name.startsWith(ADDED);
export const isRemovedTag = (name: string) => name.startsWith(REMOVED);

export function addedTag(tag: string): [string, Change] {
	return [ADDED + tag, { from: null, to: tag }];
}

export function removedTag(tag: string): [string, Change] {
	return [REMOVED + tag, { from: tag, to: null }];
}

export function pick(changes: Changes, isPicked: (name: string) => boolean): Changes {
	return new Map([...changes].filter(([name]) => isPicked(name)));
}

/** The tags that the changes add. */
export function tagsAddedIn(changes: Changes): string[] {
	return [...changes].flatMap(([name, { to }]) => (isAddedTag(name) ? String(to) : []));
}

/** The name that a change has in a record, such as `attributes`. */
export function fieldOf(name: string): string {
	if (name.startsWith(ATTRIBUTE)) return 'attributes';
	if (isAddedTag(name) || isRemovedTag(name)) return 'tags';
	return name === 'opt_in' ? 'opt_in_status' : name;
}

/** The fields of a request that makes the changes. */
export function bodyOf(changes: Changes): ContactFields & JsonObject {
	const named = [...changes].map(([name, { to }]) => [name, to] as const);
	const plain = named.filter(([name]) => fieldOf(name) === name || isConsent(name));
	const attributes = named
		.filter(([name]) => fieldOf(name) === 'attributes')
		.map(([name, to]) => [name.slice(ATTRIBUTE.length), to] as const);
	const tags = tagsAddedIn(changes);
	return {
		...Object.fromEntries(plain),
		...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
		...(tags.length > 0 && { tags }),
	};
}

/** A record after changes, as far as an answer shows it: what was sent is no longer what it was. */
export function recordAfter(before: WireRecord, sent: Changes, answer: WireRecord): WireRecord {
	const changed = new Set(Array.from(sent.keys(), fieldOf));
	const kept = Object.entries(before).filter(([name]) => !changed.has(name));
	return { ...Object.fromEntries(kept), ...answer };
}

/** A record as the changes make it, but for the opt-in status, which only the service decides. */
export function imaginedAfter(before: WireRecord, sent: Changes): WireRecord {
	const { attributes, tags = [], ...plain } = bodyOf(pick(sent, (name) => !isConsent(name)));
	const own = isJsonObject(before.attributes) ? before.attributes : {};
	const known = Array.isArray(before.tags) ? before.tags : [];
	const kept = known.filter((tag) => !sent.has(REMOVED + String(tag)));
	return {
		...before,
		...(plain as WireRecord),
		attributes: { ...own, ...attributes },
		tags: [...kept, ...tags],
	};
}

/** With what became of 'Opt In' in place of what was asked for: it is no change if the status is as before. */
export function withStatus(done: Changes, status: string): Changes {
	const asked = done.get('opt_in');
	if (!asked) return done;
	if (asked.from === status) return pick(done, (name) => name !== 'opt_in');
	return new Map([...done, ['opt_in', { from: asked.from, to: status }]]);
}

const ORDER = ['name', 'locale', 'source', 'attributes', 'tags', 'opt_in_status', 'consent_proof'];
const placeOf = (name: string) => ORDER.indexOf(fieldOf(name));

/** As the output shows them, with all tags in one entry. n8n shows empty lists in red, as if something were wrong. */
export function shownChanges(changes: Changes): JsonObject {
	const sorted = [...changes].sort(([one], [other]) => placeOf(one) - placeOf(other));
	const removed = sorted.flatMap(([name, { from }]) => (isRemovedTag(name) ? [from] : []));
	const tags = dropNothings({ added: tagsAddedIn(changes), removed });
	const shown = sorted.map(([name, change]): [string, unknown] =>
		fieldOf(name) === 'tags' ? ['tags', tags] : [name, { ...change }],
	);
	return Object.fromEntries(shown);
}
