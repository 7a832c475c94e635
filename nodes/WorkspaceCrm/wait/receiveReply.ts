import {
	SEND_AND_WAIT_OPERATION,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { processRuntime, type Runtime } from '../api/runtime';
import type { Delivery } from '../api/types';
import { parseUtcMs } from '../domain/time';
import { answer, readRawBody, whenAnswered, type Answer } from '../n8n/webhook';
import { readSigned } from '../webhooks/signedDelivery';
import { endWait, processAnswered } from './endWait';
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
	runtime = processRuntime,
	answered = processAnswered,
): Promise<IWebhookResponseData> {
	const judged = await judge(context, runtime, answered).catch((error: Error) => ({
		refused: { ...TRY_AGAIN, log: 'could not be handled', detail: error.message },
	}));
	return 'refused' in judged ? answer(context, judged.refused) : judged;
}

const TRY_AGAIN = { status: 503, message: 'The delivery could not be handled; try again later' };

async function judge(
	context: IWebhookFunctions,
	runtime: Runtime,
	answered: Set<string>,
): Promise<IWebhookResponseData | { refused: Answer }> {
	const state = readState(context);
	if (!state) {
		const log = 'was refused: the stored signing secret cannot be read';
		return { refused: { ...TRY_AGAIN, log } };
	}
	const { body, refused: unreadable } = await readRawBody(context);
	if (unreadable) return { refused: unreadable };
	// Anybody who sees the URL can send requests to it; only the service has the secret.
	const { signed, refused } = readSigned(body, context.getHeaderData(), [state.secret]);
	if (refused) return { refused };
	const { delivery, deliveryId } = signed;
	const notTheReply = reasonToWait(delivery, state);
	if (notTheReply) return { refused: notTheReply };

	// Only once the execution resumes: until then, the service must be able to retry.
	whenAnswered(context, (status) => {
		if (status < 400) void endWait(context, runtime, state.subscriptionId, answered);
	});
	const json = outputOfReply(delivery, deliveryId, state, runtime.clock.now());
	return { workflowData: [[{ json, pairedItem: { item: 0 } }]] };
}

/** What to answer if an event is not the reply. */
function reasonToWait(delivery: Delivery, state: WaitState): Answer | undefined {
	if (delivery.event !== state.event) return keepWaiting('it is another event');
	const isFromContact = delivery.contactId.toLowerCase() === state.contactId.toLowerCase();
	if (!isFromContact || delivery.contactId === '')
		return keepWaiting('it is about another contact');
	if (!isOlder(delivery.createdAt, state)) return undefined;
	const reason = 'it is older than the question';
	return { ...keepWaiting(reason), log: `did not continue the execution, because ${reason}` };
}

function keepWaiting(reason: string): Answer {
	return { status: 200, message: `The execution keeps waiting: ${reason}` };
}

/** Compares whole seconds, because services may round times to them. */
function isOlder(createdAt: string | undefined, { askedAtMs }: WaitState): boolean {
	if (createdAt === undefined || askedAtMs === undefined) return false;
	return Math.floor(parseUtcMs(createdAt) / 1_000) < Math.floor(askedAtMs / 1_000);
}
