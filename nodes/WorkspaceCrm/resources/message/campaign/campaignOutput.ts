import type { IDataObject } from 'n8n-workflow';

import { CrmError } from '../../../api/crmError';
import { REFERENCE_RULE } from '../../../api/rateLimiter';
import type { Usage } from '../../../api/service';
import { several, usageText } from '../../../domain/text';
import type { BulkResult } from '../../../operations/define';
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
export function campaignOutput(
	contact: Partial<FoundContact>,
	key: string | undefined,
	result: CampaignResult,
): IDataObject {
	const { status } = result;
	const campaign: IDataObject = { status, key };
	if (key === undefined) delete campaign.key;
	if (result.status === 'skipped') campaign.code = result.code;
	const reason = reasonOf(result);
	if (reason) campaign.reason = reason;
	const known = contact.id === undefined ? {} : { contact_id: contact.id };
	const ours = { campaign, ...recipientOf(contact), ...known };
	// Ours come first, and count.
	return { ...ours, ...(result.status === 'sent' && result.record), ...ours };
}

function reasonOf(result: CampaignResult): string {
	const reason = 'reason' in result ? result.reason : messageOf('error' in result && result.error);
	return [reason, stillMarkedOf(result)].filter((text) => text).join('. ');
}

function messageOf(error: unknown): string {
	if (error instanceof Error) return error.message;
	return error ? String(error) : '';
}

const stillMarkedOf = (result: CampaignResult) =>
	'stillMarked' in result ? result.stillMarked : undefined;

/** The error of a contact, with what to do about a mark that stays. */
export function errorOf(result: Extract<CampaignResult, { error?: unknown }>): unknown {
	const { error } = result;
	const stillMarked = stillMarkedOf(result);
	return stillMarked && error instanceof CrmError ? error.withContext(stillMarked) : error;
}

/** In a dry run nothing fails: what a run would fail with is part of the preview. */
export function toBulkOutcome(
	{ contact, result }: CampaignOutcome,
	key: string | undefined,
	isDryRun: boolean,
): BulkResult['outcomes'][number] {
	const json = campaignOutput(contact, key, result);
	return 'error' in result && !isDryRun ? { json, error: errorOf(result) } : { json };
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
	const named = (status: string, words: string) =>
		count(status) > 0 ? [`${count(status)} ${words}`] : [];
	const parts = [
		isDryRun ? `${count('wouldSend')} would get the message` : `${count('sent')} sent`,
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
	const marked = outcomes.filter(({ result }) => stillMarkedOf(result));
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

function skipped(results: readonly CampaignResult[]): string[] {
	const codes = results.flatMap((result) => (result.status === 'skipped' ? [result.code] : []));
	if (codes.length === 0) return [];
	const counts = Object.entries(CODES)
		.map(([code, words]) => ({ words, count: codes.filter((each) => each === code).length }))
		.filter(({ count }) => count > 0)
		.map(({ words, count }) => `${count} ${words}`);
	return [`${codes.length} skipped (${counts.join(', ')})`];
}
