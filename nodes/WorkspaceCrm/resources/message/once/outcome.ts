import type { IDataObject } from 'n8n-workflow';

import { CrmError } from '../../../crm/crmError';
import type { FoundContact } from '../../../crm/lookUp';
import type { Contact, WireRecord } from '../../../crm/records';
import { otherMark, type Mark } from '../../../domain/campaignMark';
import { missingConsent, type Reach } from '../../../domain/consent';
import { dropNothings } from '../../../domain/plainData';
import { InputProblem, rethrow } from '../../../domain/inputProblem';
import {
	reasonOfError,
	resultOfError,
	type ItemResult,
	type SkipCode,
} from '../../../operations/result';

/** What became of the message to a contact, as the output says it, and what the run needs to know of it. */
export interface MessageOutcome extends ItemResult {
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

/** The key of a message that nobody gets twice, and whom it may reach. */
export interface OnceRule {
	readonly key: string;
	readonly reach: Reach;
}

export function skipped(code: SkipCode, reason: string): MessageOutcome {
	return { result: 'skipped', code, reason };
}

export const NO_CONTACT = skipped('noContact', 'There is no such contact in this workspace.');

/** The outcome for whoever gets no message. @throws an error that does not concern the contact, such as Stop */
export function outcomeOfError(error: unknown): MessageOutcome {
	if (error instanceof InputProblem) return { result: 'failed', error };
	if (!(error instanceof CrmError)) return rethrow(error);
	const endsCampaign = error.failure.endsRun ? error : undefined;
	return { result: resultOfError(error), error, endsCampaign };
}

/** Whether the contact has the message, or may have it; or is marked, as if it had. */
export function mayBeSent({ result, isMarked }: MessageOutcome): boolean {
	return result === 'sent' || result === 'unclear' || isMarked === true;
}

/** The reason as text: what happened, and what to do. */
export function reasonOf({ reason, error }: MessageOutcome): string | undefined {
	return error ? reasonOfError(error) : reason;
}

/**
 * Returns why a contact gets no message; undefined if it gets one.
 *
 * @param own our mark, once the contact has it: then the answer shows the contact's state, and other
 * runs see the mark
 */
export function skipOf(
	{ attributes, optInStatus }: Contact,
	{ key, reach }: OnceRule,
	own?: Mark,
): MessageOutcome | undefined {
	const other = otherMark(attributes, key, own);
	if (other !== undefined) {
		const marked = `The contact already has a mark of this key (${other}): it got the message then, unless that run was interrupted while sending.`;
		if (!own) return skipped('alreadyMarked', marked);
		// If two runs see each other's marks, neither may send the message.
		const leftToOther = `Another run marked the contact at the same time (${other}), so this one left the message to it. To make sure, run it again with the same key.`;
		return skipped('leftToOtherRun', leftToOther);
	}
	const consent = missingConsent(optInStatus, reach);
	return consent && { result: 'skipped', ...consent };
}

/** Why a contact gets no message because of its twin: see `decides`. */
export function skipOfTwin(twin: Contact, rule: OnceRule): MessageOutcome | undefined {
	const skip = skipOf(twin, rule);
	if (!skip || !decides(skip)) return undefined;
	const which = `This is about the contact ${twin.id}, whose phone number is or may be the same (${twin.phone})`;
	return { ...skip, reason: `${skip.reason} ${which}.` };
}

/** Whether one contact of a person decides for all: somebody who opted out, or may have the message. */
function decides({ code }: MessageOutcome): boolean {
	return code === 'optedOut' || code === 'alreadyMarked';
}

/** The name and phone of a recipient, for the output. */
function recipientOf({ name, phone }: Partial<FoundContact>): IDataObject {
	return dropNothings({ contact_name: name, contact_phone: phone });
}

/**
 * The output for a contact: what became of its message, and the message if it was sent.
 *
 * @param key the key against repeats; undefined if there is none, or none that is valid
 */
export function messageOutput(outcome: MessageOutcome, key?: string): IDataObject {
	const { result, code, contact = {}, record } = outcome;
	const said = { result, code, reason: reasonOf(outcome), message_key: key };
	const ours = dropNothings({ ...said, ...recipientOf(contact), contact_id: contact.id });
	// Our fields come first and override those of the record.
	return { ...ours, ...record, ...ours };
}
