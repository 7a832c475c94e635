import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Runtime } from '../api/runtime';
import { parseUtcMs } from '../domain/time';
import { resumeUrl, waitUntil } from '../n8n/waitingExecution';
import { deleteLeftovers } from '../webhooks/createSubscription';
import { assertReachable } from '../webhooks/reachable';
import { contactKeyOf, waitParameters, withoutSignature } from '../webhooks/waitUrl';
import { assertOnlyQuestion } from './openQuestions';
import { keepState, type WaitState } from './waitState';
import { MIN_WAIT_MS } from './waitLimit';
import { subscribeToReply, withCleanUp, type ReplySubscription } from './waitSubscription';

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
	const waitId = randomUUID().replaceAll('-', '');
	const contactKey = contactKeyOf(awaited.contactId);
	const isTest = context.getMode() === 'manual';
	const times = { sinceMs: clock.now(), untilMs };
	const url = resumeUrl(context, waitParameters({ waitId, contactKey, isTest, ...times }));
	assertReachable(url);

	const cleanUp = async (id?: string) => await deleteLeftovers(context, runtime, { url, id });
	const wanted: ReplySubscription = { url, event: awaited.event, cleanUp };
	const made = await subscribeToReply(context, api, clock, wanted).catch(hideSignature);
	const createdAtMs = clock.elapsedMs();
	let sentAfterMs = 0;
	const state = { ...awaited, waitId, subscriptionId: made.id, secret: made.secret };
	try {
		await assertOnlyQuestion(context, api, clock, { ...wanted, id: made.id });
		// Before anything is sent: if this cannot be done, the execution cannot wait.
		keepState(context, state);
		await ask(() => (sentAfterMs = clock.elapsedMs() - createdAtMs));
	} catch (error) {
		await hideSignature(withCleanUp(error, await cleanUp(made.id)));
	}
	// By the service's clock: when it made the subscription, and how long ago that was.
	const askedAtMs = parseUtcMs(made.createdAt ?? '') + sentAfterMs;
	if (!Number.isNaN(askedAtMs)) keepState(context, { ...state, askedAtMs });
	// Waiting for the rate limit may have used up the time.
	const endMs = Math.max(untilMs, clock.now() + MIN_WAIT_MS);
	await waitUntil(context, endMs, outputAtEnd);
}

/** A service may say what it does not like of a URL, and the errors quote it. */
async function hideSignature(failure: unknown): Promise<never> {
	const hidden = failure instanceof CrmError ? failure.withTexts(withoutSignature) : failure;
	return await Promise.reject(hidden);
}
