import type { IExecuteFunctions } from 'n8n-workflow';

import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import { calledWith } from '../n8n/agents';

/** What earlier tries of a run (Retry On Fail) did for an item. */
export interface ItemMemory {
	/** Its result, if no further try may or need do it again. */
	result?: unknown;
	/** The ID of the contact that was found by phone. After a deletion, nobody finds it again. */
	contactId?: string;
	/** Whether a failed try may have taken effect. */
	mayBeDone?: boolean;
}

/** The memory of each run, by item. A WeakMap, so that it ends with the execution. */
const memories = new WeakMap<object, ItemMemory[]>();

/**
 * Returns the memory of a run. "Retry On Fail" runs the node again, with all its items and the same execution
 * data; any other run, or call of a tool, has other data.
 */
export function memoryOf(context: IExecuteFunctions): (item: number) => ItemMemory {
	const run = calledWith(context) ?? context.getExecuteData();
	const memory = memories.get(run) ?? [];
	memories.set(run, memory);
	return (item) => (memory[item] ??= {});
}

/** How to handle many items. */
export interface Work<T> {
	/** Which items run one after the other: all, none, or those with the same key, such as a contact. */
	order: 'oneByOne' | 'parallel' | ((item: T) => unknown);
	/** Whether the first item runs alone, so that a bad key is refused once and not five times. */
	firstAlone?: boolean;
	/** Handles an item. Items in progress are finished when the work ends. */
	act(item: T): Promise<void>;
	/** Whether no further item is started. Asked before each item. */
	isOver(): boolean;
}

/** Handles many items, five at a time where their order allows it. */
export async function runAll<T>(
	items: readonly T[],
	{ order, firstAlone = true, act, isOver }: Work<T>,
): Promise<void> {
	const groups = groupsOf(items, order);
	const run = async (item: T) => {
		if (!isOver()) await act(item);
	};
	const first = firstAlone ? groups[0]?.splice(0, 1) : [];
	for (const item of first ?? []) await run(item);
	await forEachAtOnce(groups, ITEMS_AT_ONCE, async (group) => {
		for (const item of group) await run(item);
	});
}

function groupsOf<T>(items: readonly T[], order: Work<T>['order']): T[][] {
	if (order === 'oneByOne') return [[...items]];
	if (order === 'parallel') return items.map((item) => [item]);
	const groups = new Map<unknown, T[]>();
	for (const item of items) {
		const key = order(item);
		const group = groups.get(key);
		if (group) group.push(item);
		else groups.set(key, [item]);
	}
	return [...groups.values()];
}
