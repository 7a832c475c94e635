import type { IPollFunctions } from 'n8n-workflow';

import { path } from '../api/urls';
import type { Contact } from '../api/types';
import { InputProblem } from '../domain/problem';
import type { Field, Params } from '../operations/fieldKinds';
import { readTriggerParams } from '../operations/triggerParams';
import { toContactQuery } from '../resources/contactFilters';
import { digest, WATCHABLE_FIELDS, type WatchedParts } from './snapshot';
import {
	eventLabel,
	EVENTS_OF,
	watchFields,
	type ChangeEvent,
	type WatchKind,
} from './watchFields';

/** What the user wants to hear of. */
export interface Watched {
	kind: WatchKind;
	/** The list that is read. */
	path: string;
	query: Record<string, string>;
	/** What a row is that comes as a bare text. */
	textsAre: 'id' | 'name';
	events: ReadonlySet<ChangeEvent>;
	parts: WatchedParts;
	simplify: boolean;
	startForExisting: boolean;
	/** Digest of all fields that decide what a baseline holds. */
	key: string;
}

/** @throws InputProblem when a field cannot be used */
export function readWatched(context: IPollFunctions): Watched {
	const { watch: kind } = readTriggerParams(context, [watchFields[0]]);
	const params = readShown(context, kind);
	const events = readEvents(kind, params.events ?? []);
	const parts: WatchedParts = {
		consent: events.has('consentChanged'),
		tags: events.has('tagAdded') || events.has('tagRemoved'),
		fields: events.has('updated') ? readFields(params.fields ?? []) : [],
	};
	const isSegment = kind === 'segment';
	const segment = params.segmentId?.value ?? '';
	const list = {
		path: isSegment ? path`/v1/segments/${segment}/contacts` : path`/v1/contacts`,
		query: kind === 'filter' ? readQuery(params.filters ?? {}) : {},
	};
	return {
		kind,
		...list,
		textsAre: isSegment ? 'id' : 'name',
		events,
		parts,
		simplify: params.simplify ?? true,
		startForExisting: params.options?.startForExisting ?? false,
		key: digest({ ...list, parts }),
	};
}

/** Of fields that have the same name, only the one that is shown counts. */
function readShown(context: IPollFunctions, kind: WatchKind): Partial<Params<typeof watchFields>> {
	const isShown = ({ showWhen }: Field) => !showWhen?.watch || showWhen.watch.includes(kind);
	return readTriggerParams(context, watchFields.filter(isShown));
}

function readEvents(kind: WatchKind, chosen: readonly string[]): Set<ChangeEvent> {
	const offered: readonly string[] = EVENTS_OF[kind];
	const other = chosen.find((event) => !offered.includes(event));
	if (other !== undefined) {
		throw new InputProblem(
			`'Trigger On' holds "${other}", which does not fit what is watched`,
			`Choose from: ${EVENTS_OF[kind].map(eventLabel).join(', ')}. The rows of a segment need not carry more than an ID.`,
		);
	}
	if (chosen.length > 0) return new Set(EVENTS_OF[kind].filter((event) => chosen.includes(event)));
	throw new InputProblem('No event is chosen', "Choose at least one in 'Trigger On'.");
}

function readFields(chosen: readonly string[]): WatchedParts['fields'] {
	const fields = WATCHABLE_FIELDS.filter((field) => chosen.includes(field));
	if (fields.length > 0 && fields.length === new Set(chosen).size) return fields;
	throw new InputProblem(
		"'Fields' holds no field that can be watched, or another one",
		`Choose from: ${WATCHABLE_FIELDS.join(', ')}.`,
	);
}

function readQuery(filters: Parameters<typeof toContactQuery>[0]): Record<string, string> {
	const query = toContactQuery(filters);
	if (Object.keys(query).length > 0) return query;
	throw new InputProblem(
		"'Contacts by Filter' is chosen, but no filter is set",
		"Add a filter, or choose 'Segment' or 'All Contacts' in 'Watch'.",
	);
}

/**
 * Whether a contact surely matches the filter, although a list was read without it. Of a search, nobody
 * but the service can tell.
 */
export function surelyMatches({ kind, query }: Watched, contact: Contact): boolean {
	if (kind === 'all') return true;
	if (kind === 'segment' || 'search' in query) return false;
	const { tag, opt_in_status } = query;
	const hasTag = tag === undefined || contact.tags.includes(tag);
	return hasTag && (opt_in_status === undefined || contact.optInStatus === opt_in_status);
}
