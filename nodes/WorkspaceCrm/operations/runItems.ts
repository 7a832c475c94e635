import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import type { JsonObject } from '../domain/json';
import type { AnyItemOperation, BulkItem, Outcome, Run } from './define';
import { once, workOf } from './once';

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
