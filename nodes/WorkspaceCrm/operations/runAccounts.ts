import type { IDataObject } from 'n8n-workflow';

import type { JsonObject } from '../domain/json';
import type { Account, Accounts } from './accounts';
import {
	ItemFailure,
	type AnyBulkOperation,
	type BulkItem,
	type BulkResult,
	type Outcome,
	type Run,
} from './define';

/** The results of a run, for all input items. */
export interface RunResult extends Pick<BulkResult, 'summary' | 'failedTitle'> {
	/** The result of each input item; undefined for items that were not started, or that have none of their own. */
	outcomes: Array<Outcome | undefined>;
	/** Records that follow them, with the items that they belong to. */
	more?: Array<{ json: IDataObject; items?: readonly number[] }>;
}

type Items = ReadonlyArray<BulkItem<JsonObject>>;

/**
 * Runs a bulk operation once for each account. Accounts do not affect each other: if one fails, the others still run.
 *
 * @throws what the operation throws if there is only one account; otherwise, it becomes the outcome of its items
 */
export async function runAccounts(
	operation: AnyBulkOperation,
	{ accounts, problems }: Accounts,
	items: Items,
	run: Run,
): Promise<RunResult> {
	const outcomes: Array<Outcome | undefined> = items.map(() => undefined);
	for (const [item, error] of problems) outcomes[item] = { json: {}, error };
	const isOnly = accounts.length === 1 && problems.size === 0;
	const results: Array<[Account, BulkResult]> = [];
	for (const account of accounts) {
		const own = account.items.flatMap((item) => items[item] ?? []);
		const running = operation.executeAll(account.api, own, run);
		const result = await (isOnly ? running : running.catch((error) => asOutcomes(run, own, error)));
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
	return { outcomes, more, summary: summaryOf(results) };
}

/** An error of an account fails its items; without 'Continue', an ItemFailure only its own. */
function asOutcomes({ context }: Run, items: Items, error: unknown): BulkResult {
	context.getExecutionCancelSignal()?.throwIfAborted();
	const isOwn = (item: number) => !(error instanceof ItemFailure) || error.item === item;
	const outcomes = items.map(({ item }) =>
		context.continueOnFail() || isOwn(item) ? { json: {}, error } : undefined,
	);
	return { outcomes };
}

const SHOWN_ITEMS = 3;

/** The summaries, each with the workspace that it is about: by its items, as two can have the same base URL. */
function summaryOf(results: ReadonlyArray<[Account, BulkResult]>): string | undefined {
	const texts = results.flatMap(([{ api, items }, { summary }]) => {
		const shown = items.slice(0, SHOWN_ITEMS).map((item) => item + 1);
		const more = items.length > SHOWN_ITEMS ? ` and ${items.length - SHOWN_ITEMS} more` : '';
		return summary ? [`Items ${shown.join(', ')}${more} (${api.baseUrl}): ${summary}`] : [];
	});
	return texts.length > 0 ? texts.join('<br>') : undefined;
}
