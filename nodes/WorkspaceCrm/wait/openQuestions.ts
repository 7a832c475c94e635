import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import type { Subscription } from '../api/types';
import { InputProblem } from '../domain/problem';
import { parseUtcMs } from '../domain/time';
import type { Clock } from '../n8n/clock';
import { waitingBaseUrl } from '../n8n/waitingExecution';
import { deleteOverdueWaits, waitOf } from '../webhooks/overdueWaits';
import { deleteSubscription, isTo, listSubscriptions } from '../webhooks/remoteSubscriptions';
import { readWaitUrl, type WaitUrl } from '../webhooks/waitUrl';
import { NOTHING_SENT } from './waitLimit';

/**
 * Sees to it that this n8n has no other open question to the contact: whoever answers "yes" to one
 * would answer both. Of two that come at the same time, the one stays that the service has made first.
 * Waits that are long over are deleted on the way.
 *
 * A test in the editor takes the place of an earlier test of the same node, which may have been
 * stopped.
 *
 * @param url of this wait, whose subscription exists
 * @throws InputProblem if there is another
 */
export async function assertOnlyQuestion(
	context: IExecuteFunctions,
	api: Api,
	clock: Clock,
	url: string,
): Promise<void> {
	const ours = readWaitUrl(url);
	if (!ours) return;
	const baseUrl = waitingBaseUrl(context);
	const all = await listSubscriptions(api);
	const own = all.find((each) => isTo(each, url));
	const others = await deleteOverdueWaits(api, all, baseUrl, clock.now());
	for (const other of others) {
		const theirs = waitOf(other, baseUrl);
		if (!theirs || !isRival(theirs, ours, clock.now())) continue;
		if (!mayAnswer(other, own) || !isEarlier(other, own)) continue;
		const isSameTest = theirs.isTest && ours.isTest && theirs.nodeId === ours.nodeId;
		if (!isSameTest) throw hasOpenQuestion(theirs, other.id);
		await deleteSubscription(api, other.id);
	}
}

/** An execution waits in one place, so its other waits are over. */
function isRival(theirs: WaitUrl, ours: WaitUrl, nowMs: number): boolean {
	const isOpen = theirs.contactKey === ours.contactKey && theirs.untilMs > nowMs;
	return isOpen && theirs.executionId !== ours.executionId;
}

/** Whether the same event would answer both. */
function mayAnswer({ events }: Subscription, own: Subscription | undefined): boolean {
	if (!events || !own?.events) return true;
	return events.some((event) => own.events?.includes(event));
}

/** The order is the service's, which tells the same to both. */
function isEarlier(other: Subscription, own: Subscription | undefined): boolean {
	const [theirMs, ourMs] = [other, own].map((each) => parseUtcMs(each?.createdAt ?? ''));
	if (!own || theirMs === undefined || ourMs === undefined || Number.isNaN(theirMs - ourMs)) {
		return true;
	}
	return theirMs === ourMs ? other.id < own.id : theirMs < ourMs;
}

function hasOpenQuestion({ executionId, untilMs }: WaitUrl, id: string): InputProblem {
	return new InputProblem(
		'This contact has not replied to an earlier question yet',
		`${NOTHING_SENT} A reply would count for both questions. Execution ${executionId} waits for this contact until ${new Date(untilMs).toISOString()}. Ask again after that, or once the contact has replied. If that execution was stopped, delete its subscription (${id}) with Subscription > Delete in the Workspace CRM node.`,
	);
}
