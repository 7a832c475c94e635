import type { IDataObject, IRunExecutionData } from 'n8n-workflow';

import { CHANGES } from '../n8n/changesRuns';
import { outputItems } from '../n8n/executionData';
import { finalStatuses, type ExecutionSummary } from '../n8n/n8nRestClient';
import { eventually, type Testbed } from '../n8n/testbed';

/** One event of the trigger, and the execution that it started. */
export interface StartedEvent {
	event: string;
	contactId: string;
	executionId: string;
	startedMs: number;
}

/** n8n lists no more at once. */
const PAGE = 100;

/** The events of all executions of a workflow that have an id above `after`. */
export async function eventsOf(
	bed: Testbed,
	workflowId: string,
	after = 0,
): Promise<StartedEvent[]> {
	const all = await eventually(
		async () => await listAfter(bed, workflowId, after),
		(each) => each.every(({ status }) => finalStatuses.includes(status)),
	);
	const events: StartedEvent[] = [];
	for (const { id, startedAt } of all) {
		const { data } = await bed.n8n.rest.getExecution(id);
		for (const { event, contact } of itemsOf(data)) {
			const contactId = String((contact as IDataObject).id);
			const startedMs = Date.parse(startedAt);
			events.push({ event: String(event), contactId, executionId: id, startedMs });
		}
	}
	return events;
}

async function listAfter(
	{ n8n }: Testbed,
	workflowId: string,
	after: number,
): Promise<ExecutionSummary[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const all: ExecutionSummary[] = [];
	for (;;) {
		const before = all.length > 0 ? `&lastId=${all[all.length - 1].id}` : '';
		const path = `/executions?filter=${filter}&limit=${PAGE}${before}`;
		const { results } = await n8n.rest.get<{ results: ExecutionSummary[] }>(path);
		all.push(...results.filter(({ id }) => Number(id) > after));
		if (results.length < PAGE || Number(results[results.length - 1].id) <= after) return all;
	}
}

/** Of an execution that was killed before its first node was done, what n8n had stored to begin with. */
function itemsOf(data: IRunExecutionData): IDataObject[] {
	const items = outputItems(data, CHANGES);
	if (items.length > 0) return items;
	const [first] = data.executionData?.nodeExecutionStack ?? [];
	return (first?.data.main[0] ?? []).map(({ json }) => json);
}
