import type { IDataObject } from 'n8n-workflow';

import type { JsonObject } from '../domain/plainData';
import type { AccountItems, Accounts } from './accounts';
import {
	ItemFailure,
	type AnyOperation,
	type BulkItem,
	type BulkResult,
	type Outcome,
	type Run,
} from './define';
import { readAll } from './params';
import { runItems, withKey } from './runItems';

/** The results of a run, for all input items. */
export interface RunResult extends Pick<BulkResult, 'summary' | 'failedTitle'> {
	/** The result of each input item; undefined for items that were not started, or that have none of their own. */
	outcomes: Array<Outcome | undefined>;
	/** Records that follow them, with the items that they belong to. */
	more?: Array<{ json: IDataObject; items?: readonly number[] }>;
}

/** What is done for one account: its items, read. */
interface Part {
	account: AccountItems;
	items: Array<BulkItem<JsonObject>>;
}

/**
 * Runs an operation for one account after the other, each as if it were alone. Unless the run continues after errors,
 * nothing is started after an item that failed, or before one that cannot be read.
 *
 * @throws what a bulk operation throws if there is only one account; otherwise, it becomes the outcome of its items
 */
export async function runAccounts(
	operation: AnyOperation,
	{ accounts, problems }: Accounts,
	run: Run,
): Promise<RunResult> {
	const { context } = run;
	const outcomes: Array<Outcome | undefined> = context.getInputData().map(() => undefined);
	for (const [item, error] of problems) outcomes[item] = { json: {}, error };
	const parts: Part[] = [];
	for (const account of accounts) {
		parts.push({ account, items: await readItems(operation, account, run) });
	}
	if (operation.takes !== 'all') {
		const unconnected = [...problems].map(([item, error]) => ({
			item,
			params: {},
			problem: error,
		}));
		const all = [...parts.flatMap(({ items }) => items), ...unconnected];
		operation.assertCanRun?.(context, all);
		for (const { item, problem } of all) if (problem) outcomes[item] = { json: {}, error: problem };
	}
	const isOnly = accounts.length === 1 && problems.size === 0;
	const hasFailed = () => outcomes.some((outcome) => outcome?.error !== undefined);
	const results: Array<[AccountItems, BulkResult]> = [];
	for (const { account, items } of parts) {
		if (hasFailed() && !context.continueOnFail()) break;
		const own = isOnly ? run : { ...run, name: `${labelOf(account)}: ${run.name}` };
		const running = runPart(operation, { account, items }, own);
		const result = await (isOnly
			? running
			: running.catch((error: unknown) => asOutcomes(run, items, error)));
		results.push([account, result]);
		for (const [position, item] of account.items.entries()) {
			outcomes[item] = result.outcomes[position];
		}
	}
	const more = results.flatMap(([account, { outcomes: each, more: records = [] }]) =>
		// Without outcomes for single items, the records belong to all of them.
		records.map((json) => ({ json, ...(each.length === 0 && { items: account.items }) })),
	);
	const [[, first] = []] = results;
	if (isOnly) return { ...first, outcomes, more };
	const notBegun = parts.slice(results.length).map(({ account }) => account);
	return { outcomes, more, summary: summaryOf(results, notBegun) };
}

async function readItems(
	operation: AnyOperation,
	{ items }: AccountItems,
	{ context, runtime: { clock } }: Run,
): Promise<Array<BulkItem<JsonObject>>> {
	const read = await readAll(context, operation.fields, { clock, items });
	return operation.takes === 'all' ? read : read.map((item) => withKey(operation, item));
}

async function runPart(
	operation: AnyOperation,
	{ account: { api }, items }: Part,
	run: Run,
): Promise<BulkResult> {
	if (operation.takes === 'all') return await operation.executeAll(api, items, run);
	const outcomes = await runItems(operation, api, items, run);
	run.context.getExecutionCancelSignal()?.throwIfAborted();
	const done = outcomes.flatMap((outcome, position) =>
		outcome && outcome.error === undefined ? [{ ...items[position], ...outcome }] : [],
	);
	return { outcomes, summary: operation.summarize?.(done) };
}

/** An error of an account fails its items; without 'Continue', an ItemFailure only its own. */
function asOutcomes({ context }: Run, items: Part['items'], error: unknown): BulkResult {
	context.getExecutionCancelSignal()?.throwIfAborted();
	const isOwn = (item: number) => !(error instanceof ItemFailure) || error.item === item;
	const outcomes = items.map(({ item }) =>
		context.continueOnFail() || isOwn(item) ? { json: {}, error } : undefined,
	);
	return { outcomes };
}

/** The summaries, each with the workspace that it is about. Undefined if the operation gives none. */
function summaryOf(
	results: ReadonlyArray<[AccountItems, BulkResult]>,
	notBegun: readonly AccountItems[],
): string | undefined {
	const texts = results.flatMap(([account, { summary }]) =>
		summary ? [`${labelOf(account)}: ${summary}`] : [],
	);
	if (texts.length === 0) return undefined;
	return [...texts, ...notBegun.map((account) => `${labelOf(account)}: not begun.`)].join('<br>');
}

const SHOWN_ITEMS = 3;

/** Names a workspace by its items, as two can have the same base URL. */
function labelOf({ api, items }: AccountItems): string {
	const shown = items.slice(0, SHOWN_ITEMS).map((item) => item + 1);
	const more = items.length > SHOWN_ITEMS ? ` and ${items.length - SHOWN_ITEMS} more` : '';
	const noun = items.length === 1 ? 'Item' : 'Items';
	return `${noun} ${shown.join(', ')}${more} (${api.baseUrl})`;
}
