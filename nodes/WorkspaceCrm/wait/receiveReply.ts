import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { createApi } from '../api/client';
import { processRuntime, type Runtime } from '../api/runtime';
import { readDelivery, type Delivery } from '../api/types';
import { plainText } from '../domain/text';
import { parseUtcMs } from '../domain/time';
import { answer, readRawBody, whenAnswered } from '../n8n/webhook';
import { LogLimit } from '../webhooks/logLimit';
import { deleteSubscription } from '../webhooks/remoteSubscriptions';
import { verifyDelivery } from '../webhooks/signature';
import { outputOfReply } from './replyOutput';
import { waitIdOf } from '../webhooks/waitUrl';
import { readState, type WaitState } from './waitState';

/** How long the subscription may take to be deleted; after that, the next wait or trigger does it. */
const DELETE_MS = 10_000;

const MAX_LOGGED_CHARACTERS = 200;

const logLimit = new LogLimit();

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
			log(context, runtime, 'could not be handled', error.message);
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
		log(context, runtime, 'was refused: what it is to be checked with cannot be read');
		return answer(context, 503, 'The delivery could not be checked; try again later');
	}
	// In a loop, the service may still try to deliver what an earlier wait did not take.
	if (waitIdOf(context.getQueryData()) !== state.waitId) {
		return stayWaiting('it belongs to a wait that is over');
	}
	const headers = context.getHeaderData();
	const { rawBody } = await readRawBody(context, headers['content-type']);
	const signature = headers['x-service-signature'];
	// Anybody who sees the URL can send something to it; only the service has the secret.
	const verified = verifyDelivery({ rawBody, signature, secret: state.secret });
	if ('refusal' in verified) {
		log(context, runtime, `was refused: ${verified.refusal}`);
		return answer(context, 401, 'The signature of the delivery was not accepted');
	}
	const delivery = readDelivery(verified.body.toString('utf8'));
	if (!delivery)
		return answer(context, 400, 'The delivery is not a JSON object that names an event');
	const reason = reasonToWait(delivery, state);
	if (reason !== undefined) return stayWaiting(reason);

	const { subscriptionId } = state;
	// Only once the execution goes on: if it cannot, the service sends the delivery again.
	whenAnswered(context, (status) => {
		if (status < 400) void tryToDelete(context, runtime, subscriptionId);
	});
	const deliveryId = String(headers['x-service-delivery'] ?? delivery.id);
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

/** Where one of the two is in whole seconds, what is finer does not count. */
function isOlder(createdAt: string | undefined, { askedAtMs, isPrecise }: WaitState): boolean {
	if (createdAt === undefined || askedAtMs === undefined) return false;
	const unitMs = isPrecise && /\.\d/.test(createdAt) ? 1 : 1_000;
	return Math.floor(parseUtcMs(createdAt) / unitMs) < Math.floor(askedAtMs / unitMs);
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
			log(
				context,
				runtime,
				'was the reply, but its subscription could not be deleted; that is done later',
				error.message,
			);
		});
}

/** Writes into n8n's log; what a stranger may have written is the detail. */
function log(context: IWebhookFunctions, { clock }: Runtime, what: string, detail = ''): void {
	const name = plainText(context.getNode().name, MAX_LOGGED_CHARACTERS);
	const line = `Workspace CRM: A delivery to the waiting node '${name}' ${what}`;
	const more = logLimit.next(line, clock.elapsedMs());
	const said = detail && ` (${plainText(detail, MAX_LOGGED_CHARACTERS)})`;
	if (more !== undefined) context.logger.warn(`${line}${said}${more}`);
}
