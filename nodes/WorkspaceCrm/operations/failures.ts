import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeError,
} from 'n8n-workflow';

import { CrmError } from '../api/crmError';
import { markFailed } from '../n8n/errorOutput';
import type { Outcome } from './define';
import { itemLabel } from './itemLabel';
import { toNodeError } from './nodeErrors';

/** Converts an error to n8n's, and names the item in it. */
export function toItemError(context: IExecuteFunctions, error: unknown, item?: number): NodeError {
	const label = item === undefined ? undefined : itemLabel(context.getInputData(), item);
	return toNodeError(context.getNode(), error, label);
}

/** Adds a hint, because n8n shows a node with an error output in green even if all items failed. */
export function hintAtFailures(context: IExecuteFunctions, failures: readonly NodeError[]): void {
	const [first] = failures;
	if (!first) return;
	const count = context.getInputData().length;
	const many = count === 1 ? 'The item' : `${failures.length} of ${count} items`;
	const why = [first.message, first.description].filter((text) => text).join('. ');
	context.addExecutionHints({
		message: `${many} failed. ${failures.length > 1 ? 'The first: ' : ''}${why}`,
		type: 'warning',
		location: 'outputPane',
	});
}

/** How far a run got before an item ended it: running the node again would repeat the finished items. */
export function progressText(
	outcomes: ReadonlyArray<Outcome | undefined>,
	count: number,
	summary?: string,
): string {
	if (count === 1) return '';
	const failed = outcomes.filter((outcome) => outcome?.error !== undefined).length;
	const done = outcomes.filter((outcome) => outcome).length - failed;
	// The summary counts the finished items itself.
	if (!summary) return `${done} of ${count} items were done.`;
	return `${failed} of ${count} items failed. To get each with its reason, set 'On Error' in the node's settings to 'Continue (using error output)'. ${summary}`;
}

/** The error for items that were not started because a failure affects every request. */
export function notTried(outcomes: ReadonlyArray<Outcome | undefined>): unknown {
	for (const [item, outcome] of outcomes.entries()) {
		const error = outcome?.error;
		if (error instanceof CrmError && error.concernsAll) {
			return error.withMessage(`Not tried, because item ${item + 1} was refused`);
		}
	}
	return undefined;
}

/** The output of a failed item: its error, and any fields known so far. */
export function failedItem(
	context: IExecuteFunctions,
	error: Error,
	item: number,
	known: IDataObject = {},
): INodeExecutionData {
	const status = Number((error as NodeApiError).httpCode);
	const json: IDataObject = { ...known, error: error.message };
	if (status > 0) json.statusCode = status;
	const description = (error as NodeApiError).description;
	if (description) json.description = description;

	const output: INodeExecutionData = { json, pairedItem: { item } };
	markFailed(context, output, error);
	return output;
}
