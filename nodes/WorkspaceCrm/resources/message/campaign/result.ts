import { CrmError, rethrow } from '../../../api/crmError';
import type { Contact, WireRecord } from '../../../api/types';
import { otherMark, type Mark } from '../../../domain/campaignMark';
import { InputProblem } from '../../../domain/problem';

/**
 * The result for a contact:
 * - `sent`: the service took the message.
 * - `unclear`: the message may have been sent, so the contact stays marked.
 * - `skipped`, `failed`, `notSent`: the message was certainly not sent: a rule excludes the contact, an
 *   error occurred, or the campaign ended before.
 */
export interface SendResult {
	status: 'sent' | 'unclear' | 'skipped' | 'failed' | 'notSent' | 'wouldSend';
	/** The sent body, merged with the service's answer. */
	record?: WireRecord;
	/** Why the contact is skipped. */
	code?: 'optedOut' | 'notConfirmed' | 'alreadyMarked' | 'duplicate' | 'noContact';
	reason?: string;
	/** Whether another run may send the message to this skipped contact. */
	isOpen?: boolean;
	/** Why the message was not sent, or why that is unknown. */
	error?: CrmError | InputProblem;
	/** The error that would fail the other contacts, too. */
	endsCampaign?: CrmError;
	/** Whether the contact may be marked without a message. The error says how to remove the mark. */
	isMarked?: boolean;
}

export function skipped(code: SendResult['code'], reason: string, isOpen = false): SendResult {
	return { status: 'skipped', code, reason, isOpen };
}

/** @throws an error that does not concern the contact, such as a stopped execution */
export function failed(error: unknown): SendResult {
	if (error instanceof InputProblem) return { status: 'failed', error };
	if (!(error instanceof CrmError)) return rethrow(error);
	return { status: 'failed', error, endsCampaign: error.concernsAll ? error : undefined };
}

/** The reason as text: what happened, and what to do. */
export function reasonOf({ reason, error }: SendResult): string | undefined {
	if (!error) return reason;
	return `${error.message}. ${remedyOf(error)}`.trim();
}

export function remedyOf(error: CrmError | InputProblem): string {
	return error instanceof CrmError ? error.description : error.remedy;
}

/**
 * Returns why a contact gets no message; undefined if it gets one. Before the contact is marked, an
 * unknown opt-in status is no reason.
 *
 * @param own our mark, once the contact has it: then the answer shows the contact's state, and other
 * runs see the mark
 */
export function skipOf(
	{ attributes = {}, optInStatus }: Partial<Contact>,
	key: string,
	own?: Mark,
): SendResult | undefined {
	const other = otherMark(attributes, key, own);
	if (other !== undefined) {
		// If two runs see each other's marks, neither may send the message.
		const reason = own
			? `Another run marked the contact at the same time (${other}), so this one left the message to it. To make sure, run it again with the same campaign key.`
			: `The contact is marked for this campaign (${other}): the message was sent, or interrupted while it was sent.`;
		return skipped('alreadyMarked', reason, own !== undefined);
	}
	if (optInStatus === 'confirmed' || (!own && optInStatus === undefined)) return undefined;
	if (optInStatus === 'opted_out') return skipped('optedOut', 'The contact has opted out.');
	const status = optInStatus === undefined ? 'not shown' : `'${optInStatus}'`;
	const reason = `The opt-in status of the contact is ${status}. Campaigns reach only confirmed contacts.`;
	return skipped('notConfirmed', reason);
}
