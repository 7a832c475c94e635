import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Runtime } from '../api/runtime';
import type { Subscription } from '../api/types';
import { parseUtcMs } from '../domain/time';
import { resumeUrl, waitUntil } from '../n8n/waitingExecution';
import { makeRoom } from '../webhooks/makeRoom';
import {
	assertReachable,
	cleanUp,
	createSubscription,
	type WantedSubscription,
} from '../webhooks/subscriptions';
import { hashContactId, waitParameters } from '../webhooks/waitUrl';
import { assertOnlyQuestion } from './openQuestions';
import { keepState, type WaitState } from './waitState';
import { MIN_WAIT_MS, NOTHING_SENT } from './waitLimit';

/** A question, and the event that answers it. */
export interface Question
	extends Pick<WaitState, 'event' | 'contactId' | 'approvalWords' | 'simplify' | 'isApproval'> {
	/** The end of the wait, in milliseconds since 1970. */
	untilMs: number;
	/** Sends the question; calls `onSend` before each try. */
	ask: (onSend: () => void) => Promise<void>;
	/** The output if nobody answers. */
	outputAtEnd: IDataObject;
}

/**
 * Subscribes to the reply, sends the question, and puts the execution to wait. It subscribes first,
 * because the contact may reply before the service confirms the message; and if subscribing fails,
 * nothing is sent.
 *
 * @throws InputProblem or CrmError if the execution does not wait; then the subscription is deleted if
 * the service can be reached
 */
export async function askAndWait(
	context: IExecuteFunctions,
	api: Api,
	runtime: Runtime,
	question: Question,
): Promise<void> {
	const { clock } = runtime;
	const { ask, untilMs, outputAtEnd, ...awaited } = question;
	const { event, contactId } = awaited;
	const isTest = context.getMode() === 'manual';
	const contactKey = hashContactId(contactId);
	const url = resumeUrl(context, waitParameters({ contactKey, isTest, untilMs }));
	assertReachable(url);

	const wanted = { url, events: [event], ifLeft: IF_LEFT };
	const made = await subscribeToReply(context, api, runtime, wanted).catch(sayNothingSent);
	const { id, secret, createdAt = '' } = made;
	const createdAtMs = clock.elapsedMs();
	let sentAfterMs = 0;
	const state = { ...awaited, subscriptionId: id, secret };
	try {
		await assertOnlyQuestion(api, clock.now(), { url, event, id });
		// Before sending: if this fails, the execution cannot wait.
		keepState(context, state);
		await ask(() => (sentAfterMs = clock.elapsedMs() - createdAtMs));
	} catch (error) {
		await cleanUp(context, runtime, wanted, error, id);
	}
	// By the service's clock: the creation of the subscription, plus the time until the question was sent.
	const askedAtMs = parseUtcMs(createdAt) + sentAfterMs;
	if (!Number.isNaN(askedAtMs)) keepState(context, { ...state, askedAtMs });
	// Waiting for the rate limit may have used up the time to wait.
	const endMs = Math.max(untilMs, clock.now() + MIN_WAIT_MS);
	await waitUntil(context, endMs, outputAtEnd);
}

async function subscribeToReply(
	context: IExecuteFunctions,
	api: Api,
	runtime: Runtime,
	wanted: WantedSubscription,
): Promise<Subscription> {
	const next = `Then run this node again. ${NOTHING_SENT}`;
	await makeRoom(api, wanted.url, runtime.clock.now(), next);
	return await createSubscription(context, runtime, api, wanted);
}

/** Drops `mayHaveHappened`: no message was sent, so a retry may repeat all of it. */
function sayNothingSent(failure: unknown): never {
	if (!(failure instanceof CrmError)) throw failure;
	const { message, description, status } = failure;
	throw new CrmError(message, `${NOTHING_SENT} ${description}`, { status });
}

const IF_LEFT =
	'The service may still have a webhook subscription. Until some minutes after the end of this wait, it prevents asking this contact again. To ask sooner, delete it with Subscription > Delete in the Workspace CRM node.';
