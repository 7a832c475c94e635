import type { INodeExecutionData } from 'n8n-workflow';

import type { Api } from '../api/client';
import { MAX_PAGE_SIZE } from '../api/pagination';
import { REFERENCE_RULE } from '../api/rateLimiter';
import { toChangeOutput } from './changeOutput';
import type { Watched } from './watched';

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
