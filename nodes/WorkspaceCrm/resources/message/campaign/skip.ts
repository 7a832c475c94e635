import type { Contact } from '../../../api/types';
import { otherMark } from '../../../domain/campaignMark';

/** Why a contact is left out. */
export interface Skip {
	code: 'optedOut' | 'notConfirmed' | 'alreadyMarked' | 'duplicate' | 'noContact' | 'conflict';
	reason: string;
	/** Whether running it again may send the message. */
	isOpen?: boolean;
}

/**
 * Why a contact gets no message of this campaign, as far as is known of it. What is not known is no
 * reason here: the answer to the mark tells it.
 */
export function skipOf(
	{ attributes, optInStatus }: Partial<Contact>,
	key: string,
): Skip | undefined {
	const marked = otherMark(attributes ?? {}, key);
	if (marked !== undefined) return alreadyMarked(marked);
	return optInStatus === undefined ? undefined : skipByConsent(optInStatus);
}

export function skipByConsent(optInStatus: Contact['optInStatus']): Skip | undefined {
	if (optInStatus === 'confirmed') return undefined;
	if (optInStatus === 'opted_out')
		return { code: 'optedOut', reason: 'The contact has opted out.' };
	const status = optInStatus === undefined ? 'not shown' : `'${optInStatus}'`;
	const reason = `The opt-in status of the contact is ${status}. Campaigns reach only confirmed contacts.`;
	return { code: 'notConfirmed', reason };
}

function alreadyMarked(mark: string): Skip {
	const reason = `The contact is marked for this campaign (${mark}): the message was sent, or interrupted while it was sent.`;
	return { code: 'alreadyMarked', reason };
}

/** Two runs that see each other's marks may both leave the message to the other. */
export function markedMeanwhile(mark: string): Skip {
	const reason = `Another run marked the contact at the same time (${mark}), so this one left the message to it. To make sure, run it again with the same campaign key.`;
	return { code: 'alreadyMarked', reason, isOpen: true };
}
