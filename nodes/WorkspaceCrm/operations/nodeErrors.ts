import {
	NodeApiError,
	NodeError,
	NodeOperationError,
	type Failure,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { CrmError } from '../crm/crmError';
import { isNothing, type JsonObject } from '../domain/plainData';
import { asHeading } from '../domain/sameText';
import { InputProblem } from '../domain/inputProblem';
import { plainText } from '../domain/text';
import { isForAgent } from '../n8n/agents';
import { markFailed } from '../n8n/runs';
import { ItemFailure, type BulkResult } from './define';

/** Our own texts and quotes are shorter; these limits are a safeguard. */
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_DESCRIPTION_CHARACTERS = 4_000;

/**
 * Converts anything thrown to an error of n8n: what happened, what to do next, and which item.
 *
 * A NodeApiError keeps our texts only if it is built from a plain object. The error of n8n's HTTP helper
 * contains the request with the key, so it is never passed on. The item stands only in the message,
 * because n8n's editor would add its own index, counted from 0.
 *
 * @param label from `itemLabel`
 */
export function toNodeError(node: INode, error: unknown, label?: string): NodeError {
	if (error instanceof NodeError) return error;
	if (error instanceof CrmError) {
		const { description, failure } = error;
		const { status } = failure;
		return new NodeApiError(
			node,
			{},
			{
				message: withItem(error.message, label),
				description: plainText(description, MAX_DESCRIPTION_CHARACTERS),
				httpCode: status === undefined ? undefined : String(status),
				failure: causeOf(failure),
			},
		);
	}
	const nodeError = new NodeOperationError(node, error instanceof Error ? error : String(error));
	nodeError.message = withItem(nodeError.message, label);
	if (error instanceof InputProblem) {
		nodeError.description = plainText(error.description, MAX_DESCRIPTION_CHARACTERS);
	}
	return nodeError;
}

/**
 * The same with the description in the message, because n8n shows only the message when publishing or
 * testing a trigger fails.
 */
export function toTriggerError(node: INode, error: unknown): NodeError {
	const nodeError = toNodeError(node, error);
	nodeError.message = textOf(nodeError);
	nodeError.description = undefined;
	return nodeError;
}

/** Message and description as sentences, for a log or where n8n shows only one text. */
export function textOf(
	{ message, description }: Pick<NodeError, 'message' | 'description'>,
	...more: string[]
): string {
	return [message, description, ...more]
		.filter((part): part is string => Boolean(part))
		.reduce((text, next) => `${text}${/[.!?]$/.test(text) ? '' : '.'} ${next}`);
}

/** Messages quote names and values that third parties chose, so every message passes `plainText` here. */
function withItem(message: string, label: string | undefined): string {
	const text = plainText(message, MAX_MESSAGE_CHARACTERS);
	return label === undefined ? text : `${text} [${label}]`;
}

/** n8n's machine-readable cause of a failure. */
function causeOf({ cause, retryAfterMs }: CrmError['failure']): Failure | undefined {
	return cause === undefined || cause === 'credential-invalid'
		? cause && { cause }
		: { cause, retryAfterMs };
}

/** Converts an error to n8n's, and names the item in it. */
export function toItemError(context: IExecuteFunctions, error: unknown, item?: number): NodeError {
	if (error instanceof ItemFailure) return toItemError(context, error.cause, error.item);
	const label = item === undefined ? undefined : itemLabel(context.getInputData(), item);
	const isForModel = error instanceof InputProblem && isForAgent(context);
	return toNodeError(context.getNode(), isForModel ? error.toModel : error, label);
}

/**
 * Adds a hint, because n8n shows a node with an error output in green even if all items failed.
 *
 * @param isBrief whether a summary says what to do
 */
export function hintAtFailures(
	context: IExecuteFunctions,
	failures: readonly NodeError[],
	isBrief: boolean,
): void {
	const [first] = failures;
	if (!first) return;
	const count = context.getInputData().length;
	const many = count === 1 ? 'The item' : `${failures.length} of ${count} items`;
	context.addExecutionHints({
		message: `${many} failed. ${failures.length > 1 ? 'The first: ' : ''}${isBrief ? `${first.message}.` : textOf(first)}`,
		type: 'warning',
		location: 'outputPane',
	});
}

const TO_GET_EACH =
	"To get each failed item with its reason, set 'On Error' in the node's settings to 'Continue (using error output)'.";

/** The error of an item that ends the run, and how far it got: another run would repeat finished items. */
export function toRunError(
	context: IExecuteFunctions,
	{ outcomes, summary, failedTitle }: Pick<BulkResult, 'outcomes' | 'summary' | 'failedTitle'>,
	item: number,
): NodeError {
	const nodeError = toItemError(context, outcomes[item]?.error, item);
	const count = context.getInputData().length;
	if (count === 1) return nodeError;
	const done = outcomes.filter((outcome) => outcome && outcome.error === undefined).length;
	const description = nodeError.description ?? '';
	// The summary counts the items itself. Of Sync, it also holds the reasons.
	const isSaid = failedTitle !== undefined || summary?.includes(description);
	const lines = summary
		? [isSaid ? '' : description, summary, TO_GET_EACH]
		: [`${done} of ${count} items were done.`, description];
	nodeError.message = failedTitle ?? nodeError.message;
	// The editor shows it as HTML.
	nodeError.description = lines.filter((text) => text !== '').join(summary ? '<br>' : ' ');
	return nodeError;
}

/**
 * The output of a failed item: the fields known so far, `error` as n8n writes it, and what we add in one object.
 * n8n merges it with the item's own fields, so any other name could replace a column of the user's sheet.
 */
export function failedItem(
	context: IExecuteFunctions,
	error: NodeError,
	item: number,
	known: IDataObject = {},
): INodeExecutionData {
	const { message, description, httpCode } = error as NodeApiError;
	const statusCode = Number(httpCode);
	const errorDetails = {
		...(description && { description }),
		...(statusCode > 0 && { statusCode }),
	};
	const json: IDataObject = { ...known, error: message, errorDetails };
	const output: INodeExecutionData = { json, pairedItem: { item } };
	markFailed(context, output, error);
	return output;
}

/** Fields that identify an input item to a person, by priority. */
const LABEL_FIELDS = ['name', 'fullname', 'firstname', 'phone', 'phonenumber', 'mobile'];

const MAX_ITEM_CHARACTERS = 40;

/**
 * The label of an input item in errors: the number of its row in a Google Sheet, else its own, counted from 1; and its
 * name or phone.
 *
 * @returns undefined if there is only one item
 */
export function itemLabel(
	items: ReadonlyArray<{ json: JsonObject }>,
	index: number,
): string | undefined {
	if (items.length < 2) return undefined;
	const fields = Object.entries(items[index]?.json ?? {});
	// Of several with one name, the first.
	const byKey = new Map(fields.reverse().map(([name, value]) => [asHeading(name), value]));
	const values = LABEL_FIELDS.map((label) => byKey.get(label));
	const text = values.find(
		(value) => (typeof value === 'string' || typeof value === 'number') && !isNothing(value),
	);
	const called =
		text === undefined ? '' : `, ${plainText(String(text).trim(), MAX_ITEM_CHARACTERS)}`;
	const { row_number } = items[index]?.json ?? {};
	return `${typeof row_number === 'number' ? `row ${row_number}` : `item ${index + 1}`}${called}`;
}
