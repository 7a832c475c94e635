import { createHash } from 'node:crypto';

import { readContact, type OptInStatus, type WireRecord } from '../api/types';
import { isCampaignAttribute } from '../domain/campaignMark';
import { isJsonObject, toJsonText } from '../domain/json';

/** The fields that 'Updated' can watch (API reference, Contact). */
export const WATCHABLE_FIELDS = [
	'name',
	'locale',
	'source',
	'attributes',
	'last_inbound_at',
] as const;

export type WatchableField = (typeof WATCHABLE_FIELDS)[number];

/** What is kept of each contact, beside its id. */
export interface KeptParts {
	readonly consent: boolean;
	readonly fields: readonly WatchableField[];
	readonly tags: boolean;
}

/** What is kept of one contact. What its record did not carry is undefined, and nothing is known of it. */
export interface Kept {
	readonly consent?: OptInStatus;
	/** A digest for each watched field, in their order. */
	readonly fields: ReadonlyArray<string | undefined>;
	/** A digest for each tag, sorted. */
	readonly tags?: readonly string[];
}

/** What changed between two readings of a record. Tags are digests. */
export type Difference =
	| { event: 'updated'; fields: WatchableField[] }
	| { event: 'consentChanged'; from: OptInStatus; to: OptInStatus }
	| { event: 'tagAdded' | 'tagRemoved'; tag: string };

/**
 * 36 bits of a hash. Two values of a field share a digest once in 70,000 million, and then a change is
 * not noticed.
 */
const DIGEST_CHARACTERS = 6;

/** A short text that stands for a JSON value, in whatever order its keys are. */
export function digest(value: unknown): string {
	const text = toJsonText(inOrder(value)) ?? 'null';
	return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_CHARACTERS);
}

function inOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inOrder);
	if (!isJsonObject(value)) return value;
	const entries = Object.keys(value)
		.sort()
		.map((key) => [key, inOrder(value[key])] as const);
	return Object.fromEntries(entries);
}

/** What is kept of a record. A field that the record does not carry counts as not read. */
export function readKept(record: WireRecord, parts: KeptParts): Kept {
	const { optInStatus, tags } = readContact(record);
	return {
		...(parts.consent && { consent: optInStatus }),
		fields: parts.fields.map((field) => (field in record ? fieldDigest(record, field) : undefined)),
		...(parts.tags && Array.isArray(record.tags) && { tags: tagDigests(tags) }),
	};
}

function fieldDigest(record: WireRecord, field: WatchableField): string {
	if (field !== 'attributes') return digest(record[field] ?? null);
	const { attributes } = readContact(record);
	const own = Object.entries(attributes).filter(([name]) => !isCampaignAttribute(name));
	return digest(Object.fromEntries(own));
}

function tagDigests(tags: readonly string[]): string[] {
	return [...new Set(tags.map(digest))].sort();
}

/** What changed from one reading to the next. What either of them does not know did not change. */
export function compareKept(before: Kept, now: Kept, parts: KeptParts): Difference[] {
	const isOther = (a: unknown, b: unknown) => a !== undefined && b !== undefined && a !== b;
	const differences: Difference[] = [];
	const fields = parts.fields.filter((_, index) =>
		isOther(before.fields[index], now.fields[index]),
	);
	if (fields.length > 0) differences.push({ event: 'updated', fields });
	const { consent: from } = before;
	const { consent: to } = now;
	if (from !== undefined && to !== undefined && from !== to) {
		differences.push({ event: 'consentChanged', from, to });
	}
	const had = before.tags;
	const has = now.tags;
	if (!had || !has) return differences;
	for (const tag of has) if (!had.includes(tag)) differences.push({ event: 'tagAdded', tag });
	for (const tag of had) if (!has.includes(tag)) differences.push({ event: 'tagRemoved', tag });
	return differences;
}

/** What is known after a reading: the newest of each part. */
export function mergeKept(before: Kept, now: Kept): Kept {
	return {
		consent: now.consent ?? before.consent,
		fields: now.fields.map((field, index) => field ?? before.fields[index]),
		tags: now.tags ?? before.tags,
	};
}

const CONSENT_LETTERS: Readonly<Record<OptInStatus, string>> = {
	none: 'n',
	pending: 'p',
	confirmed: 'c',
	opted_out: 'o',
};

const CONSENTS = new Map(
	Object.entries(CONSENT_LETTERS).map(([consent, letter]) => [letter, consent as OptInStatus]),
);

/** Stands for a part that is not known. No digest holds it. */
const UNKNOWN = '?';

/**
 * What is kept as text: a letter for consent, six characters for each field, six for each tag. Parts
 * that are not watched take no space.
 */
export function packKept({ consent, fields, tags }: Kept, parts: KeptParts): string {
	const letter = consent === undefined ? UNKNOWN : CONSENT_LETTERS[consent];
	const digests = fields.map((field) => field ?? UNKNOWN.repeat(DIGEST_CHARACTERS));
	return [
		parts.consent ? letter : '',
		...digests,
		parts.tags ? (tags?.join('') ?? UNKNOWN) : '',
	].join('');
}

/** What `packKept` packed. */
export function unpackKept(text: string, parts: KeptParts): Kept {
	const consentEnd = parts.consent ? 1 : 0;
	const fieldsEnd = consentEnd + parts.fields.length * DIGEST_CHARACTERS;
	const tags = text.slice(fieldsEnd);
	return {
		consent: CONSENTS.get(text.slice(0, consentEnd)),
		fields: piecesOf(text.slice(consentEnd, fieldsEnd)).map((piece) =>
			piece.startsWith(UNKNOWN) ? undefined : piece,
		),
		...(parts.tags && tags !== UNKNOWN && { tags: piecesOf(tags) }),
	};
}

const PIECES = new RegExp(`.{${DIGEST_CHARACTERS}}`, 'g');

function piecesOf(text: string): string[] {
	return text.match(PIECES) ?? [];
}
