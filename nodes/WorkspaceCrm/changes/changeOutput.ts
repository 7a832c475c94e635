import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Api } from '../crm/client';
import { MAX_PAGE_SIZE } from '../crm/pagination';
import { REFERENCE_RULE } from '../crm/rateLimiter';
import { tagNames } from '../resources/tag';
import { digest, type Difference } from './comparison';
import { WATCHABLE_FIELDS, type Watched } from './watched';

/** The names of tags, by digest. Deleted tags are missing. */
type TagNames = ReadonlyMap<string, string>;

/** Reads the names of removed tags. If the request fails, they stay unnamed: the poll is worth more. */
export async function readTagNames(api: Api, changes: readonly Difference[]): Promise<TagNames> {
	const isNeeded = changes.some(({ removedTag, before }) => removedTag ?? before?.tags?.[0]);
	const names = isNeeded ? await tagNames(api).catch(() => []) : [];
	return new Map(names.map((name) => [digest(name), name]));
}

const SIMPLE_FIELDS: string[] = ['id', 'phone', 'opt_in_status', 'tags', ...WATCHABLE_FIELDS];

/** The output item: the event, the contact, the change, and the state before if known. */
export function toChangeOutput(
	change: Difference,
	tagNames: TagNames,
	simplify: boolean,
): IDataObject {
	const { event, contact, changed = {}, removedTag, before } = change;
	const simple = Object.entries(contact).filter(([field]) => SIMPLE_FIELDS.includes(field));
	const nameOf = (tag: string) => tagNames.get(tag) ?? null;
	return {
		event,
		contact: simplify ? Object.fromEntries(simple) : contact,
		changed: removedTag === undefined ? changed : { tag: nameOf(removedTag) },
		...(before && { before: { opt_in_status: before.consent, tags: before.tags?.map(nameOf) } }),
	};
}

/** The sample items for the editor's test: one contact for each chosen event, and the cost of a poll. */
export async function sampleChanges(api: Api, watched: Watched): Promise<INodeExecutionData[]> {
	const { list, events, simplify } = watched;
	const { records, total = records.length } = await api.page(list.call, list);
	const requests = Math.ceil(total / MAX_PAGE_SIZE);
	const cost = `Polling every minute uses ${requests} of your ${REFERENCE_RULE.limit} requests per minute`;
	return [...events].flatMap((event, index) => {
		const contact = records[index % records.length];
		if (!contact) return [];
		const output = toChangeOutput({ event, contact }, new Map(), simplify);
		return [{ json: { ...output, sample: { contacts: total, cost } } }];
	});
}
