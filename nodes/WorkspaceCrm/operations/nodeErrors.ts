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
 *
 * @param label what a person calls the item, where there are several
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
	label?: string,
): NodeError {
	if (error instanceof CrmError) {
		return new NodeApiError(
			node,
			{},
			{
				message: withItem(error.message, label),
				description: plainText(error.description, MAX_DESCRIPTION_CHARACTERS),
				itemIndex,
				...(error.status !== undefined && { httpCode: String(error.status) }),
				...(failureOf(error) && { failure: failureOf(error) }),
			},
		);
	}
	if (error instanceof InputProblem) {
		const description = plainText(error.remedy, MAX_DESCRIPTION_CHARACTERS);
		const message = withItem(error.message, label);
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
 * The same for a failed publishing or test of a trigger, of which n8n's toast shows nothing but the
 * message: so what to do next is in it.
 */
export function toTriggerError(node: INode, error: unknown): NodeError {
	const nodeError = toNodeError(node, error);
	const { message, description } = nodeError;
	if (description) nodeError.message = `${message}. ${description}`;
	nodeError.description = undefined;
	return nodeError;
}

/**
 * Names and values that others chose stand in many texts, so all of them are made plain here, once
 * more, whatever is quoted where.
 */
function withItem(message: string, label: string | undefined): string {
	const text = plainText(message, MAX_MESSAGE_CHARACTERS);
	return label === undefined ? text : `${text} [${label}]`;
}

/** n8n's machine-readable causes, declared only where the answer proves them. */
function failureOf({ status, retryAfterMs }: CrmError): Failure | undefined {
	if (status === 401) return { cause: 'credential-invalid' };
	if (status === 429) return { cause: 'rate-limited', retryAfterMs };
	if (status === 500 || status === 503) return { cause: 'temporarily-unavailable' };
	return undefined;
}
