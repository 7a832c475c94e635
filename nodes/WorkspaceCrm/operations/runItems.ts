import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Effect } from '../api/retry';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import type { JsonObject } from '../domain/json';
import type { AnyItemOperation, BulkItem, Outcome, Output, Run } from './define';
import { calledWith } from '../n8n/toolCall';

/** An item that could be read: its index and the values of its fields. */
interface ReadItem {
	item: number;
	params: JsonObject;
}

/**
 * Runs an operation for each item: the items of a group in order, five groups at a time.
 *
 * If the run continues, one failure does not stop the rest, unless it affects every request. Otherwise
 * no further item is started, and those under way finish.
 *
 * @returns the outcome of each item; undefined for items that were not started
 */
export async function runItems(
	operation: AnyItemOperation,
	api: Api,
	items: Array<BulkItem<JsonObject>>,
	run: Run,
): Promise<Array<Outcome | undefined>> {
	const workFor = workOf(run.key);
	const { groups, outcomes } = groupByKey(operation, items);
	let isOver = !run.continues && outcomes.some((outcome) => outcome !== undefined);
	const runItem = async ({ item, params }: ReadItem): Promise<void> => {
		if (isOver) return;
		const work = workFor(item);
		try {
			const act = async () =>
				await operation.execute(api, params, { ...run, mayBeDone: work.mayBeDone });
			outcomes[item] = { json: await once(work, operation.effect, act) };
		} catch (error) {
			outcomes[item] = { json: {}, error };
			const concernsAll = error instanceof CrmError && error.concernsAll;
			isOver ||= !run.continues || run.isStopped() || concernsAll;
		}
	};
	// The first item runs alone, so that a bad key is refused once and not five times.
	const first = groups[0]?.shift();
	if (first) await runItem(first);
	await forEachAtOnce(groups, ITEMS_AT_ONCE, async (group) => {
		for (const item of group) await runItem(item);
	});
	return outcomes;
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

/** The work of a run for one item. */
interface ItemWork {
	/** How it ended; undefined if a retry should do it again. */
	end?: { output: Output } | { error: CrmError };
	/** Whether an earlier, failed try may have taken effect. */
	mayBeDone: boolean;
}

/** The work of each run of a node or call of a tool. A WeakMap, so that it ends with the execution. */
const works = new WeakMap<object, Map<number, ItemWork>>();

/**
 * Returns an object that identifies a run of a node or a call of a tool. "Retry On Fail" runs the node
 * again, with all its items and the same object; any other run or call has another one.
 */
export function runKeyOf(context: IExecuteFunctions): object {
	return calledWith(context) ?? context.getExecuteData();
}

/** Returns a function that gives the work for an item of the run with this key (`runKeyOf`). */
function workOf(key: object): (item: number) => ItemWork {
	const items = works.get(key) ?? new Map<number, ItemWork>();
	works.set(key, items);
	return (item) => {
		const work = items.get(item) ?? { mayBeDone: false };
		items.set(item, work);
		return work;
	};
}

/**
 * Runs `act` for an item, unless an earlier try finished it, or may have done so and it must not be done
 * twice. Then it returns or throws the earlier result. Reads always run again.
 */
async function once(work: ItemWork, effect: Effect, act: () => Promise<Output>): Promise<Output> {
	if (work.end)
		return 'output' in work.end ? work.end.output : await Promise.reject(work.end.error);
	const doing = act();
	doing.then(
		(output) => {
			if (effect !== 'read') work.end = { output };
		},
		(error) => {
			if (!(error instanceof CrmError) || !error.mayHaveHappened) return;
			work.mayBeDone = true;
			if (effect === 'once') work.end = { error };
		},
	);
	return await doing;
}
