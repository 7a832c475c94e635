import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Runtime } from '../api/runtime';
import { parseUtcMs } from '../domain/time';
import { resumeUrl, waitUntil } from '../n8n/waitingExecution';
import { assertReachable } from '../webhooks/reachable';
import { deleteSubscription, isTo, listSubscriptions } from '../webhooks/remoteSubscriptions';
import { contactKeyOf, waitParameters } from '../webhooks/waitUrl';
import { assertOnlyQuestion } from './openQuestions';
import { keepState, type WaitState } from './waitState';
import { LEFT, subscribeToReply, type CleanUp } from './waitSubscription';

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
	const { id, secret, createdAt } = await subscribeToReply(context, api, clock, subscribing);
	const createdAtMs = clock.elapsedMs();
	let sentAfterMs = 0;
	try {
		await assertOnlyQuestion(context, api, clock, url);
		await ask(() => (sentAfterMs = clock.elapsedMs() - createdAtMs));
	} catch (error) {
		const isClean = await cleanUp(id);
		throw error instanceof CrmError && !isClean ? error.withContext(LEFT) : error;
	}
	// By the service's clock: when it made the subscription, and how long ago that was.
	const askedAtMs = createdAt === undefined ? NaN : parseUtcMs(createdAt) + sentAfterMs;
	const state = { ...awaited, waitId, subscriptionId: id, secret };
	keepState(context, Number.isNaN(askedAtMs) ? state : { ...state, askedAtMs });
	await waitUntil(context, untilMs, outputAtEnd);
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
	const waitLimits = { maxQueueWaitMs: CLEAN_UP_MS, maxRefusalWaitMs: CLEAN_UP_MS };
	try {
		const api = await createApi(context, { effect: 'idempotent', runtime, waitLimits, signal });
		const all = id === undefined ? await listSubscriptions(api) : [{ id, url }];
		for (const each of all) if (isTo(each, url)) await deleteSubscription(api, each.id);
		return true;
	} catch {
		return false;
	}
}
