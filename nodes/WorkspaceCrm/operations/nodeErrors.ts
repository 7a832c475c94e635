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
 * The same with the description in the message, because n8n shows only the message when publishing or
 * testing a trigger fails.
 */
export function toTriggerError(node: INode, error: unknown): NodeError {
	const nodeError = toNodeError(node, error);
	const { message, description } = nodeError;
	if (description) nodeError.message = `${message}. ${description}`;
	nodeError.description = undefined;
	return nodeError;
}

/** Messages quote names and values that third parties chose, so every message passes `plainText` here. */
function withItem(message: string, label: string | undefined): string {
	const text = plainText(message, MAX_MESSAGE_CHARACTERS);
	return label === undefined ? text : `${text} [${label}]`;
}

/** n8n's machine-readable causes, set only if the answer proves them. */
function failureOf({ status, retryAfterMs }: CrmError): Failure | undefined {
	if (status === 401) return { cause: 'credential-invalid' };
	if (status === 429) return { cause: 'rate-limited', retryAfterMs };
	if (status === 500 || status === 503) return { cause: 'temporarily-unavailable' };
	return undefined;
}
