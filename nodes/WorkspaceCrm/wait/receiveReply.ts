import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { createApi } from '../api/client';
import { processRuntime, type Runtime } from '../api/runtime';
import type { Delivery } from '../api/types';
import { parseUtcMs } from '../domain/time';
import { answer, whenAnswered } from '../n8n/webhook';
import { DeliveryLog } from '../webhooks/deliveryLog';
import { deleteSubscription } from '../webhooks/remoteSubscriptions';
import { readSigned } from '../webhooks/signedDelivery';
import { outputOfReply } from './replyOutput';
import { waitIdOf } from '../webhooks/waitUrl';
import { readState, type WaitState } from './waitState';

/** How long the subscription may take to be deleted; after that, the next wait or trigger does it. */
const DELETE_MS = 10_000;

const log = new DeliveryLog();

/**
 * One delivery to an execution that waits: has it go on with the reply, or stay waiting. Never throws,
 * because n8n would go on with an empty item (n8n/webhooks/webhook-helpers, seen in 2.41).
 */
export async function receiveReply(
	context: IWebhookFunctions,
	runtime: Runtime = processRuntime,
): Promise<IWebhookResponseData> {
	const refuse = () => answer(context, 503, 'The delivery could not be handled; try again later');
	return await receive(context, runtime)
		.catch((error: Error) => {
			log.warn(context, runtime.clock, 'could not be handled', error.message);
			return refuse();
		})
		.catch(refuse);
}

async function receive(
	context: IWebhookFunctions,
	runtime: Runtime,
): Promise<IWebhookResponseData> {
	const state = readState(context);
	if (!state) {
		log.warn(context, runtime.clock, 'was refused: the stored signing secret cannot be read');
		return answer(context, 503, 'The delivery could not be checked; try again later');
	}
	// In a loop, the service may still try to deliver what an earlier wait did not take.
	if (waitIdOf(context.getQueryData()) !== state.waitId) {
		return stayWaiting('it belongs to a wait that is over');
	}
	// Anybody who sees the URL can send something to it; only the service has the secret.
	const read = await readSigned(context, state.secret);
	if ('status' in read) {
		log.warn(context, runtime.clock, read.reason, read.detail);
		return answer(context, read.status, read.message);
	}
	const { delivery, deliveryId } = read;
	const reason = reasonToWait(delivery, state);
	if (reason !== undefined) return stayWaiting(reason);

	const { subscriptionId } = state;
	// Only once the execution goes on: if it cannot, the service sends the delivery again.
	whenAnswered(context, (status) => {
		if (status < 400) void tryToDelete(context, runtime, subscriptionId);
	});
	const json = outputOfReply(delivery, deliveryId, state);
	return { workflowData: [[{ json, pairedItem: { item: 0 } }]] };
}

/** Why an event is not the reply; undefined if it is. */
function reasonToWait(delivery: Delivery, state: WaitState): string | undefined {
	if (delivery.event !== state.event) return 'it is another event';
	const isFromContact = delivery.contactId.toLowerCase() === state.contactId.toLowerCase();
	if (!isFromContact || delivery.contactId === '') return 'it is about another contact';
	return isOlder(delivery.createdAt, state) ? 'it is older than the question' : undefined;
}

/** In whole seconds, as services may give no more. */
function isOlder(createdAt: string | undefined, { askedAtMs }: WaitState): boolean {
	if (createdAt === undefined || askedAtMs === undefined) return false;
	return Math.floor(parseUtcMs(createdAt) / 1_000) < Math.floor(askedAtMs / 1_000);
}

function stayWaiting(reason: string): IWebhookResponseData {
	return { webhookResponse: { message: `The execution keeps waiting: ${reason}` } };
}

async function tryToDelete(
	context: IWebhookFunctions,
	runtime: Runtime,
	subscriptionId: string,
): Promise<void> {
	const signal = runtime.clock.signalAfter(DELETE_MS);
	await createApi(context, { effect: 'idempotent', runtime, maxWaitMs: DELETE_MS, signal })
		.then(async (api) => await deleteSubscription(api, subscriptionId))
		.catch((error: Error) => {
			const what = 'was the reply, but its subscription could not be deleted; that is done later';
			log.warn(context, runtime.clock, what, error.message);
		});
}
