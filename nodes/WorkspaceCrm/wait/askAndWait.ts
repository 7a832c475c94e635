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
import { contactKeyOf, waitParameters } from '../webhooks/waitUrl';
import { assertOnlyQuestion } from './openQuestions';
import { keepState, type WaitState } from './waitState';
import { MIN_WAIT_MS, NOTHING_SENT } from './waitLimit';

/** What is asked, and which event answers it. */
export interface Question
	extends Pick<WaitState, 'event' | 'contactId' | 'approvalWords' | 'simplify' | 'isApproval'> {
	/** Until when to wait, in milliseconds since 1970. */
	untilMs: number;
	/** Sends the question; calls back each time that it goes out. */
	ask: (onSend: () => void) => Promise<void>;
	/** What comes out if nobody answers. */
	outputAtEnd: IDataObject;
}

/**
 * Subscribes to the answer, asks, and has the execution wait. The subscription is first, because an
 * answer may come before the service has answered us; and if anything is in its way, nothing is sent.
 *
 * @throws InputProblem or CrmError when the execution does not wait; then no subscription is left, as
 * far as the service can be reached
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
	const contactKey = contactKeyOf(contactId);
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
		// Before anything is sent: if this cannot be done, the execution cannot wait.
		keepState(context, state);
		await ask(() => (sentAfterMs = clock.elapsedMs() - createdAtMs));
	} catch (error) {
		await cleanUp(context, runtime, wanted, error, id);
	}
	// By the service's clock: when it made the subscription, and how long ago that was.
	const askedAtMs = parseUtcMs(createdAt) + sentAfterMs;
	if (!Number.isNaN(askedAtMs)) keepState(context, { ...state, askedAtMs });
	// Waiting for the rate limit may have used up the time.
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

/** Nothing was sent, so all of it may be tried again. */
function sayNothingSent(failure: unknown): never {
	if (!(failure instanceof CrmError)) throw failure;
	const { message, description, status } = failure;
	throw new CrmError(message, `${NOTHING_SENT} ${description}`, { status });
}

const IF_LEFT =
	'A webhook subscription may be left at the service, and then this contact can only be asked again some minutes after the time of this wait. To ask sooner, delete it with Subscription > Delete in the Workspace CRM node.';
