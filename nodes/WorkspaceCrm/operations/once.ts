import type { IExecuteFunctions } from 'n8n-workflow';

import { CrmError } from '../api/crmError';
import type { Effect } from '../api/retry';
import { calledWith } from '../n8n/toolCall';
import type { Output } from './define';

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
export function workOf(key: object): (item: number) => ItemWork {
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
export async function once(
	work: ItemWork,
	effect: Effect,
	act: () => Promise<Output>,
): Promise<Output> {
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
