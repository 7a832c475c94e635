import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Subscription } from '../api/types';
import { InputProblem } from '../domain/problem';
import { parseUtcMs } from '../domain/time';
import type { Clock } from '../n8n/clock';
import { waitingBaseUrl } from '../n8n/waitingExecution';
import { assertBringsEvents } from '../webhooks/createSubscription';
import { deleteOverdueWaits, KEPT_AFTER_END_MS, waitOf } from '../webhooks/overdueWaits';
import { deleteSubscription, isTo, listSubscriptions } from '../webhooks/remoteSubscriptions';
import { readWaitUrl, type WaitUrl } from '../webhooks/waitUrl';
import { NOTHING_SENT } from './waitLimit';

/** Some services take a moment until a list has what was just made. */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 1_000;

/**
 * Sees to it that there is no other open question to the contact, of any n8n: whoever answers "yes" to
 * one would answer both. Of two that come at the same time, the one stays that the service has made
 * first. Waits of this n8n that are long over are deleted on the way.
 *
 * A test in the editor takes the place of an earlier test of the same node, which may have been
 * stopped.
 *
 * @param own subscription of this wait
 * @throws InputProblem if there is another, CrmError if the list cannot be relied upon
 */
export async function assertOnlyQuestion(
	context: IExecuteFunctions,
	api: Api,
	clock: Clock,
	{ url, event, id }: { url: string; event: string; id: string },
): Promise<void> {
	const ours = readWaitUrl(url);
	if (!ours) return;
	const baseUrl = waitingBaseUrl(context);
	const { own, all } = await lookForOwn(api, clock, url, id);
	assertBringsEvents(own, { url, events: [event] });
	const others = await deleteOverdueWaits(api, all, baseUrl, clock.now());
	for (const other of others) {
		const theirs = readWaitUrl(other.url);
		const isHere = waitOf(other, baseUrl) !== undefined;
		// An execution waits in one place, so its other waits are over.
		const isOver = isHere && theirs?.executionId === ours.executionId;
		if (!theirs || isOver || !isRival(theirs, ours, clock.now())) continue;
		if (!mayAnswer(other, own) || !isEarlier(other, own)) continue;
		const isSameNode = isHere && theirs.nodeId === ours.nodeId;
		if (!isSameNode || !theirs.isTest || !ours.isTest) throw hasOpenQuestion(theirs, other.id);
		await deleteSubscription(api, other.id);
	}
}

async function lookForOwn(
	api: Api,
	clock: Clock,
	url: string,
	id: string,
): Promise<{ own: Subscription; all: Subscription[] }> {
	for (let look = 1; look <= LOOKS; look += 1) {
		if (look > 1) await clock.sleep(BETWEEN_LOOKS_MS);
		const all = await listSubscriptions(api);
		const own = all.find((each) => each.id === id) ?? all.find((each) => isTo(each, url));
		if (own) return { own, all };
	}
	throw new CrmError(
		'The service does not list the webhook subscription that it has just made',
		`${NOTHING_SENT} So it cannot be known whether this contact has another open question. Run this node again in a few minutes. If this happens again, report it to the provider of the service.`,
	);
}

/** Whether a wait is for the same contact, and not long over. */
function isRival(theirs: WaitUrl, ours: WaitUrl, nowMs: number): boolean {
	return theirs.contactKey === ours.contactKey && theirs.untilMs + KEPT_AFTER_END_MS > nowMs;
}

/** Whether the same event would answer both. */
function mayAnswer({ events }: Subscription, own: Subscription): boolean {
	if (!events || !own.events) return true;
	return events.some((event) => own.events?.includes(event));
}

/** The order is the service's, which tells the same to both. Where it tells none, both give way. */
function isEarlier(other: Subscription, own: Subscription): boolean {
	const [theirMs = NaN, ourMs = NaN] = [other, own].map((each) => parseUtcMs(each.createdAt ?? ''));
	return !(theirMs > ourMs);
}

function hasOpenQuestion({ executionId, untilMs }: WaitUrl, id: string): InputProblem {
	return new InputProblem(
		'This contact may still have an open question',
		`${NOTHING_SENT} A reply would count for both questions. Execution ${executionId} asked this contact, and waits until ${new Date(untilMs).toISOString()}. Ask again some minutes after that, or once the contact has replied. If that execution has ended, delete its subscription (${id}) with Subscription > Delete in the Workspace CRM node.`,
	);
}
