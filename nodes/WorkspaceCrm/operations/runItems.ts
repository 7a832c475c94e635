import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import type { JsonObject } from '../domain/json';
import { calledWith } from '../n8n/toolCall';
import type { AnyItemOperation, BulkItem, Outcome, Output, Run } from './define';

/** An item that could be read: its index and the values of its fields. */
interface ReadItem {
	item: number;
	params: JsonObject;
}

/** What the earlier tries of a run (Retry On Fail) did for an item. */
interface ItemWork {
	/** Its result, if no further try may or need do it again. */
	end?: Promise<Output>;
	/** Whether a failed try may have taken effect. */
	mayBeDone: boolean;
}

/** The work of each run, by its key and by item. A WeakMap, so that it ends with the execution. */
const worksOfRuns = new WeakMap<object, ItemWork[]>();

/**
 * Returns an object that identifies a run of a node or a call of a tool. "Retry On Fail" runs the node
 * again, with all its items and the same object; any other run or call has another one.
 */
export function runKeyOf(context: IExecuteFunctions): object {
	return calledWith(context) ?? context.getExecuteData();
}

/**
 * Runs an operation for each item: the items of a group in order, five groups at a time.
 *
 * If the run continues, one failure does not stop the rest, unless it affects every request. Otherwise
 * no further item is started, and those under way finish.
 *
 * @returns the outcome of each item; undefined for items that were not started because one ended the run
 */
export async function runItems(
	operation: AnyItemOperation,
	api: Api,
	items: Array<BulkItem<JsonObject>>,
	run: Run,
): Promise<Array<Outcome | undefined>> {
	const key = runKeyOf(run.context);
	const works = worksOfRuns.get(key) ?? [];
	worksOfRuns.set(key, works);
	const continues = run.context.continueOnFail();
	const stop = run.context.getExecutionCancelSignal();
	const { groups, outcomes } = groupByKey(operation, items);
	let refusal: CrmError | undefined;
	let isOver = !continues && outcomes.some((outcome) => outcome !== undefined);
	const runItem = async ({ item, params }: ReadItem): Promise<void> => {
		if (isOver) return;
		const work = (works[item] ??= { mayBeDone: false });
		const outcome = await once(work, operation, api, params, run);
		outcomes[item] = outcome;
		const { error } = outcome;
		if (error === undefined) return;
		if (error instanceof CrmError && error.concernsAll) {
			refusal ??= error.withMessage(`Not tried, because item ${item + 1} was refused`);
		}
		isOver ||= !continues || refusal !== undefined || stop?.aborted === true;
	};
	// The first item runs alone, so that a bad key is refused once and not five times.
	const first = groups[0]?.shift();
	if (first) await runItem(first);
	await forEachAtOnce(groups, ITEMS_AT_ONCE, async (group) => {
		for (const item of group) await runItem(item);
	});
	const notTried = continues ? { json: {}, error: refusal } : undefined;
	return outcomes.map((outcome) => outcome ?? notTried);
}

/** Groups the readable items by concurrency key, and returns the errors of the others as outcomes. */
function groupByKey(
	{ concurrencyKey }: AnyItemOperation,
	items: Array<BulkItem<JsonObject>>,
): { groups: ReadItem[][]; outcomes: Array<Outcome | undefined> } {
	const groups = new Map<unknown, ReadItem[]>();
	const outcomes: Array<Outcome | undefined> = items.map(() => undefined);
	for (const [item, each] of items.entries()) {
		try {
			if (!('params' in each)) throw each.problem;
			const key = concurrencyKey ? (concurrencyKey(each.params) ?? item) : 'one by one';
			const group = groups.get(key) ?? [];
			group.push({ item, params: each.params });
			groups.set(key, group);
		} catch (error) {
			outcomes[item] = { json: {}, error };
		}
	}
	return { groups: [...groups.values()], outcomes };
}

/**
 * Runs an item, unless an earlier try finished it, or may have done so and it must not be done twice.
 * Then its result is the earlier one. Reads always run again.
 */
async function once(
	work: ItemWork,
	{ effect, execute }: AnyItemOperation,
	api: Api,
	params: JsonObject,
	run: Run,
): Promise<Outcome> {
	const doing = work.end ?? execute(api, params, { ...run, mayBeDone: work.mayBeDone });
	try {
		const json = await doing;
		if (effect !== 'read') work.end = doing;
		return { json };
	} catch (error) {
		if (error instanceof CrmError && error.mayHaveHappened) {
			work.mayBeDone = true;
			if (effect === 'once') work.end = doing;
		}
		return { json: {}, error };
	}
}
