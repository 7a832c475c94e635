import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Subscription } from '../api/types';
import { InputProblem } from '../domain/problem';
import type { Clock } from '../n8n/clock';
import { waitingBaseUrl } from '../n8n/waitingExecution';
import { createSubscription, type SubscriptionRequest } from '../webhooks/createSubscription';
import { deleteOverdueWaits } from '../webhooks/overdueWaits';
import { assertRoomLeft, hasRoom, listSubscriptions } from '../webhooks/remoteSubscriptions';
import { NOTHING_SENT } from './waitLimit';

/** The subscription for the reply that a wait needs, and how to delete it. */
export interface ReplySubscription {
	url: string;
	event: string;
	cleanUp: SubscriptionRequest['cleanUp'];
}

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

/**
 * Makes the subscription for the reply. If there is no room for it, those of waits long over make room.
 *
 * @throws InputProblem or CrmError when there is none now, as far as that is known
 */
export async function subscribeToReply(
	context: IExecuteFunctions,
	api: Api,
	clock: Clock,
	{ url, event, cleanUp }: ReplySubscription,
): Promise<Subscription> {
	const request = { url, events: [event], cleanUp, texts: TEXTS, explain };
	return await createSubscription(api, request).catch(async (error: unknown) => {
		const { status = 0 } = error instanceof CrmError ? error : {};
		// The reference does not state the status for one subscription too many.
		if (![400, 403, 409, 422].includes(status)) throw error;
		const all = await listSubscriptions(api);
		if (hasRoom(all)) throw error;
		const left = await deleteOverdueWaits(api, all, waitingBaseUrl(context), clock.now());
		assertRoomLeft(left, url, `Then run this node again. ${NOTHING_SENT}`);
		return await createSubscription(api, request);
	});
}

/** Nothing was sent, so all of it may be tried again. */
function explain(failure: unknown, isClean: boolean): unknown {
	if (!(failure instanceof CrmError)) return failure;
	const { message, description, status } = failure;
	return withCleanUp(new CrmError(message, `${NOTHING_SENT} ${description}`, { status }), isClean);
}

const TEXTS = {
	conflict:
		'The workspace may have as many webhook subscriptions as the service allows (20). List them with Subscription > Get Many in the Workspace CRM node, which says which of them belong to waits, and delete one that is no longer needed.',
	unclear: [
		'The service did not confirm the webhook subscription for the reply',
		'Run the node again in a few minutes.',
	],
} as const;
