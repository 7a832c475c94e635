import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../../../crm/client';
import { CrmError } from '../../../crm/crmError';
import type { Subscription } from '../../../crm/records';
import { InputProblem } from '../../../domain/inputProblem';
import { MINUTE_MS, parseUtcMs } from '../../../domain/time';
import { assertResumable, readyToWait, resumeUrl } from '../../../n8n/waitingExecution';
import {
	assertReachable,
	cleanUp,
	deleteSubscription,
	requestSubscription,
	listSubscriptions,
} from '../../../events/subscriptions';
import {
	hashContactId,
	isEnded,
	isLongOver,
	readWaitUrl,
	waitParameters,
	type WaitUrl,
} from '../../../events/waitUrl';
import { processAnswered } from './receiveReply';
import { NOTHING_SENT } from './waitLimit';
import { keepState, type WaitState } from './waitState';

/** A question, and the event that answers it. */
export interface Question
	extends Pick<WaitState, 'event' | 'contactId' | 'approvalWords' | 'simplify' | 'isApproval'> {
	/** The end of the wait, in milliseconds since 1970. */
	untilMs: number;
	/** Sends the question. */
	ask: () => Promise<unknown>;
	/** The output if nobody answers. */
	outputAtEnd: IDataObject;
}

/**
 * Subscribes to the reply, sends the question, and puts the execution to wait. It subscribes first, so that no
 * reply is missed.
 *
 * @throws InputProblem or CrmError if the execution does not wait; then the subscription is deleted if
 * the service can be reached
 */
export async function askAndWait(
	context: IExecuteFunctions,
	api: Api,
	question: Question,
): Promise<void> {
	const { clock } = api;
	const { ask, untilMs, outputAtEnd, ...awaited } = question;
	const { event, contactId } = awaited;
	const isTest = context.getMode() === 'manual';
	const contactKey = hashContactId(contactId);
	const url = resumeUrl(context, waitParameters({ contactKey, isTest, untilMs }));
	assertReachable(url);
	assertResumable(context, url);

	const wait = readyToWait(context, outputAtEnd);
	const notAsked = (error: unknown) => {
		wait.undo();
		return sayNothingSent(error);
	};
	const workspace = await api.workspaceId().catch(notAsked);
	let subscribedMs = 0;
	const onSend = () => void (subscribedMs = clock.elapsedMs());
	const wanted = { url, events: [event], ifLeft: LEFT_BY_WAIT, onSend };
	const made = await requestSubscription(context, api, wanted).catch(notAsked);
	const { id, secret, createdAt = '' } = made;
	const state = { ...awaited, subscriptionId: id, workspace, secret };
	try {
		await assertOnlyQuestion(api, { url, event, id });
		// Before sending: if this fails, the execution cannot wait.
		keepState(context, state);
		await ask();
	} catch (error) {
		wait.undo();
		await cleanUp(api, wanted, error, id);
	}
	// By the service's clock, and never too early: the subscription was created some time after its request was
	// sent, and the question was sent before its answer came.
	const askedAtMs = latestMs(createdAt) + clock.elapsedMs() - subscribedMs;
	if (!Number.isNaN(askedAtMs)) keepState(context, { ...state, askedAtMs });
	// Waiting for the rate limit may have used up the time to wait. n8n checks waiting executions once a minute.
	const endMs = Math.max(untilMs, clock.now() + MINUTE_MS);
	await wait.begin(endMs).catch(async (error: unknown) => {
		wait.undo();
		await cleanUp(api, wanted, cannotWait(error), id);
	});
}

/** The latest time that a text can mean: a service may cut off the milliseconds. */
function latestMs(text: string): number {
	const ms = parseUtcMs(text);
	return ms % 1_000 === 0 ? ms + 999 : ms;
}

/** A retry must not ask again. */
function cannotWait(error: unknown): CrmError {
	return new CrmError(
		'The question was sent, but n8n did not put this execution to wait',
		`A reply continues nothing. n8n says: ${String(error)}.`,
		{ mayHaveHappened: true },
	);
}

/** Drops `mayHaveHappened`: no message was sent, so a retry may repeat all of it. */
function sayNothingSent(error: unknown): never {
	if (!(error instanceof CrmError)) throw error;
	const { message, description, failure } = error;
	const notSent = { ...failure, mayHaveHappened: false };
	throw new CrmError(message, `${NOTHING_SENT} ${description}`, notSent);
}

/**
 * Ensures that the contact has no other open question, from any n8n: one "yes" would answer both. Of two
 * simultaneous questions, the one whose subscription was created first stays. What has ended in this n8n is
 * deleted now, so that its wait gets no reply any more.
 *
 * @param question the subscription of this wait
 * @throws InputProblem if there is another open question, CrmError if the list lacks our own subscription
 */
async function assertOnlyQuestion(
	api: Api,
	question: { url: string; event: string; id: string },
): Promise<void> {
	const all = await listSubscriptions(api);
	const own = all.find(({ id }) => id === question.id);
	const ours = readWaitUrl(question.url);
	if (!own || !ours) throw new CrmError(...NOT_LISTED);
	const nowMs = api.clock.now();
	for (const other of all) {
		const theirs = readWaitUrl(other.url);
		if (other === own || theirs?.contactKey !== ours.contactKey) continue;
		const isAnswered = processAnswered.has(other.id);
		const isIgnored = other.events?.includes(question.event) === false || !isEarlier(other, own);
		if (!isAnswered && (isIgnored || isLongOver(other.url, nowMs))) continue;
		if (!isAnswered && !isEnded(theirs, ours, nowMs)) throw hasOpenQuestion(theirs, other.id);
		const deletion = deleteSubscription(api, other);
		// If the service still refuses, the background goes on trying.
		await (isAnswered ? deletion.catch(unlessFailed) : deletion);
	}
}

/** For `catch`: swallows a failed request. */
function unlessFailed(error: unknown): void {
	if (!(error instanceof CrmError)) throw error;
}

/** By the service's created_at; if that is missing, both questions stop. */
function isEarlier(other: Subscription, own: Subscription): boolean {
	const [theirMs = NaN, ourMs = NaN] = [other, own].map((each) => parseUtcMs(each.createdAt ?? ''));
	return !(theirMs > ourMs);
}

const NOT_LISTED = [
	'The service does not list the webhook subscription that it has just made',
	`${NOTHING_SENT} So it cannot be known whether this contact has another open question. Run this node again in a few minutes. If this happens again, report it to the provider of the service.`,
] as const;

function hasOpenQuestion({ executionId, untilMs }: WaitUrl, id: string): InputProblem {
	return new InputProblem(
		'This contact may still have an open question',
		`${NOTHING_SENT} A reply would count for both questions. Execution ${executionId} asked this contact, and waits until ${new Date(untilMs).toISOString()}. Ask again some minutes after that. If that execution has ended, because the contact has replied or it was stopped, ask at once after deleting its subscription (${id}) with Subscription > Delete in the Workspace CRM node.`,
	);
}

const LEFT_BY_WAIT =
	'The service may still have a webhook subscription. Until some minutes after the end of this wait, it prevents asking this contact again. To ask sooner, delete it with Subscription > Delete in the Workspace CRM node.';
