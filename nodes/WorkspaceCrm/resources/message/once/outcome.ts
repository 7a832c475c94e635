import type { IDataObject } from 'n8n-workflow';

import { CrmError } from '../../../crm/crmError';
import type { FoundContact } from '../../../crm/lookUp';
import type { Contact, WireRecord } from '../../../crm/records';
import { otherMark, type Mark } from '../../../domain/campaignMark';
import { missingConsent } from '../../../domain/consent';
import { dropNothings } from '../../../domain/plainData';
import { InputProblem, rethrow } from '../../../domain/inputProblem';

/** Why a contact is skipped. */
export type SkipCode =
	| 'optedOut'
	| 'notConfirmed'
	| 'alreadyMarked'
	| 'duplicate'
	| 'noContact'
	/** The run has sent as many messages as the user allows. */
	| 'limitReached'
	/** The campaign ended before this contact. */
	| 'campaignEnded'
	/** Another run marked the contact at the same time. */
	| 'leftToOtherRun'
	/** It would get the message. */
	| 'dryRun';

/**
 * What became of the message to a contact:
 * - `sent`: the service took it.
 * - `unclear`: it may have been sent, so the contact stays marked.
 * - `failed`: it was certainly not sent, because of an error.
 * - `skipped`: it was certainly not sent. `code` says why.
 */
export interface MessageOutcome {
	status: 'sent' | 'skipped' | 'failed' | 'unclear';
	code?: SkipCode;
	reason?: string;
	/** The sent body, merged with the service's answer; in a dry run, the body. */
	record?: WireRecord;
	/** Why the message was not sent, or why that is unknown. */
	error?: CrmError | InputProblem;
	/** The error that would fail the other contacts, too. */
	endsCampaign?: CrmError;
	/** Whether the contact may be marked without a message. The error says how to remove the mark. */
	isMarked?: boolean;
	/** The contact, as far as known without another request. */
	contact?: Partial<FoundContact>;
}

export function skipped(code: SkipCode, reason: string): MessageOutcome {
	return { status: 'skipped', code, reason };
}

export const NO_CONTACT = skipped('noContact', 'There is no such contact in this workspace.');

/** The outcome for whoever gets no message. @throws an error that does not concern the contact, such as Stop */
export function outcomeOfError(error: unknown): MessageOutcome {
	if (error instanceof InputProblem) return { status: 'failed', error };
	if (!(error instanceof CrmError)) return rethrow(error);
	return { status: 'failed', error, endsCampaign: error.failure.endsRun ? error : undefined };
}

/** Whether the contact has the message, or may have it; or is marked, as if it had. */
export function mayBeSent({ status, isMarked }: MessageOutcome): boolean {
	return status === 'sent' || status === 'unclear' || isMarked === true;
}

/** The reason as text: what happened, and what to do. */
export function reasonOf({ reason, error }: MessageOutcome): string | undefined {
	return error ? `${error.message}. ${error.description}`.trim() : reason;
}

/**
 * Returns why a contact gets no message; undefined if it gets one.
 *
 * @param own our mark, once the contact has it: then the answer shows the contact's state, and other
 * runs see the mark
 */
export function skipOf(
	{ attributes, optInStatus }: Contact,
	key: string,
	own?: Mark,
): MessageOutcome | undefined {
	const other = otherMark(attributes, key, own);
	if (other !== undefined) {
		const reason = `The contact is marked for this campaign (${other}): another run sent the message, or may have.`;
		if (!own) return skipped('alreadyMarked', reason);
		// If two runs see each other's marks, neither may send the message.
		const leftToOther = `Another run marked the contact at the same time (${other}), so this one left the message to it. To make sure, run it again with the same campaign key.`;
		return skipped('leftToOtherRun', leftToOther);
	}
	const consent = missingConsent(optInStatus);
	return consent && { status: 'skipped', ...consent };
}

/** Why a contact gets no message because of its twin: see `decides`. */
export function skipOfTwin(twin: Contact, key: string): MessageOutcome | undefined {
	const skip = skipOf(twin, key);
	if (!skip || !decides(skip)) return undefined;
	const which = `This is about the contact ${twin.id}, whose phone number is or may be the same (${twin.phone})`;
	return { ...skip, reason: `${skip.reason} ${which}.` };
}

/** Whether one contact of a person decides for all: somebody who opted out, or may have the message. */
function decides({ code }: MessageOutcome): boolean {
	return code === 'optedOut' || code === 'alreadyMarked';
}

/** The name and phone of a recipient, for the output. */
export function recipientOf({ name, phone }: Partial<FoundContact>): IDataObject {
	return dropNothings({ contact_name: name, contact_phone: phone });
}

/** What the output says in place of a status and a code. Workflows compare with these words. */
const SHOWN: Partial<Record<SkipCode, { status: string; code?: string }>> = {
	limitReached: { status: 'notSent', code: 'limitReached' },
	campaignEnded: { status: 'notSent' },
	leftToOtherRun: { status: 'notSent', code: 'alreadyMarked' },
	dryRun: { status: 'wouldSend' },
};

/**
 * The output for a contact: the message if it was sent, or the reason if not. Send Template with a campaign key
 * has it, too.
 *
 * @param key the campaign key; undefined if the item has no valid one
 */
export function campaignOutput(outcome: MessageOutcome, key?: string): IDataObject {
	const { status, code, contact = {}, record } = outcome;
	const shown = (code && SHOWN[code]) ?? { status, code };
	const campaign = { status: shown.status, key, code: shown.code, reason: reasonOf(outcome) };
	const ours = dropNothings({ campaign, ...recipientOf(contact), contact_id: contact.id });
	// Our fields come first and override those of the record.
	return { ...ours, ...record, ...ours };
}
