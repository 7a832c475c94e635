import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { readContact, type OptInStatus, type WireRecord } from '../api/types';
import { isCampaignAttribute } from '../domain/campaignMark';
import { isJsonObject } from '../domain/json';
import { surelyMatches, type ChangeEvent, type Watched } from './watched';

/** One event, and the contact that it is about. */
export interface Change {
	event: ChangeEvent;
	/** As it was read; of an erased one only the ID. */
	contact: WireRecord;
	/** What differs; the name of a removed tag comes later. */
	changed?: IDataObject;
	/** For 'Tag Removed': the digest of the tag. */
	removedTag?: string;
	/** For 'Left' and 'Erased': what was kept, with tags as digests. */
	before?: { consent?: OptInStatus; tags?: readonly string[] };
}

/** What is known of each contact, by ID: a snapshot, and how many complete lists in a row lacked it. */
export type ContactMap = Map<string, { misses: number; snapshot: string }>;

/** The `misses` of a contact that the list lacks, but that its ID still gives: it belongs there. */
const HIDDEN = 2;

/** A list compared with the one before. Nothing counts until the list is complete. */
export class Comparison {
	/** All of them, chosen or not. */
	readonly changes: Change[] = [];

	/** What the next list is compared with. */
	readonly contacts: ContactMap = new Map();

	/** @param before undefined for a first reading, which gives no events without 'Start for Existing Contacts' */
	constructor(
		private readonly before: ContactMap | undefined,
		private readonly watched: Watched,
	) {}

	/** Takes a contact of the list. */
	take(id: string, record: WireRecord): void {
		const known = this.before?.get(id);
		const snapshot = toSnapshot(record, this.watched);
		this.contacts.set(id, { misses: 0, snapshot });
		if (known) this.changes.push(...differences(record, known.snapshot, snapshot, this.watched));
		else if (this.before || this.watched.startForExisting) {
			this.changes.push({ event: 'entered', contact: record });
		}
	}

	/**
	 * Call it after the last contact of a complete list.
	 *
	 * @returns the IDs to ask for: missing from two lists in a row. A hidden one is asked for again only
	 * once another one is back, which says that the list has changed.
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

	/** Takes what the ID of a missing contact gave; undefined if there is no such contact any more. */
	takeMissing(id: string, found: WireRecord | undefined): void {
		const { snapshot = '' } = this.contacts.get(id) ?? {};
		if (found && surelyMatches(this.watched, readContact(found))) {
			this.contacts.set(id, { misses: HIDDEN, snapshot });
			return;
		}
		this.contacts.delete(id);
		const { consent, tags } = readSnapshot(snapshot, this.watched);
		const before = { consent, ...(this.watched.hasTags && { tags }) };
		this.changes.push({ event: found ? 'left' : 'erased', contact: found ?? { id }, before });
	}
}

function differences(contact: WireRecord, before: string, now: string, watched: Watched): Change[] {
	if (before === now) return [];
	const [had, has] = [readSnapshot(before, watched), readSnapshot(now, watched)];
	const changes: Change[] = [];
	const fields = watched.fields.filter((_, index) => had.fields[index] !== has.fields[index]);
	if (fields.length > 0) changes.push({ event: 'updated', contact, changed: { fields } });
	const [from, to] = [had.consent, has.consent];
	if (from && to && from !== to) {
		const changed = { opt_in_status: { from, to } };
		changes.push({ event: 'consentChanged', contact, changed });
	}
	for (const tag of new Set(readContact(contact).tags)) {
		if (!had.tags.includes(digest(tag))) {
			changes.push({ event: 'tagAdded', contact, changed: { tag } });
		}
	}
	for (const removedTag of had.tags) {
		if (!has.tags.includes(removedTag)) changes.push({ event: 'tagRemoved', contact, removedTag });
	}
	return changes;
}

/** 36 bits of a hash. One change in 70,000 million keeps the digest and is missed. */
const DIGEST_CHARACTERS = 6;

const DIGESTS = new RegExp(`.{${DIGEST_CHARACTERS}}`, 'g');

/** A short text for a JSON value, whatever the order of its keys. */
export function digest(value: unknown): string {
	const text = JSON.stringify(value, withSortedKeys);
	return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_CHARACTERS);
}

function withSortedKeys(_key: string, value: unknown): unknown {
	if (!isJsonObject(value)) return value;
	const names = Object.keys(value).sort();
	return Object.fromEntries(names.map((name) => [name, value[name]]));
}

const STATUSES: readonly OptInStatus[] = ['none', 'pending', 'confirmed', 'opted_out'];

/**
 * What is stored of a contact, without personal data: the first letter of the opt-in status, and digests
 * of the watched fields and of the tags. A field that the record lacks counts as empty.
 */
function toSnapshot(record: WireRecord, { fields, hasTags }: Watched): string {
	const { optInStatus, attributes, tags } = readContact(record);
	const own = Object.entries(attributes).filter(([name]) => !isCampaignAttribute(name));
	const values: WireRecord = { ...record, attributes: Object.fromEntries(own) as IDataObject };
	const fieldDigests = fields.map((field) => digest(values[field] ?? null));
	const tagDigests = hasTags ? [...new Set(tags.map(digest))].sort() : [];
	return [optInStatus?.charAt(0) ?? '?', ...fieldDigests, ...tagDigests].join('');
}

function readSnapshot(snapshot: string, { fields }: Watched) {
	const digests = snapshot.slice(1).match(DIGESTS) ?? [];
	return {
		consent: STATUSES.find((status) => status.charAt(0) === snapshot.charAt(0)),
		fields: digests.slice(0, fields.length),
		tags: digests.slice(fields.length),
	};
}
