import type { IDataObject } from 'n8n-workflow';

import { CrmError } from '../../../api/crmError';
import { REFERENCE_RULE } from '../../../api/rateLimiter';
import type { Usage } from '../../../api/service';
import { several, usageText } from '../../../domain/text';
import type { FoundContact } from '../../contactReference';
import type { SendResult } from './sendOnce';
import type { Skip } from './skip';

/** What came of a contact of a campaign. */
export type CampaignResult =
	| SendResult
	| { status: 'wouldSend' }
	/** The campaign ended before, and the contact is not marked. */
	| { status: 'notSent'; error?: unknown }
	/** The item cannot be used. */
	| { status: 'failed'; error: unknown };

/** The contact of an item, as far as it is known without another request, and what came of it. */
export interface CampaignOutcome {
	contact: Partial<FoundContact>;
	/** Of the campaign. */
	key?: string;
	result: CampaignResult;
}

/** Who gets a message. */
export function recipientOf({ name, phone }: Partial<FoundContact>): { [field: string]: string } {
	return {
		...(name !== undefined && { contact_name: name }),
		...(phone && { contact_phone: phone }),
	};
}

/** What came of a contact: the message as it was sent, if it was, and why not, if not. */
export function campaignOutput({ contact, key, result }: CampaignOutcome): IDataObject {
	const { status } = result;
	const campaign: IDataObject = {
		status,
		...(key !== undefined && { key }),
		...(status === 'skipped' && { code: result.code }),
		...(('reason' in result || 'error' in result) && { reason: reasonOf(result) }),
	};
	const known = contact.id === undefined ? {} : { contact_id: contact.id };
	const ours = { campaign, ...recipientOf(contact), ...known };
	// Ours come first, and count.
	return { ...ours, ...(status === 'sent' && result.record), ...ours };
}

function reasonOf(result: CampaignResult): string {
	const { reason, error, stillMarked } = result as Partial<Record<string, unknown>>;
	const message = error instanceof Error ? error.message : String(error);
	if (!stillMarked) return String(reason ?? message);
	return `${String(reason ?? `${message}.`)} ${String(stillMarked)}`;
}

/** The error of a contact, with what to do about a mark that stays. */
export function errorOf(result: Extract<CampaignResult, { error?: unknown }>): unknown {
	const { error } = result;
	const stillMarked = 'stillMarked' in result && result.stillMarked;
	return stillMarked && error instanceof CrmError ? error.withContext(stillMarked) : error;
}

const CODES: Record<Skip['code'], string> = {
	optedOut: 'opted out',
	notConfirmed: 'not confirmed',
	alreadyMarked: 'already sent or interrupted',
	duplicate: 'twice in the input',
	noContact: 'no such contact',
	conflict: 'refused as a conflict',
};

const REQUESTS_PER_RECIPIENT = 2;

/** What a campaign did, in a few sentences. */
export function summarizeCampaign(
	outcomes: readonly CampaignOutcome[],
	{ requests, waitedMs }: Readonly<Usage>,
	isDryRun: boolean,
): string {
	const results = outcomes.map(({ result }) => result);
	const count = (status: string) => results.filter((result) => result.status === status).length;
	const named = (number: number, words: string) => (number > 0 ? [`${number} ${words}`] : []);
	const codes = results.flatMap((result) => (result.status === 'skipped' ? [result.code] : []));
	const reasons = Object.entries(CODES).flatMap(([code, words]) =>
		named(codes.filter((each) => each === code).length, words),
	);
	const parts = [
		isDryRun ? `${count('wouldSend')} would get the message` : `${count('sent')} sent`,
		...named(codes.length, `skipped (${reasons.join(', ')})`),
		...named(count('failed'), isDryRun ? 'would fail' : 'failed'),
		...named(count('unclear'), 'unclear'),
		...named(count('notSent'), 'not sent'),
	];
	const total = `${several(results.length, 'item')}: ${parts.join(', ')}.`;
	if (isDryRun) {
		const needed = requests + REQUESTS_PER_RECIPIENT * count('wouldSend');
		const { limit } = REFERENCE_RULE;
		const minutes = several(Math.ceil(needed / limit), 'minute');
		return `Dry run, nothing was sent or marked. ${total} A run takes ${several(needed, 'request')}: about ${minutes}, at ${limit} requests a minute.`;
	}
	const marked = outcomes.filter(({ result }) => 'stillMarked' in result);
	const isOpen = results.some(
		(result) =>
			['failed', 'notSent'].includes(result.status) || ('isOpen' in result && result.isOpen),
	);
	return [
		total,
		usageText(requests, waitedMs),
		...(count('unclear') > 0 ? [UNCLEAR] : []),
		...(marked.length > 0 ? [stillMarkedText(marked)] : []),
		...(isOpen ? [RUN_AGAIN] : []),
	].join(' ');
}

const UNCLEAR =
	'Unclear: the message may have been sent. Those contacts stay marked, so look at their chats.';
const RUN_AGAIN =
	'To send to those that are not marked, run it again with the same campaign key. Nobody gets the message twice.';

function stillMarkedText(outcomes: readonly CampaignOutcome[]): string {
	const ids = outcomes.map(({ contact }) => contact.id);
	return `Marked without a message: ${ids.join(', ')}. Their 'campaign.reason' says how to remove the mark.`;
}
