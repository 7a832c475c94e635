import { CrmError, rethrow } from '../../../api/crmError';
import type { Contact, WireRecord } from '../../../api/types';
import { otherMark, type Mark } from '../../../domain/campaignMark';
import { InputProblem } from '../../../domain/problem';

/**
 * What came of a contact:
 * - `sent`: the service took the message.
 * - `unclear`: it is not known whether the message was sent, so the contact stays marked.
 * - `skipped`, `failed`, `notSent`: it was certainly not sent, because the contact is left out, because of
 *   an error, or because the campaign ended before.
 */
export interface Result {
	status: 'sent' | 'unclear' | 'skipped' | 'failed' | 'notSent' | 'wouldSend';
	/** Of a message that was sent, with the service's answer. */
	record?: WireRecord;
	/** Why the contact is skipped. */
	code?: 'optedOut' | 'notConfirmed' | 'alreadyMarked' | 'duplicate' | 'noContact';
	reason?: string;
	/** Whether running it again may send the message to a contact that is skipped. */
	isOpen?: boolean;
	/** Why the message is not sent, or not known to be. */
	error?: CrmError | InputProblem;
	/** Why the others would fail, too, if they would. */
	endsCampaign?: CrmError;
	/** Whether the contact may be marked without a message. The error says how to remove the mark. */
	isMarked?: boolean;
}

export function skipped(code: Result['code'], reason: string, isOpen = false): Result {
	return { status: 'skipped', code, reason, isOpen };
}

/** @throws an error that says nothing of the contact, such as that of an execution that was stopped */
export function failed(error: unknown): Result {
	if (error instanceof InputProblem) return { status: 'failed', error };
	if (!(error instanceof CrmError)) return rethrow(error);
	return { status: 'failed', error, endsCampaign: error.concernsAll ? error : undefined };
}

/** What happened, and what to do. */
export function reasonOf({ reason, error }: Result): string | undefined {
	if (!error) return reason;
	return `${error.message}. ${remedyOf(error)}`.trim();
}

export function remedyOf(error: CrmError | InputProblem): string {
	return error instanceof CrmError ? error.description : error.remedy;
}

/**
 * Why a contact gets no message of a campaign. Before it is marked, what is not known of it is no reason.
 *
 * @param own the mark that it has got: now all that counts is known, and other runs see the mark
 */
export function skipOf(
	{ attributes = {}, optInStatus }: Partial<Contact>,
	key: string,
	own?: Mark,
): Result | undefined {
	const other = otherMark(attributes, key, own);
	if (other !== undefined) {
		// Two runs that see each other's marks may both leave the message to the other.
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
