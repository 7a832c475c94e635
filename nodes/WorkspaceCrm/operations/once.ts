import type { IExecuteFunctions } from 'n8n-workflow';

import { CrmError } from '../api/crmError';
import type { JsonObject } from '../domain/json';
import type { Output } from './define';
import { calledWith } from '../n8n/toolCall';

/** What a run of a node has done for one of its items. */
interface ItemWork {
	/** The values of the fields, so that an item done in part is finished with the same ones. */
	params?: JsonObject;
	/** The paths of requests other than GET that have taken effect, or may have. */
	readonly changes: Set<string>;
	/** How it ended, unless it is to be done again. */
	end?: { output: Output } | { error: CrmError };
}

/**
 * The work of each run of a node, and of each call of a tool, by an object that n8n keeps for it.
 * n8n's "Retry On Fail" runs the node again, with all its items, and hands over the same object; any
 * other run or call has one of its own. It goes with the execution, and so does what is kept here.
 */
const works = new WeakMap<object, Map<number, ItemWork>>();

/** The work of this run of a node on each of its items, by the item's index. */
export function workOf(context: IExecuteFunctions): (item: number) => ItemWork {
	const key = calledWith(context) ?? context.getExecuteData();
	const items = works.get(key) ?? new Map<number, ItemWork>();
	works.set(key, items);
	return (item) => {
		const work = items.get(item) ?? { changes: new Set() };
		items.set(item, work);
		return work;
	};
}

/**
 * Does an item's work, unless it is done or may be: then it gives what came of it. An item that has
 * changed nothing is done again, so what is only read is always read anew.
 */
export async function once(work: ItemWork, act: () => Promise<Output>): Promise<Output> {
	if (work.end)
		return 'output' in work.end ? work.end.output : await Promise.reject(work.end.error);
	const doing = act();
	doing.then(
		(output) => {
			if (work.changes.size > 0) work.end = { output };
			delete work.params;
		},
		(error) => {
			if (error instanceof CrmError && error.mayHaveHappened) work.end = { error };
		},
	);
	return await doing;
}
