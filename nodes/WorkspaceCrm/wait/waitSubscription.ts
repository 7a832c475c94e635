import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Subscription } from '../api/types';
import type { Clock } from '../n8n/clock';
import { waitingBaseUrl } from '../n8n/waitingExecution';
import { deleteOverdueWaits } from '../webhooks/overdueWaits';
import {
	assertRoomLeft,
	createSubscription,
	isTo,
	listSubscriptions,
	MAX_SUBSCRIPTIONS,
} from '../webhooks/remoteSubscriptions';
import { InputProblem } from '../domain/problem';
import { NOTHING_SENT } from './waitLimit';

/** Deletes the subscription with an id, or all to the URL; says whether none is left. */
export type CleanUp = (id?: string) => Promise<boolean>;

const LEFT =
	'A webhook subscription may be left at the service, and then this contact can only be asked again some minutes after the time of this wait. To ask sooner, delete it with Subscription > Delete in the Workspace CRM node.';

/** The failure, which says if a subscription may be left. */
export function withCleanUp(failure: unknown, isClean: boolean): unknown {
	if (isClean) return failure;
	if (failure instanceof InputProblem) {
		return new InputProblem(failure.message, `${failure.remedy} ${LEFT}`);
	}
	return failure instanceof CrmError ? failure.withContext(LEFT) : failure;
}

interface Wish {
	url: string;
	event: string;
	cleanUp: CleanUp;
}

/**
 * Makes the subscription for the reply. If there is no room for it, that of waits long over is made
 * use of.
 *
 * @throws InputProblem or CrmError when there is none now, as far as that is known
 */
export async function subscribeToReply(
	context: IExecuteFunctions,
	api: Api,
	clock: Clock,
	wish: Wish,
): Promise<Subscription> {
	return await subscribe(api, wish).catch(async (error: unknown) => {
		const { status = 0 } = error instanceof CrmError ? error : {};
		// It is not stated with which status the service says that no more are allowed.
		if (![400, 403, 409, 422].includes(status)) throw error;
		const all = await listSubscriptions(api);
		if (all.length < MAX_SUBSCRIPTIONS) throw error;
		const left = await deleteOverdueWaits(api, all, waitingBaseUrl(context), clock.now());
		const next = `run this node again. ${NOTHING_SENT}`;
		assertRoomLeft(left, { url: wish.url, next: next.slice(0, -1) });
		return await subscribe(api, wish);
	});
}

async function subscribe(api: Api, wish: Wish): Promise<Subscription> {
	const { url, event, cleanUp } = wish;
	const creating = createSubscription(api, { url, events: [event] }, TEXTS);
	const subscription = await creating.catch(async (error: unknown) => {
		const isNotMade = error instanceof CrmError && !error.mayHaveHappened;
		const isClean = isNotMade || (await cleanUp());
		if (!(error instanceof CrmError)) throw error;
		const { message, description, status } = error;
		// Nothing was sent, so all of it may be tried again.
		const failure = new CrmError(message, `${NOTHING_SENT} ${description}`, { status });
		throw withCleanUp(failure, isClean);
	});
	try {
		assertUsable(subscription, wish);
	} catch (error) {
		throw withCleanUp(error, await cleanUp(subscription.id));
	}
	return subscription;
}

/**
 * @throws CrmError if the subscription would never bring the reply; what the service does not say is
 * taken to be right
 */
export function assertUsable(
	{ url, events, isActive }: Subscription,
	wish: Pick<Wish, 'url' | 'event'>,
): void {
	const isOurs = url === '' || isTo({ url }, wish.url);
	if (isOurs && isActive && (events ?? [wish.event]).includes(wish.event)) return;
	const what = isOurs
		? 'It is not active, or not for the event that was asked for.'
		: `It was to be sent to ${placeOf(wish.url)}, and the service made another URL of it, at ${placeOf(url)}. n8n takes no reply at a changed URL.`;
	throw new CrmError(
		'The service made a webhook subscription that cannot bring the reply',
		`${NOTHING_SENT} ${what} Report this to the provider of the service.`,
	);
}

/** What is behind it may hold a signature. */
const placeOf = (url: string) => url.split('?')[0];

const TEXTS = {
	conflict:
		'The workspace may have as many webhook subscriptions as the service allows (20). List them with Subscription > Get Many in the Workspace CRM node, which says which of them belong to waits, and delete one that is no longer needed.',
	unclear: [
		'The service did not confirm the webhook subscription for the reply',
		'Run the node again in a few minutes.',
	],
} as const;
