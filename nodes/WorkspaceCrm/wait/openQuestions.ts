import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Subscription } from '../api/types';
import { InputProblem } from '../domain/problem';
import { parseUtcMs } from '../domain/time';
import { deleteSubscription, listSubscriptions } from '../webhooks/subscriptions';
import { isLongOver, readWaitUrl, type WaitUrl } from '../webhooks/waitUrl';
import { NOTHING_SENT } from './waitLimit';

/**
 * Ensures that the contact has no other open question, from any n8n: one "yes" would answer both. Of two
 * simultaneous questions, the one whose subscription was created first stays.
 *
 * A test in the editor takes the place of an earlier test of the same node, which may have been stopped.
 *
 * @param id of the subscription of this wait, to the URL and event
 * @throws InputProblem if there is another open question, CrmError if the list lacks our own
 * subscription
 */
export async function assertOnlyQuestion(
	api: Api,
	nowMs: number,
	{ url, event, id }: { url: string; event: string; id: string },
): Promise<void> {
	const all = await listSubscriptions(api);
	const own = all.find((each) => each.id === id);
	const ours = readWaitUrl(url);
	if (!own || !ours) throw notListed();
	for (const other of all.filter((each) => each !== own)) {
		const theirs = readWaitUrl(other.url);
		if (!theirs || theirs.contactKey !== ours.contactKey) continue;
		const isOtherEvent = other.events?.includes(event) === false;
		if (isOtherEvent || isLongOver(other.url, nowMs) || !isEarlier(other, own)) continue;
		const isHere = theirs.baseUrl === ours.baseUrl;
		// An execution waits in one place at a time, so its earlier waits are over.
		const isOver = isHere && theirs.executionId === ours.executionId;
		const isRepeatedTest = isHere && theirs.nodeId === ours.nodeId && theirs.isTest && ours.isTest;
		if (!isOver && !isRepeatedTest) throw hasOpenQuestion(theirs, other.id);
		await deleteSubscription(api, other.id);
	}
}

/** By the service's created_at; if that is missing, both questions stop. */
function isEarlier(other: Subscription, own: Subscription): boolean {
	const [theirMs = NaN, ourMs = NaN] = [other, own].map((each) => parseUtcMs(each.createdAt ?? ''));
	return !(theirMs > ourMs);
}

function notListed(): CrmError {
	return new CrmError(
		'The service does not list the webhook subscription that it has just made',
		`${NOTHING_SENT} So it cannot be known whether this contact has another open question. Run this node again in a few minutes. If this happens again, report it to the provider of the service.`,
	);
}

function hasOpenQuestion({ executionId, untilMs }: WaitUrl, id: string): InputProblem {
	return new InputProblem(
		'This contact may still have an open question',
		`${NOTHING_SENT} A reply would count for both questions. Execution ${executionId} asked this contact, and waits until ${new Date(untilMs).toISOString()}. Ask again some minutes after that, or once the contact has replied. If that execution has ended, delete its subscription (${id}) with Subscription > Delete in the Workspace CRM node.`,
	);
}
