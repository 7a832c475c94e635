import type { IDataObject } from 'n8n-workflow';

import { CrmError, mayBeDone } from '../crm/crmError';
import { InputProblem } from '../domain/inputProblem';

/**
 * What became of an item that sends a message or enrolls a contact, as its output says it. Workflows compare with
 * these words and codes; docs/campaigns.md lists them.
 * - `sent`, `enrolled`: the service took it.
 * - `wouldSend`: in a dry run.
 * - `skipped`: it was certainly not done, and nothing is wrong. `code` says why.
 * - `failed`: it was certainly not done, because of an error.
 * - `unclear`: it may have been done.
 */
export const RESULTS = ['sent', 'enrolled', 'wouldSend', 'skipped', 'failed', 'unclear'] as const;

export type Result = (typeof RESULTS)[number];

/** Why an item is skipped. */
export type SkipCode =
	| 'optedOut'
	| 'notConfirmed'
	| 'alreadyMarked'
	| 'duplicate'
	| 'noContact'
	/** The service refused it with 409, for a reason that it does not name. */
	| 'conflict'
	/** The run has sent as many messages as the user allows. */
	| 'limitReached'
	/** The campaign ended before this contact. */
	| 'campaignEnded'
	/** Another run marked the contact at the same time. */
	| 'leftToOtherRun';

/** The fields of the output that say it. `reason` is a text for people. */
export interface ItemResult {
	result: Result;
	code?: SkipCode;
	reason?: string;
}

/** All these fields, and the key that keeps a message from being sent twice. */
export const RESULT_FIELDS = ['result', 'code', 'reason', 'message_key'] as const;

/** What an error says of the message or enrollment that it prevented, or may have. */
export function resultOfError(error: unknown): 'failed' | 'unclear' {
	return mayBeDone(error) ? 'unclear' : 'failed';
}

/** An error as a reason: what happened, and what to do. */
export function reasonOfError(error: CrmError | InputProblem): string {
	return `${error.message}. ${error.description}`.trim();
}

/**
 * For `ifFailed`. n8n adds the fields of the input to a failed item, so each of ours is there: otherwise, a column of
 * the input would pass for it.
 */
export function failedResult(error: unknown): IDataObject {
	const isOurs = error instanceof CrmError || error instanceof InputProblem;
	const reason = isOurs ? reasonOfError(error) : null;
	return { result: resultOfError(error), code: null, reason, message_key: null };
}
