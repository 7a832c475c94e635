import type { INodeExecutionData } from 'n8n-workflow';

import { firstText, readChoice } from '../api/assumptions';
import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { MAX_PAGE_SIZE } from '../api/pagination';
import { REFERENCE_RULE } from '../api/rateLimiter';
import { readContact, type WireRecord } from '../api/types';
import { path } from '../api/urls';
import { isJsonObject } from '../domain/json';
import { InputProblem } from '../domain/problem';
import { toChangeOutput, unnamedTags, type Change, type TagNames } from './changeOutput';
import type { Found } from './comparison';
import { digest } from './snapshot';
import { surelyMatches, type Watched } from './watched';

/** A poll takes at most 100 requests for its list. */
const MAX_CONTACTS = 10_000;

/** Hands over each contact of the list once. @throws if the list is incomplete or too long */
export async function readContacts(
	api: Api,
	watched: Watched,
	take: (id: string, record: WireRecord) => void,
): Promise<void> {
	const { path: listPath, query, textsAre } = watched;
	const firstPage = await api.page({ ...watched, offset: 0 });
	if ((firstPage.total ?? 0) > MAX_CONTACTS) throw tooLong();
	const ifIncomplete = 'The list has to be complete to be compared.';
	const list = { path: listPath, query, textsAre, firstPage, ifIncomplete };
	let count = 0;
	await api.visit({ ...list, isPaged: true, maxRecords: Infinity }, (record) => {
		count += 1;
		if (count > MAX_CONTACTS) throw tooLong();
		take(idOf(record), record);
	});
}

/**
 * The ID of the contact in a row. The API reference does not show the rows of a segment.
 *
 * @throws CrmError if there is none: the contact would count as missing
 */
function idOf(row: WireRecord): string {
	const { contact } = row;
	const record = isJsonObject(contact) ? (contact as WireRecord) : row;
	const id = firstText(row, ['contact_id']) ?? firstText(record, ['id']);
	if (id !== undefined) return id;
	throw new CrmError(
		'The service lists a contact without an ID, so lists cannot be compared',
		'Report this to the provider of the service.',
	);
}

function tooLong(): InputProblem {
	const most = MAX_CONTACTS.toLocaleString('en');
	return new InputProblem(
		`The list has more than ${most} contacts`,
		'Narrow it: watch a segment, or use a filter.',
	);
}

/** Only a 404 by its ID says that a contact is erased (API reference, errors). */
export async function findContact(api: Api, watched: Watched, id: string): Promise<Found> {
	const asking = api.sendForRecord({ method: 'GET', path: path`/v1/contacts/${id}` });
	const record = await asking.catch((error: unknown) => {
		if (error instanceof CrmError && error.status === 404) return 'erased' as const;
		throw error;
	});
	if (record === 'erased') return record;
	return surelyMatches(watched, readContact(record)) ? 'hidden' : record;
}

/** The names of removed tags, for which a failed request is not worth losing the poll. */
export async function nameTags(api: Api, changes: Change[]): Promise<TagNames> {
	const names = changes.flatMap(({ contact }) => readContact(contact).tags);
	const tagNames = new Map(names.map((name) => [digest(name), name]));
	if (unnamedTags(changes).every((tag) => tagNames.has(tag))) return tagNames;
	const list = { path: path`/v1/tags`, isPaged: false, maxRecords: Infinity };
	for (const record of await api.list(list).catch(() => [])) {
		const name = readChoice(record)?.name;
		if (name !== undefined) tagNames.set(digest(name), name);
	}
	return tagNames;
}

/**
 * What the editor's test shows: a contact of the list for each chosen event, and what a poll costs. Null if
 * the list is empty.
 */
export async function sampleChanges(
	api: Api,
	watched: Watched,
): Promise<INodeExecutionData[][] | null> {
	const { records, total = records.length } = await api.page({ ...watched, offset: 0 });
	if (records.length === 0) return null;
	const requests = Math.max(1, Math.ceil(total / MAX_PAGE_SIZE));
	const cost = `Polling every minute uses ${requests} of your ${REFERENCE_RULE.limit} requests per minute`;
	const items = [...watched.events].flatMap((event, index): INodeExecutionData[] => {
		const contact = records[index % records.length];
		if (contact === undefined) return [];
		const output = toChangeOutput({ event, contact }, new Map(), watched.simplify);
		return [{ json: { ...output, sample: { contacts: total, cost } } }];
	});
	return [items];
}
