import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { CrmError } from '../api/errors';
import type { Clock } from '../api/clock';
import type { Output } from './define';

/** n8n repeats a failed node within a minute; after this, a run of it is over for certain. */
const KEEP_MS = 15 * 60_000;

/**
 * What was done for the items of each run of a node, kept for a while after. n8n's "Retry On Fail"
 * runs the whole node again, also for the items that had succeeded; without this it would send
 * their messages twice.
 */
export type DoneItems = Map<
	string,
	{ touchedMs: number; outcomes: Map<string, Output | CrmError> }
>;

/** Shared by all executions in this process. */
export const processDoneItems: DoneItems = new Map();

/**
 * Does something that cannot be taken back, at most once for an item of a node's run. When the same
 * run comes again, it gives what came of the first time; and where that is unclear, it does not try
 * again either.
 *
 * @param params what the item is done with; with other values it is another deed
 */
export async function onceForItem(
	context: IExecuteFunctions,
	done: DoneItems,
	clock: Clock,
	item: number,
	params: object,
	act: () => Promise<Output>,
): Promise<Output> {
	const run = runKey(context, item);
	if (run === undefined) return await act();

	const outcomes = outcomesOf(done, run, clock.now());
	const deed = createHash('sha256')
		.update(JSON.stringify([item, params]))
		.digest('base64');
	const before = outcomes.get(deed);
	if (before instanceof CrmError) throw before;
	if (before !== undefined) return before;
	const doing = act();
	doing.then(
		(output) => outcomes.set(deed, output),
		(error) => {
			if (error instanceof CrmError && error.mayHaveHappened) outcomes.set(deed, error);
		},
	);
	return await doing;
}

/** An AI agent may well mean to do the same thing twice in one run, so its calls have no key. */
function runKey(context: IExecuteFunctions, item: number): string | undefined {
	const executionId = context.getExecutionId();
	const { id, type } = context.getNode();
	if (!executionId || type.endsWith('Tool')) return undefined;
	return `${executionId}/${id}/${context.getWorkflowDataProxy(item).$runIndex}`;
}

function outcomesOf(done: DoneItems, run: string, nowMs: number): Map<string, Output | CrmError> {
	for (const [key, { touchedMs }] of done) if (nowMs - touchedMs > KEEP_MS) done.delete(key);
	const outcomes = done.get(run)?.outcomes ?? new Map<string, Output | CrmError>();
	done.set(run, { touchedMs: nowMs, outcomes });
	return outcomes;
}
