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
import { withoutSignature } from '../webhooks/waitUrl';
import { NOTHING_SENT } from './waitLimit';

/** Deletes the subscription with an id, or all to the URL; says whether it could. */
export type CleanUp = (id?: string) => Promise<boolean>;

export const LEFT =
	'A webhook subscription may be left at the service. It does nothing, and is deleted once the time of this wait is over.';

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

async function subscribe(api: Api, { url, event, cleanUp }: Wish): Promise<Subscription> {
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
