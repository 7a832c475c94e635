import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import { toChangeOutput } from './changeOutput';
import { costText } from './cost';
import type { Watched } from './watched';

/**
 * What the editor's test shows: a real contact for each chosen event, with nothing made up about the
 * past, and what watching costs. Null if the list is empty.
 */
export async function sampleChanges(
	context: IPollFunctions,
	api: Api,
	watched: Watched,
): Promise<INodeExecutionData[][] | null> {
	const { records, total = records.length } = await api.page({ ...watched, offset: 0 });
	if (records.length === 0) return null;
	const cost = costText(total, context.getNodeParameter('pollTimes', {}));
	const items = [...watched.events].flatMap((event, index): INodeExecutionData[] => {
		const contact = records[index % records.length];
		if (contact === undefined) return [];
		const output = toChangeOutput({ event, contact }, new Map(), watched.simplify);
		return [{ json: { ...output, sample: { contacts: total, cost } } }];
	});
	return [items];
}
