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

/** Which parts of a contact are watched. */
export interface WatchedParts {
	readonly consent: boolean;
	readonly fields: readonly WatchableField[];
	readonly tags: boolean;
}

/** The watched parts of a contact, as they are stored: no personal data. A part that is not watched is empty. */
export interface Snapshot {
	/** The first letter of the opt-in status. */
	readonly consent: string;
	/** A digest for each field. */
	readonly fields: readonly string[];
	/** The digests of the tags, sorted and joined. */
	readonly tags: string;
}

/** 36 bits of a hash. One change in 70,000 million keeps the digest and is missed. */
const DIGEST_CHARACTERS = 6;

/** A part that the record did not carry. No digest contains it. */
const UNKNOWN = '?';

/** A short text for a JSON value, whatever the order of its keys. */
export function digest(value: unknown): string {
	const text = toJsonText(inOrder(value)) ?? 'null';
	return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_CHARACTERS);
}

function inOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inOrder);
	if (!isJsonObject(value)) return value;
	const names = Object.keys(value).sort();
	return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]));
}

/** Takes parts that the record does not carry from the snapshot before, so that they count as unchanged. */
export function toSnapshot(record: WireRecord, parts: WatchedParts, before?: Snapshot): Snapshot {
	const { optInStatus, tags } = readContact(record);
	const hasTags = Array.isArray(record.tags);
	const consent = optInStatus?.charAt(0) ?? before?.consent ?? UNKNOWN;
	return {
		consent: parts.consent ? consent : '',
		fields: parts.fields.map((field, index) => {
			if (field in record) return fieldDigest(record, field);
			return before?.fields[index] ?? UNKNOWN.repeat(DIGEST_CHARACTERS);
		}),
		tags: parts.tags ? (hasTags ? tagDigests(tags) : (before?.tags ?? UNKNOWN)) : '',
	};
}

function fieldDigest(record: WireRecord, field: WatchableField): string {
	if (field !== 'attributes') return digest(record[field] ?? null);
	const { attributes } = readContact(record);
	const own = Object.entries(attributes).filter(([name]) => !isCampaignAttribute(name));
	return digest(Object.fromEntries(own));
}

function tagDigests(tags: readonly string[]): string {
	return [...new Set(tags.map(digest))].sort().join('');
}

/** Whether a part differs. What was unknown before did not change. */
export function isChanged(before: string, now: string): boolean {
	return before !== now && !before.startsWith(UNKNOWN);
}

/** The digests of the tags in a snapshot; undefined if unknown. */
export function tagsIn({ tags }: Snapshot): string[] | undefined {
	return tags === UNKNOWN ? undefined : piecesOf(tags);
}

const STATUSES: readonly OptInStatus[] = ['none', 'pending', 'confirmed', 'opted_out'];

/** Undefined if unknown or not watched. */
export function consentIn({ consent }: Snapshot): OptInStatus | undefined {
	return STATUSES.find((status) => status.charAt(0) === consent);
}

export function packSnapshot({ consent, fields, tags }: Snapshot): string {
	return [consent, ...fields, tags].join('');
}

export function unpackSnapshot(text: string, parts: WatchedParts): Snapshot {
	const consentEnd = parts.consent ? 1 : 0;
	const fieldsEnd = consentEnd + parts.fields.length * DIGEST_CHARACTERS;
	return {
		consent: text.slice(0, consentEnd),
		fields: piecesOf(text.slice(consentEnd, fieldsEnd)),
		tags: text.slice(fieldsEnd),
	};
}

const PIECES = new RegExp(`.{${DIGEST_CHARACTERS}}`, 'g');

function piecesOf(text: string): string[] {
	return text.match(PIECES) ?? [];
}
