import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import type { JsonObject } from '../domain/json';
import {
	ItemFailure,
	type AnyItemOperation,
	type BulkItem,
	type Outcome,
	type Run,
} from './define';
import { once, workOf } from './once';

/** An item that could be read: its index and the values of its fields. */
interface ReadItem {
	item: number;
	params: JsonObject;
}

/**
 * Does an operation for each item: the items of a group in order, and five groups at a time.
 *
 * An item that fails leaves the others alone if the run continues, unless the failure concerns all.
 * Otherwise no other item is begun, and those under way are let finish.
 *
 * @throws ItemFailure for the first item that failed, unless the run continues and was not stopped
 */
export async function runItems(
	operation: AnyItemOperation,
	api: Api,
	items: Array<BulkItem<JsonObject>>,
	run: Run,
): Promise<Outcome[]> {
	const workFor = workOf(run.key);
	const endsAtFailure = () => !run.continues || run.isStopped();
	const { groups, outcomes } = groupByKey(operation, items);
	/** The item after whose failure no other is begun; -1 if there is none. */
	let last = run.continues ? -1 : outcomes.findIndex(hasFailed);
	const runItem = async ({ item, params }: ReadItem): Promise<void> => {
		if (last >= 0) return;
		const work = workFor(item);
		try {
			const act = async () =>
				await operation.execute(api, params, { ...run, mayBeDone: work.mayBeDone });
			outcomes[item] = { json: await once(work, operation.effect, act) };
		} catch (error) {
			outcomes[item] = { json: {}, error };
			const concernsAll = error instanceof CrmError && error.concernsAll;
			if (last < 0 && (concernsAll || endsAtFailure())) last = item;
		}
	};
	// The first goes alone: what it finds wrong with the key, the others need not find out.
	const first = groups[0]?.shift();
	if (first) await runItem(first);
	await forEachAtOnce(groups, ITEMS_AT_ONCE, async (group) => {
		for (const item of group) await runItem(item);
	});
	if (last >= 0 && endsAtFailure()) throw firstFailure(operation, outcomes, items.length);
	const error = notTried(outcomes[last]?.error, last);
	return items.map((_, item) => outcomes[item] ?? { json: {}, error });
}

/** The items that could be read, in groups that may run at the same time, and what came of the others. */
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

function hasFailed(outcome: Outcome | undefined): boolean {
	return outcome?.error !== undefined;
}

/** The error of items that were not begun, because another would have failed like `item`. */
function notTried(error: unknown, item: number): unknown {
	const message = `Not tried, because item ${item + 1} was refused`;
	return error instanceof CrmError ? error.withMessage(message) : error;
}

/** The first item that failed, with how many are done: running the node again would repeat those. */
function firstFailure(
	{ effect }: AnyItemOperation,
	outcomes: ReadonlyArray<Outcome | undefined>,
	count: number,
): ItemFailure {
	const item = outcomes.findIndex(hasFailed);
	const done = outcomes.filter((outcome) => outcome && !hasFailed(outcome)).length;
	const isTold = count > 1 && effect !== 'read';
	const progress = isTold ? `${done} of ${count} items were done before the run stopped.` : '';
	return new ItemFailure(item, outcomes[item]?.error, progress);
}
