import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Runtime } from '../api/runtime';
import { parseUtcMs } from '../domain/time';
import { resumeUrl, waitUntil } from '../n8n/waitingExecution';
import { assertReachable } from '../webhooks/reachable';
import { deleteIfThere, isTo, listSubscriptions } from '../webhooks/remoteSubscriptions';
import { contactKeyOf, waitParameters, withoutSignature } from '../webhooks/waitUrl';
import { assertOnlyQuestion } from './openQuestions';
import { keepState, type WaitState } from './waitState';
import { MIN_WAIT_MS } from './waitLimit';
import { subscribeToReply, withCleanUp, type CleanUp } from './waitSubscription';

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

/** How long cleaning up may hold up an error. */
const CLEAN_UP_MS = 10_000;

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

	const cleanUp: CleanUp = async (id) => await isCleanedUp(context, runtime, url, id);
	const subscribing = { url, event: awaited.event, cleanUp };
	const made = await subscribeToReply(context, api, clock, subscribing).catch(hideSignature);
	const createdAtMs = clock.elapsedMs();
	let sentAfterMs = 0;
	let { createdAt } = made;
	const state = { ...awaited, waitId, subscriptionId: made.id, secret: made.secret };
	try {
		const listed = await assertOnlyQuestion(context, api, clock, { ...subscribing, id: made.id });
		createdAt ??= listed?.createdAt;
		// Before anything is sent: if this cannot be done, the execution cannot wait.
		keepState(context, state);
		await ask(() => (sentAfterMs = clock.elapsedMs() - createdAtMs));
	} catch (error) {
		await hideSignature(withCleanUp(error, await cleanUp(made.id)));
	}
	// By the service's clock: when it made the subscription, and how long ago that was.
	const askedAtMs = parseUtcMs(createdAt ?? '') + sentAfterMs;
	const isPrecise = /\.\d/.test(createdAt ?? '');
	if (!Number.isNaN(askedAtMs)) keepState(context, { ...state, askedAtMs, isPrecise });
	// Waiting for the rate limit may have used up the time.
	const endMs = Math.max(untilMs, clock.now() + MIN_WAIT_MS);
	await waitUntil(context, endMs, outputAtEnd);
}

/** A service may say what it does not like of a URL, and the errors quote it. */
async function hideSignature(failure: unknown): Promise<never> {
	const hidden = failure instanceof CrmError ? failure.withTexts(withoutSignature) : failure;
	return await Promise.reject(hidden);
}

/**
 * Deletes what was made for this wait, or may have been; also when the execution was stopped. Says
 * whether it could.
 *
 * @param id of the subscription; without it, those to the URL are looked for
 */
async function isCleanedUp(
	context: IExecuteFunctions,
	runtime: Runtime,
	url: string,
	id?: string,
): Promise<boolean> {
	const signal = runtime.clock.signalAfter(CLEAN_UP_MS);
	try {
		const api = await createApi(context, {
			effect: 'idempotent',
			runtime,
			maxWaitMs: CLEAN_UP_MS,
			signal,
		});
		const all = id === undefined ? await listSubscriptions(api) : [{ id, url }];
		const ours = all.filter((each) => isTo(each, url));
		for (const each of ours) await deleteIfThere(api, each.id);
		// What was not found may be made yet.
		return ours.length > 0;
	} catch {
		return false;
	}
}
