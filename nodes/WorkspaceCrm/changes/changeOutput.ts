import type { IDataObject } from 'n8n-workflow';

import type { OptInStatus, WireRecord } from '../api/types';
import type { WatchableField } from './snapshot';
import type { ChangeEvent } from './watchFields';

/** One event, as it is known once its contact was read, or is known to be gone. */
export interface Change {
	event: ChangeEvent;
	/** As it was read; only the id of one that does not exist any more. */
	contact: WireRecord;
	/** For 'Updated'. */
	fields?: WatchableField[];
	/** For 'Consent Changed'. */
	consent?: { from: OptInStatus; to: OptInStatus };
	/** For 'Tag Added' and 'Tag Removed': the digest of the tag. */
	tag?: string;
	/** For 'Left' and 'Erased': what was kept. Tags are digests. */
	before?: { consent?: OptInStatus; tags?: readonly string[] };
}

/** The names of tags by their digests. One that nobody knows is left unnamed. */
export type TagNames = ReadonlyMap<string, string>;

const SIMPLE_FIELDS = [
	'id',
	'phone',
	'name',
	'opt_in_status',
	'tags',
	'locale',
	'source',
	'attributes',
	'last_inbound_at',
];

/** The item that the workflow gets: what happened, to whom, and what is known of before. */
export function toChangeOutput(change: Change, tagNames: TagNames, simplify: boolean): IDataObject {
	const { event, contact, fields, consent, tag, before } = change;
	const changed = {
		...(fields && { fields }),
		...(consent && { opt_in_status: consent }),
		...(tag !== undefined && { tag: tagNames.get(tag) ?? null }),
	};
	const known = {
		...(before?.consent && { opt_in_status: before.consent }),
		...(before?.tags && { tags: before.tags.map((each) => tagNames.get(each) ?? null) }),
	};
	return {
		event,
		contact: simplify ? simplified(contact) : contact,
		changed,
		...(Object.keys(known).length > 0 && { before: known }),
	};
}

/** Fields that the record does not carry are left out. */
function simplified(contact: WireRecord): WireRecord {
	const fields = SIMPLE_FIELDS.filter((field) => field in contact);
	// The rows of a segment are not stated, and may call everything otherwise.
	if (!fields.includes('id')) return contact;
	return Object.fromEntries(fields.map((field) => [field, contact[field]]));
}

/** The digests that need a name which no record at hand gives. */
export function unnamedTags(changes: readonly Change[]): string[] {
	return changes.flatMap(({ tag, before }) => [...(tag ? [tag] : []), ...(before?.tags ?? [])]);
}
