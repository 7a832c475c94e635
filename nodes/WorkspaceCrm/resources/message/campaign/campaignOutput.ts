import type { IDataObject } from 'n8n-workflow';

import { REFERENCE_RULE } from '../../../api/rateLimiter';
import type { Usage } from '../../../api/service';
import { several, usageText } from '../../../domain/text';
import type { BulkResult } from '../../../operations/define';
import type { FoundContact } from '../../contactReference';
import type { SendResult } from './sendOnce';
import type { Skip } from './skip';

/** What came of a contact of a campaign. */
export type CampaignResult =
	| Exclude<SendResult, { error: unknown }>
	| { status: 'wouldSend' | 'notSent' }
	/** `notSent`: the campaign ended before, and the contact is not marked. */
	| { status: 'failed' | 'unclear' | 'notSent'; error: unknown };

/** Who gets a message, where it is known without another request. */
export function recipientOf({ name, phone }: Partial<FoundContact>): { [field: string]: string } {
	return {
		...(phone && { contact_phone: phone }),
		...(name !== undefined && { contact_name: name }),
	};
}

/** What came of a contact: the message as it was sent, if it was, and why not, if not. */
export function campaignOutput(
	contact: Partial<FoundContact>,
	key: string | undefined,
	result: CampaignResult,
): IDataObject {
	const { status } = result;
	const known = contact.id === undefined ? {} : { contact_id: contact.id };
	const sent = status === 'sent' ? result.record : {};
	const campaign = { ...(key !== undefined && { key }), status, ...reasonOf(result) };
	return { ...sent, ...known, ...recipientOf(contact), campaign };
}

function reasonOf(result: CampaignResult): { code?: string; reason?: string } {
	if ('error' in result) {
		return { reason: result.error instanceof Error ? result.error.message : String(result.error) };
	}
	return result.status === 'skipped' ? { code: result.code, reason: result.reason } : {};
}

/** In a dry run nothing fails: what a run would fail with is part of the preview. */
export function toOutcome(
	contact: Partial<FoundContact>,
	key: string | undefined,
	result: CampaignResult,
	isDryRun: boolean,
): BulkResult['outcomes'][number] {
	const json = campaignOutput(contact, key, result);
	return 'error' in result && !isDryRun ? { json, error: result.error } : { json };
}

const CODES: Record<Skip['code'], string> = {
	optedOut: 'opted out',
	notConfirmed: 'not confirmed',
	alreadyMarked: 'already marked',
	duplicate: 'twice in the input',
	noContact: 'no such contact',
	conflict: 'refused as a conflict',
};

const REQUESTS_PER_RECIPIENT = 2;

/** What a campaign did, in a few sentences. */
export function summarizeCampaign(
	results: readonly CampaignResult[],
	{ requests, waitedMs }: Readonly<Usage>,
	isDryRun: boolean,
): string {
	const count = (status: string) => results.filter((result) => result.status === status).length;
	const named = (status: string, words: string) =>
		count(status) > 0 ? [`${count(status)} ${words}`] : [];
	const parts = [
		...(isDryRun ? [`${count('wouldSend')} would get the message`] : [`${count('sent')} sent`]),
		...skipped(results),
		...named('failed', isDryRun ? 'would fail' : 'failed'),
		...named('unclear', 'unclear'),
		...named('notSent', 'not sent'),
	];
	const total = `${several(results.length, 'item')}: ${parts.join(', ')}.`;
	if (isDryRun) {
		const needed = requests + REQUESTS_PER_RECIPIENT * count('wouldSend');
		const { limit } = REFERENCE_RULE;
		const minutes = several(Math.ceil(needed / limit), 'minute');
		return `Dry run, nothing was sent or marked. ${total} A run takes ${several(needed, 'request')}: about ${minutes}, at ${limit} requests a minute.`;
	}
	const areLeft = results.some((result) => 'isOpen' in result && result.isOpen);
	const isOpen = areLeft || count('failed') + count('notSent') > 0;
	return [
		total,
		usageText(requests, waitedMs),
		...(count('unclear') > 0 ? [UNCLEAR] : []),
		...(isOpen ? [RUN_AGAIN] : []),
	].join(' ');
}

const UNCLEAR =
	'Unclear: the message may have been sent. Those contacts stay marked, so look at their chats.';
const RUN_AGAIN =
	'To send to those that are not marked, run it again with the same campaign key. Nobody gets the message twice.';

function skipped(results: readonly CampaignResult[]): string[] {
	const codes = results.flatMap((result) => (result.status === 'skipped' ? [result.code] : []));
	if (codes.length === 0) return [];
	const counts = Object.entries(CODES)
		.map(([code, words]) => ({ words, count: codes.filter((each) => each === code).length }))
		.filter(({ count }) => count > 0)
		.map(({ words, count }) => `${count} ${words}`);
	return [`${codes.length} skipped (${counts.join(', ')})`];
}
