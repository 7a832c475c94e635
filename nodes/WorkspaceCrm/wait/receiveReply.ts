import {
	SEND_AND_WAIT_OPERATION,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { processRuntime, type Runtime } from '../api/runtime';
import type { Delivery } from '../api/types';
import { parseUtcMs } from '../domain/time';
import { answer, whenAnswered } from '../n8n/webhook';
import { deleteLeftovers } from '../webhooks/createSubscription';
import { logDelivery, readSigned } from '../webhooks/signedDelivery';
import { outputOfReply } from './replyOutput';
import { readState, type WaitState } from './waitState';

/**
 * Receives the service's deliveries while an execution waits. n8n registers nothing for it, because the
 * URL names the execution and the node. So it needs no `webhookMethods`; the node creates the
 * subscription when it runs.
 */
export const waitWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		responseData: 'noData',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	},
];

/** The tooltip of the node on the canvas while it waits. */
export const waitingTooltip = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "Execution will continue when the contact replies" : "" }}`;

/**
 * Handles one delivery to a waiting execution: resumes it with the reply, or keeps it waiting. Never
 * throws, because n8n would resume the execution with an empty item (n8n/webhooks/webhook-helpers, seen
 * in 2.41).
 */
export async function receiveReply(
	context: IWebhookFunctions,
	runtime: Runtime = processRuntime,
): Promise<IWebhookResponseData> {
	return await receive(context, runtime).catch((error: Error) => {
		context.logger.warn(`Workspace CRM: A reply could not be handled: ${error.message}`);
		return answer(context, 503, 'The delivery could not be handled; try again later');
	});
}

async function receive(
	context: IWebhookFunctions,
	runtime: Runtime,
): Promise<IWebhookResponseData> {
	const state = readState(context);
	if (!state) {
		logDelivery(context, 'was refused: the stored signing secret cannot be read');
		return answer(context, 503, 'The delivery could not be checked; try again later');
	}
	// Anybody who sees the URL can send requests to it; only the service has the secret.
	const read = await readSigned(context, state.secret);
	if (!('delivery' in read)) return read;
	const { delivery, deliveryId } = read;
	const reason = reasonToWait(delivery, state);
	if (reason !== undefined) return stayWaiting(reason);

	// Delete the subscription only once the execution resumes: until then, the service must be able to
	// retry.
	whenAnswered(context, (status) => {
		// If this fails, the next wait or trigger does it.
		if (status < 400) void deleteLeftovers(context, runtime, { id: state.subscriptionId });
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

/** Compares whole seconds, because services may round times to them. */
function isOlder(createdAt: string | undefined, { askedAtMs }: WaitState): boolean {
	if (createdAt === undefined || askedAtMs === undefined) return false;
	return Math.floor(parseUtcMs(createdAt) / 1_000) < Math.floor(askedAtMs / 1_000);
}

function stayWaiting(reason: string): IWebhookResponseData {
	return { webhookResponse: { message: `The execution keeps waiting: ${reason}` } };
}
