import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { forEachInParallel, ITEMS_AT_ONCE } from '../domain/concurrency';
import { several } from '../domain/text';
import { calledWith } from '../n8n/agents';
import { runIndexOf } from '../n8n/runs';
import type { ItemMemory, Run } from './define';

/** The memory of each run, by item. A WeakMap, so that it ends with the execution. */
const memories = new WeakMap<object, ItemMemory[]>();

/**
 * Returns the memory of a run. "Retry On Fail" runs the node again, with all its items and the same execution
 * data; any other run, or call of a tool, has other data.
 */
export function memoryOf<R>(context: IExecuteFunctions): (item: number) => ItemMemory<R> {
	const run = calledWith(context) ?? context.getExecuteData();
	const memory = memories.get(run) ?? failedBefore(context) ?? [];
	for (const key of [run, context]) memories.set(key, memory);
	return (item) => ((memory as Array<ItemMemory<R>>)[item] ??= {});
}

/** The last runs that failed, by execution, in case that n8n gives the next try a copy of the data. */
const failedRuns = new Map<string, { name: string; memory: ItemMemory[] }>();
const MAX_FAILED_RUNS = 20;

/** Keeps the memory of a run that has failed for its next try. */
export function keepFailed(context: IExecuteFunctions): void {
	const execution = context.getExecutionId();
	const memory = memories.get(context);
	if (!execution || !memory || calledWith(context)) return;
	const [oldest = ''] = failedRuns.keys();
	if (failedRuns.size >= MAX_FAILED_RUNS) failedRuns.delete(oldest);
	const name = nameOf(context);
	if (name !== undefined) failedRuns.set(execution, { name, memory });
}

function failedBefore(context: IExecuteFunctions): ItemMemory[] | undefined {
	const failed = failedRuns.get(context.getExecutionId());
	const isSame = failed && !calledWith(context) && failed.name === nameOf(context);
	if (!isSame) return undefined;
	failedRuns.delete(context.getExecutionId());
	return failed.memory;
}

/**
 * What tells a run of an execution from all others: its node, its number and its items. Undefined if an item holds
 * what is no JSON, such as a value that contains itself.
 */
function nameOf(context: IExecuteFunctions): string | undefined {
	const items = context.getInputData().map(({ json }) => json);
	try {
		const text = JSON.stringify([context.getNode().id, runIndexOf(context), items]);
		return createHash('sha256').update(text).digest('base64');
	} catch {
		return undefined;
	}
}

/** How to handle many items. */
export interface Work<T> {
	/** Which items run one after the other: all, none, or those with the same key, such as a contact. */
	order: 'oneByOne' | 'parallel' | ((item: T) => unknown);
	/** Handles an item. Items in progress are finished when the work ends. */
	act(item: T): Promise<void>;
	/** Whether no item is started any more. Asked before each. */
	isOver?(): boolean;
}

/** Handles many items: the first alone, so that a bad key is refused once, then five at a time where their order allows it. */
export async function runAll<T>(
	run: Run,
	items: readonly T[],
	{ order, act, isOver = () => false }: Work<T>,
): Promise<void> {
	const groups = groupsOf(items, order);
	const count = progressOf(run, items.length);
	const handle = async (item: T) => {
		if (isOver()) return;
		await act(item);
		count();
	};
	for (const item of groups[0]?.splice(0, 1) ?? []) await handle(item);
	await forEachInParallel(groups, ITEMS_AT_ONCE, async (group) => {
		for (const item of group) await handle(item);
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

const LOG_EVERY_MS = 60_000;

/**
 * Writes a line about a long run to n8n's log each minute, because n8n shows no progress while a node works.
 *
 * @returns to be called after each item
 */
export function progressOf({ context, runtime: { clock }, name }: Run, all: number): () => void {
	const startedMs = clock.elapsedMs();
	let loggedMs = startedMs;
	let done = 0;
	return () => {
		done += 1;
		const nowMs = clock.elapsedMs();
		if (nowMs - loggedMs < LOG_EVERY_MS) return;
		loggedMs = nowMs;
		const leftMs = ((nowMs - startedMs) / done) * (all - done);
		const left = several(Math.ceil(leftMs / 60_000), 'minute');
		context.logger.info(`Workspace CRM: ${name}: ${done} of ${all} done, about ${left} left`);
	};
}
