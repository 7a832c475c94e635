import {
	NodeApiError,
	NodeError,
	NodeOperationError,
	type Failure,
	type INode,
} from 'n8n-workflow';

import { CrmError } from '../api/crmError';
import { InputProblem } from '../domain/problem';
import { plainText } from '../domain/text';

/** What we quote is shorter, so these only cut what nobody foresaw. */
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_DESCRIPTION_CHARACTERS = 4_000;

/**
 * Anything thrown, as the error that n8n shows: what happened, what to do next, and which item.
 *
 * n8n keeps the text of an error of its own only when it is built from a plain object; and the
 * error that its HTTP helper throws holds the request with the key, so it is never passed on.
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeError {
	if (error instanceof CrmError) {
		return new NodeApiError(
			node,
			{},
			{
				message: withItem(error.message, itemIndex),
				description: plainText(error.description, MAX_DESCRIPTION_CHARACTERS),
				itemIndex,
				...(error.status !== undefined && { httpCode: String(error.status) }),
				...(failureOf(error) && { failure: failureOf(error) }),
			},
		);
	}
	if (error instanceof InputProblem) {
		const description = plainText(error.remedy, MAX_DESCRIPTION_CHARACTERS);
		const message = withItem(error.message, itemIndex);
		return new NodeOperationError(node, message, { description, itemIndex });
	}
	if (error instanceof NodeError) {
		error.context.itemIndex ??= itemIndex;
		return error;
	}
	const cause = error instanceof Error ? error : new InputProblem(String(error), '');
	const unforeseen = new NodeOperationError(node, cause, { itemIndex });
	unforeseen.message = plainText(unforeseen.message, MAX_MESSAGE_CHARACTERS);
	return unforeseen;
}

/**
 * Names and values that others chose stand in many texts, so all of them are made plain here, once
 * more, whatever is quoted where.
 */
function withItem(message: string, itemIndex: number | undefined): string {
	const text = plainText(message, MAX_MESSAGE_CHARACTERS);
	return itemIndex === undefined ? text : `${text} [item ${itemIndex}]`;
}

/** n8n's machine-readable causes, declared only where the answer proves them. */
function failureOf({ status, retryAfterMs }: CrmError): Failure | undefined {
	if (status === 401) return { cause: 'credential-invalid' };
	if (status === 429) return { cause: 'rate-limited', retryAfterMs };
	if (status === 500 || status === 503) return { cause: 'temporarily-unavailable' };
	return undefined;
}
