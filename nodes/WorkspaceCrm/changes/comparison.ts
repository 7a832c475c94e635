import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { readContact, type WireRecord } from '../crm/records';
import { withoutMarks } from '../domain/campaignMark';
import { OPT_IN_STATUSES, type OptInStatus } from '../domain/consent';
import { isJsonObject } from '../domain/plainData';
import { asName } from '../domain/sameText';
import { parseUtcMs } from '../domain/time';
import { surelyMatches, type ChangeEvent, type Watched } from './watched';

/** One event, and the contact that it is about. */
export interface Difference {
	event: ChangeEvent;
	/** The record from the list; only the ID for an erased contact. */
	contact: WireRecord;
	/** The difference. `toChangeOutput` adds the name of a removed tag. */
	changed?: IDataObject;
	/** For 'Tag Removed': the digest of the tag. */
	removedTag?: string;
	/** For 'Left' and 'Erased': the last known state, with tags as digests. */
	before?: { consent?: OptInStatus; tags?: readonly string[] };
}

/** A difference from the list before. */
export interface Change extends Difference {
	/** The ID in the list. */
	id: string;
	/** What the list before says of the contact; undefined if it lacks the contact. */
	known?: KnownContact;
}

/** The last snapshot, and how many complete lists in a row lacked the contact. */
export interface KnownContact {
	misses: number;
	snapshot: string;
}

/** By ID. */
export type ContactMap = Map<string, KnownContact>;

/** The `misses` of a contact that the list lacks, although it exists and matches the filter. */
const HIDDEN = 2;

/** Compares a list with the one before. Use the result only once the list is complete. */
export class Comparison {
	/** All changes, including events that the user has not chosen. */
	readonly changes: Change[] = [];

	/** The baseline for the next list. */
	readonly contacts: ContactMap = new Map();

	/** @param before undefined for a first poll, which returns no events without 'Start for Existing Contacts' */
	constructor(
		private readonly before: ContactMap | undefined,
		private readonly watched: Watched,
	) {}

	/** Takes a contact of the list. */
	take(id: string, record: WireRecord): void {
		const known = this.before?.get(id);
		const snapshot = toSnapshot(record, this.watched);
		this.contacts.set(id, { misses: 0, snapshot });
		if (known) this.add(id, ...differences(record, known.snapshot, snapshot, this.watched));
		else if (this.before || this.watched.startForExisting) {
			this.add(id, { event: 'entered', contact: record });
		}
	}

	private add(id: string, ...found: Difference[]): void {
		const known = this.before?.get(id);
		for (const difference of found) this.changes.push({ ...difference, id, known });
	}

	/**
	 * Call it after the last contact of a complete list.
	 *
	 * @returns the IDs to look up: missing from two lists in a row. A hidden contact is looked up again only
	 * when another missing contact is back, which shows that the list has changed.
	 */
	findMissing(): string[] {
		const before = [...(this.before ?? [])];
		const isBack = before.some(([id, { misses }]) => misses > 0 && this.contacts.has(id));
		const due: string[] = [];
		for (const [id, { misses, snapshot }] of before) {
			if (this.contacts.has(id)) continue;
			const isHidden = misses === HIDDEN && !isBack;
			this.contacts.set(id, { misses: isHidden ? HIDDEN : 1, snapshot });
			if (misses > 0 && !isHidden) due.push(id);
		}
		return due;
	}

	/** Takes the record of a missing contact; undefined if the contact no longer exists. */
	takeMissing(id: string, found: WireRecord | undefined): void {
		const { snapshot = '' } = this.contacts.get(id) ?? {};
		if (found && surelyMatches(this.watched, readContact(found))) {
			this.contacts.set(id, { misses: HIDDEN, snapshot });
			return;
		}
		this.contacts.delete(id);
		const { consent, tags } = readSnapshot(snapshot, this.watched);
		const before = { consent, ...(this.watched.hasTags && { tags }) };
		this.add(id, { event: found ? 'left' : 'erased', contact: found ?? { id }, before });
	}
}

function differences(
	contact: WireRecord,
	before: string,
	now: string,
	watched: Watched,
): Difference[] {
	if (before === now) return [];
	const [had, has] = [readSnapshot(before, watched), readSnapshot(now, watched)];
	const changes: Difference[] = [];
	const fields = watched.fields.filter((_, index) => had.fields[index] !== has.fields[index]);
	if (fields.length > 0) changes.push({ event: 'updated', contact, changed: { fields } });
	const [from, to] = [had.consent, has.consent];
	if (from && to && from !== to) {
		const changed = { opt_in_status: { from, to } };
		changes.push({ event: 'consentChanged', contact, changed });
	}
	for (const [added, tag] of byDigest(readContact(contact).tags)) {
		if (!had.tags.includes(added)) changes.push({ event: 'tagAdded', contact, changed: { tag } });
	}
	for (const removedTag of had.tags) {
		if (!has.tags.includes(removedTag)) changes.push({ event: 'tagRemoved', contact, removedTag });
	}
	return changes;
}

/** 36 bits of a hash: one change in 70,000 million keeps its digest and is missed. */
const DIGEST_CHARACTERS = 6;

/** `DIGEST_CHARACTERS` each. */
const DIGESTS = /.{6}/g;

/** Of texts and of nothing: contacts share tags, locales and sources. */
const digests = new Map<unknown, string>();

/** A short hash of what a value means, however the service writes it. */
export function digest(value: unknown): string {
	const known = digests.get(value);
	if (known !== undefined) return known;
	const text = meaningOf(value) ?? '';
	const hash = createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_CHARACTERS);
	if (digests.size > 1_000) digests.clear();
	if (typeof value !== 'object' || value === null) digests.set(value, hash);
	return hash;
}

const HAS_TIME = /^\s*\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}/i;

/** Changes below this level of an attribute are not seen: others may write what n8n's stack cannot hold. */
const MAX_LEVELS = 100;

/**
 * What a value means, as text: blank and empty values are nothing, times are instants, names and texts are asName, and
 * the order of an object's parts is no matter. A text holds each part once, however deep: JSON within JSON would
 * double its escapes on each level.
 */
function meaningOf(value: unknown, level = 0): string | undefined {
	if (typeof value === 'string') {
		const atMs = HAS_TIME.test(value) ? parseUtcMs(value) : NaN;
		const text = Number.isNaN(atMs) ? asName(value) : '';
		return Number.isNaN(atMs) ? (text === '' ? undefined : JSON.stringify(text)) : `@${atMs}`;
	}
	if (value === undefined || value === null) return undefined;
	if (level === MAX_LEVELS) return '…';
	const partOf = (part: unknown) => meaningOf(part, level + 1);
	if (Array.isArray(value)) {
		const list = value.flatMap((part) => partOf(part) ?? []);
		return list.length === 0 ? undefined : `[${list.join()}]`;
	}
	if (!isJsonObject(value)) return String(value);
	const object = Object.entries(value).flatMap(([name, part]) => {
		const meaning = partOf(part);
		return meaning === undefined ? [] : [`${JSON.stringify(asName(name))}:${meaning}`];
	});
	return object.length === 0 ? undefined : `{${object.sort().join()}}`;
}

/** Tags by digest. */
function byDigest(tags: readonly string[]): Map<string, string> {
	return new Map(tags.filter((tag) => asName(tag) !== '').map((tag) => [digest(tag), tag]));
}

/**
 * The stored form of a contact, without personal data: the first letter of the opt-in status, then
 * digests of the watched fields and of the tags.
 */
function toSnapshot(record: WireRecord, { fields, hasTags }: Watched): string {
	const { optInStatus, attributes, tags } = readContact(record);
	const valueOf = (field: string) =>
		field === 'attributes' ? withoutMarks(attributes) : record[field];
	const fieldDigests = fields.map((field) => digest(valueOf(field)));
	const tagDigests = hasTags ? [...byDigest(tags).keys()].sort() : [];
	return [optInStatus?.charAt(0) ?? '?', ...fieldDigests, ...tagDigests].join('');
}

function readSnapshot(snapshot: string, { fields }: Watched) {
	const digests = snapshot.slice(1).match(DIGESTS) ?? [];
	return {
		consent: OPT_IN_STATUSES.find((status) => status.charAt(0) === snapshot.charAt(0)),
		fields: digests.slice(0, fields.length),
		tags: digests.slice(fields.length),
	};
}
