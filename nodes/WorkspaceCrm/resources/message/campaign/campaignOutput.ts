import type { IDataObject } from 'n8n-workflow';

import { REFERENCE_RULE } from '../../../api/rateLimiter';
import { several } from '../../../domain/text';
import type { FoundContact } from '../../contactReference';
import { reasonOf, type SendResult } from './result';

/** The result for one item of a campaign. */
export interface RecipientOutcome {
	item: number;
	/** The contact, as far as known without another request. */
	contact: Partial<FoundContact>;
	/** The campaign key; undefined if the item has no valid one. */
	key?: string;
	result: SendResult;
}

/** The name and phone of a recipient, for the output. */
export function recipientOf({ name, phone }: Partial<FoundContact>): { [field: string]: string } {
	return {
		...(name !== undefined && { contact_name: name }),
		...(phone && { contact_phone: phone }),
	};
}

/** The output for a contact: the message if it was sent, or the reason if not. */
export function campaignOutput({
	contact,
	key,
	result,
}: Omit<RecipientOutcome, 'item'>): IDataObject {
	const { status, code, record } = result;
	const reason = reasonOf(result);
	const campaign = {
		status,
		...(key && { key }),
		...(code && { code }),
		...(reason && { reason }),
	};
	const contactId = contact.id !== undefined && { contact_id: contact.id };
	const ours = { campaign, ...recipientOf(contact), ...contactId };
	// Our fields come first and override those of the record.
	return { ...ours, ...record, ...ours };
}

/** The words of the summary for each status or code, in this order. */
const COUNTED: Readonly<Record<string, string>> = {
	sent: 'sent',
	wouldSend: 'would get the message',
	optedOut: 'skipped (opted out)',
	notConfirmed: 'skipped (not confirmed)',
	alreadyMarked: 'skipped (already sent or interrupted)',
	duplicate: 'skipped (twice in the input)',
	noContact: 'skipped (no such contact)',
	failed: 'failed',
	unclear: 'unclear: the message may have been sent, so look at the chat',
	notSent: 'not sent',
};

/** Summarizes a campaign in a few sentences. */
export function summarizeCampaign(
	outcomes: readonly RecipientOutcome[],
	requestCount: number,
	isDryRun: boolean,
): string {
	const names = outcomes.map(({ result: { status, code } }) => code ?? status);
	const count = (name: string) => names.filter((each) => each === name).length;
	const counts = Object.entries(COUNTED)
		.filter(([name]) => count(name) > 0)
		.map(([name, words]) => `${count(name)} ${words}`);
	const total = `${several(outcomes.length, 'item')}: ${counts.join(', ')}.`;
	if (isDryRun) {
		// Two requests each: the mark and the message.
		const needed = requestCount + 2 * count('wouldSend');
		const minutes = several(Math.ceil(needed / REFERENCE_RULE.limit), 'minute');
		return `Dry run, nothing was sent or marked. ${total} A run takes ${several(needed, 'request')}: about ${minutes}, at ${REFERENCE_RULE.limit} requests a minute.`;
	}
	const marked = outcomes.filter(({ result }) => result.isMarked).map(({ contact }) => contact.id);
	const isLeftOpen = outcomes.some(({ result }) => result.isOpen);
	const isOpen = isLeftOpen || count('failed') + count('notSent') > 0;
	return [
		total,
		`${several(requestCount, 'request')}.`,
		...(marked.length > 0 ? [`Marked without a message: ${marked.join(', ')}. ${REMOVE}`] : []),
		...(isOpen ? [RUN_AGAIN] : []),
	].join(' ');
}

const REMOVE =
	"To send it to them, empty their attributes that begin with 'sent:' and the campaign key.";
const RUN_AGAIN =
	'To send it to the contacts that are not marked, run it again with the same campaign key. Nobody gets the message twice.';
