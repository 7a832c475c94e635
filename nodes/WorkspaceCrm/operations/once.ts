import type { IExecuteFunctions } from 'n8n-workflow';

import { CrmError } from '../api/crmError';
import type { Effect } from '../api/retry';
import { calledWith } from '../n8n/toolCall';
import type { Output } from './define';

/** What a run of a node has done for one of its items. */
interface ItemWork {
	/** How it ended, unless it is to be done again. */
	end?: { output: Output } | { error: CrmError };
	/** Whether an earlier try may have done it, though it failed. */
	mayBeDone: boolean;
}

/** The work of each run of a node, and of each call of a tool. It goes with the execution. */
const works = new WeakMap<object, Map<number, ItemWork>>();

/**
 * An object that n8n keeps for a run of a node, or a call of a tool. n8n's "Retry On Fail" runs the node
 * again, with all its items, and hands over the same object; any other run or call has one of its own.
 */
export function runKeyOf(context: IExecuteFunctions): object {
	return calledWith(context) ?? context.getExecuteData();
}

/** The work of the run with this key (`runKeyOf`) on each of its items, by the item's index. */
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
 * Does an item's work, unless it is done, or may be and must not be done twice: then it gives what came
 * of it. What is only read is always read anew.
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
