import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Runtime } from '../api/runtime';
import type { Subscription } from '../api/types';
import { parseUtcMs } from '../domain/time';
import { resumeUrl, waitingBaseUrl, waitUntil } from '../n8n/waitingExecution';
import { deleteOverdueWaits } from '../webhooks/overdueWaits';
import { assertReachable } from '../webhooks/reachable';
import {
	assertRoomLeft,
	createSubscription,
	deleteSubscription,
	isTo,
	listSubscriptions,
} from '../webhooks/remoteSubscriptions';
import { waitParameters, withoutSignature } from '../webhooks/waitUrl';
import { NOTHING_SENT } from './waitLimit';
import { keepState, type WaitState } from './waitState';

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
	const url = resumeUrl(context, waitParameters({ waitId, sinceMs: clock.now(), untilMs }));
	assertReachable(url);

	const all = await listSubscriptions(api);
	const left = await deleteOverdueWaits(api, all, waitingBaseUrl(context), clock.now());
	assertRoomLeft(left, { url, next: 'run this node again. No message was sent' });

	const cleanUp = async (id?: string) => await isCleanedUp(context, runtime, url, id);
	const { id, secret, createdAt } = await subscribe(api, url, awaited.event, cleanUp);
	const createdAtMs = clock.elapsedMs();
	let sentAfterMs = 0;
	try {
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

const LEFT =
	'A webhook subscription may be left at the service. It does nothing, and is deleted once the time of this wait is over.';

type CleanUp = (id?: string) => Promise<boolean>;

async function subscribe(
	api: Api,
	url: string,
	event: string,
	cleanUp: CleanUp,
): Promise<Subscription> {
	const creating = createSubscription(api, { url, events: [event] }, TEXTS);
	const subscription = await creating.catch(async (error: unknown) => {
		const isNotMade = error instanceof CrmError && !error.mayHaveHappened;
		const isClean = isNotMade || (await cleanUp());
		if (!(error instanceof CrmError)) throw error;
		const { message, description, status } = error;
		// Nothing was sent, so all of it may be tried again.
		throw new CrmError(message, [NOTHING_SENT, description, isClean ? '' : LEFT].join(' ').trim(), {
			status,
		});
	});
	if (subscription.url === '' || isTo(subscription, url)) return subscription;
	await cleanUp(subscription.id);
	throw new CrmError(
		'The service changed the URL to which it was to send the reply',
		`${NOTHING_SENT} It was ${withoutSignature(url)}, and the service made it ${withoutSignature(subscription.url)}. n8n takes no reply at a changed URL. Report this to the provider of the service.`,
	);
}

const TEXTS = {
	conflict:
		'The workspace may have as many webhook subscriptions as the service allows (20). List them with Subscription > Get Many in the Workspace CRM node, which says which of them belong to waits, and delete one that is no longer needed.',
	unclear: [
		'The service did not confirm the webhook subscription for the reply',
		'Run the node again in a few minutes.',
	],
} as const;

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
