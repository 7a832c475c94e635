import type { Contact } from '../../../api/types';
import { otherMark, type Mark } from '../../../domain/campaignMark';
import type { Run } from '../../../operations/define';

/** Why a contact is left out. */
export interface Skip {
	status: 'skipped';
	code: 'optedOut' | 'notConfirmed' | 'alreadyMarked' | 'duplicate' | 'noContact' | 'conflict';
	reason: string;
	/** Whether running it again may send the message. */
	isOpen?: boolean;
}

const unsentMarks = new WeakMap<object, Map<string, Mark>>();

/**
 * The marks that earlier tries of a run of a node (Retry On Fail) left, though their messages were
 * certainly not sent, by the campaign key and the contact: another try goes on with them.
 */
export function unsentMarksOf({ key }: Run): Map<string, Mark> {
	const marks = unsentMarks.get(key) ?? new Map<string, Mark>();
	unsentMarks.set(key, marks);
	return marks;
}

/**
 * Why a contact gets no message of this campaign, as far as is known of it. What is not known is no
 * reason here: the answer to the mark tells it.
 */
export function skipOf(
	{ id, attributes = {}, optInStatus }: Partial<Contact>,
	key: string,
	run: Run,
): Skip | undefined {
	const mark = otherMark(attributes, key, unsentMarksOf(run).get(`${key} ${id}`));
	if (mark === undefined) return optInStatus && skipByConsent(optInStatus);
	const reason = `The contact is marked for this campaign (${mark}): the message was sent, or interrupted while it was sent.`;
	return { status: 'skipped', code: 'alreadyMarked', reason };
}

/** The same once the contact is marked: now all that counts is known, and other runs see the mark. */
export function skipMarked(
	{ attributes, optInStatus }: Contact,
	key: string,
	own: Mark,
): Skip | undefined {
	const mark = otherMark(attributes, key, own);
	if (mark === undefined) return skipByConsent(optInStatus);
	// Two runs that see each other's marks may both leave the message to the other.
	const reason = `Another run marked the contact at the same time (${mark}), so this one left the message to it. To make sure, run it again with the same campaign key.`;
	return { status: 'skipped', code: 'alreadyMarked', reason, isOpen: true };
}

export const OPTED_OUT: Skip = {
	status: 'skipped',
	code: 'optedOut',
	reason: 'The contact has opted out.',
};

function skipByConsent(optInStatus: Contact['optInStatus']): Skip | undefined {
	if (optInStatus === 'confirmed') return undefined;
	if (optInStatus === 'opted_out') return OPTED_OUT;
	const status = optInStatus === undefined ? 'not shown' : `'${optInStatus}'`;
	const reason = `The opt-in status of the contact is ${status}. Campaigns reach only confirmed contacts.`;
	return { status: 'skipped', code: 'notConfirmed', reason };
}
