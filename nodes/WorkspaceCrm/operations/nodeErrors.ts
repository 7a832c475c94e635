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
 * error that its HTTP helper throws holds the request with the key, so it is never passed on. The item
 * is in the message alone: n8n's editor would add the index of its own, counted from 0.
 *
 * @param label what a person calls the item, where there are several
 */
export function toNodeError(node: INode, error: unknown, label?: string): NodeError {
	if (error instanceof NodeError) return error;
	if (error instanceof CrmError) {
		const { status, description } = error;
		return new NodeApiError(
			node,
			{},
			{
				message: withItem(error.message, label),
				description: plainText(description, MAX_DESCRIPTION_CHARACTERS),
				httpCode: status === undefined ? undefined : String(status),
				failure: failureOf(error),
			},
		);
	}
	const nodeError = new NodeOperationError(node, error instanceof Error ? error : String(error));
	nodeError.message = withItem(nodeError.message, label);
	if (error instanceof InputProblem) {
		nodeError.description = plainText(error.remedy, MAX_DESCRIPTION_CHARACTERS);
	}
	return nodeError;
}

/**
 * The same where n8n shows nothing but the message, as in its toast for a failed publishing or test of a
 * trigger: so what to do next is in it.
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
