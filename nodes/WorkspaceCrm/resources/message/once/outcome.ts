import type { IDataObject } from 'n8n-workflow';

import { CrmError } from '../../../crm/crmError';
import type { FoundContact } from '../../../crm/lookUp';
import type { Contact, WireRecord } from '../../../crm/records';
import { otherMark, type Mark } from '../../../domain/campaignMark';
import { missingConsent } from '../../../domain/consent';
import { dropNothings } from '../../../domain/nothing';
import { InputProblem, rethrow } from '../../../domain/problem';

/**
 * The result for a contact:
 * - `sent`: the service took the message.
 * - `unclear`: the message may have been sent, so the contact stays marked.
 * - `skipped`, `failed`, `notSent`: the message was certainly not sent: a rule excludes the contact, an
 *   error occurred, or the campaign or another run came first.
 */
export interface SendResult {
	status: 'sent' | 'unclear' | 'skipped' | 'failed' | 'notSent' | 'wouldSend';
	/** The sent body, merged with the service's answer. */
	record?: WireRecord;
	/** Why the contact is skipped, or left to another run. */
	code?: 'optedOut' | 'notConfirmed' | 'alreadyMarked' | 'duplicate' | 'noContact' | 'limitReached';
	reason?: string;
	/** Why the message was not sent, or why that is unknown. */
	error?: CrmError | InputProblem;
	/** The error that would fail the other contacts, too. */
	endsCampaign?: CrmError;
	/** Whether the contact may be marked without a message. The error says how to remove the mark. */
	isMarked?: boolean;
}

export function skipped(code: SendResult['code'], reason: string): SendResult {
	return { status: 'skipped', code, reason };
}

export const NO_CONTACT = skipped('noContact', 'There is no such contact in this workspace.');

/** The result for whoever gets no message. @throws an error that does not concern the contact, such as Stop */
export function resultOfError(error: unknown): SendResult {
	if (error instanceof InputProblem) return { status: 'failed', error };
	if (!(error instanceof CrmError)) return rethrow(error);
	return { status: 'failed', error, endsCampaign: error.failure.endsRun ? error : undefined };
}

/** The reason as text: what happened, and what to do. */
export function reasonOf({ reason, error }: SendResult): string | undefined {
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
): SendResult | undefined {
	const other = otherMark(attributes, key, own);
	if (other !== undefined) {
		const reason = `The contact is marked for this campaign (${other}): another run sent the message, or may have.`;
		if (!own) return skipped('alreadyMarked', reason);
		// If two runs see each other's marks, neither may send the message.
		const leftToOther = `Another run marked the contact at the same time (${other}), so this one left the message to it. To make sure, run it again with the same campaign key.`;
		return { status: 'notSent', code: 'alreadyMarked', reason: leftToOther };
	}
	const consent = missingConsent(optInStatus);
	return consent && { status: 'skipped', ...consent };
}

/** Why a contact gets no message because of another one, whose number is or may be the same: see `decides`. */
export function skipOfTwin(twin: Contact, key: string): SendResult | undefined {
	const skip = skipOf(twin, key);
	if (!skip || !decides(skip)) return undefined;
	const which = `This is about the contact ${twin.id}, whose phone number is or may be the same (${twin.phone})`;
	return skipped(skip.code, `${skip.reason} ${which}.`);
}

/** Whether one contact of a subscriber decides for all: somebody who opted out, or may have the message. */
export function decides(skip: SendResult | undefined): boolean {
	return skip?.code === 'optedOut' || skip?.code === 'alreadyMarked';
}

/** What a contact gets, for the output. */
export interface SendOutcome {
	/** The contact, as far as known without another request. */
	contact: Partial<FoundContact>;
	/** The campaign key; undefined if the item has no valid one. */
	key?: string;
	result: SendResult;
}

/** The name and phone of a recipient, for the output. */
export function recipientOf({ name, phone }: Partial<FoundContact>): IDataObject {
	return dropNothings({ contact_name: name, contact_phone: phone });
}

/**
 * The output for a contact: the message if it was sent, or the reason if not. Send Template with a campaign key
 * has it, too.
 */
export function campaignOutput({ contact, key, result }: SendOutcome): IDataObject {
	const { status, code, record } = result;
	const campaign = { status, key, code, reason: reasonOf(result) };
	const ours = dropNothings({ campaign, ...recipientOf(contact), contact_id: contact.id });
	// Our fields come first and override those of the record.
	return { ...ours, ...record, ...ours };
}
