import {
	SEND_AND_WAIT_OPERATION,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { processRuntime, type Runtime } from '../api/runtime';
import type { Delivery } from '../api/records';
import { keysOf } from '../domain/sameContact';
import { plainText } from '../domain/text';
import { parseUtcMs } from '../domain/time';
import { NothingStarted, receive, whenAnswered } from '../n8n/webhook';
import { readSigned } from '../webhooks/signedDelivery';
import { deleteLeftovers, warnOf } from '../webhooks/subscriptions';
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

export const waitingTooltip = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "Execution will continue when the contact replies" : "" }}`;

/** Resumes the execution with the reply, or keeps it waiting. */
export async function receiveReply(
	context: IWebhookFunctions,
	runtime = processRuntime,
): Promise<IWebhookResponseData> {
	return await receive(context, (body) => {
		const state = readState(context);
		// Anybody who sees the URL can send requests to it; only the service has the secret.
		const { delivery, deliveryId } = readSigned(body, context.getHeaderData(), [state.secret]);
		assertReply(delivery, state);
		// Only once the execution resumes: until then, the service must be able to retry.
		whenAnswered(context, (isResumed) => {
			if (isResumed) void endWait(context, runtime, state.subscriptionId);
		});
		const json = outputOfReply(delivery, deliveryId, state, runtime.clock.now());
		return { json, pairedItem: { item: 0 } };
	});
}

/** @throws NothingStarted if an event is not the reply */
function assertReply(delivery: Delivery, state: WaitState): void {
	if (delivery.event !== state.event) throw keepsWaiting('it is another event');
	const [asked = ''] = keysOf({ id: state.contactId });
	if (!keysOf({ id: delivery.contactId }).includes(asked))
		throw keepsWaiting('it is about another contact');
	const reason = 'it is older than the question';
	if (isOlder(delivery, state))
		throw keepsWaiting(reason, `did not continue the execution, because ${reason}`);
}

function keepsWaiting(reason: string, log?: string): NothingStarted {
	return new NothingStarted(200, `The execution keeps waiting: ${reason}`, log);
}

/** Compares whole seconds, because services may round times to them. */
function isOlder({ createdAt = '' }: Delivery, { askedAtMs = NaN }: WaitState): boolean {
	return Math.floor(parseUtcMs(createdAt) / 1_000) < Math.floor(askedAtMs / 1_000);
}

/** The IDs of subscriptions whose wait is answered, until they are deleted. Shared by all workflows. */
export const processAnswered = new Set<string>();

/** The pauses before each try to delete a subscription: an hour in all. */
const PAUSES_MIN = [0, 1, 4, 10, 15, 30];

/**
 * Deletes the subscription of a wait that is answered, in the background. Until then, it is remembered as
 * answered: it must not stop anybody from asking the contact again.
 */
async function endWait(context: IWebhookFunctions, runtime: Runtime, id: string): Promise<void> {
	processAnswered.add(id);
	for (const minutes of PAUSES_MIN) {
		if (minutes > 0) await runtime.clock.sleep(minutes * 60_000);
		try {
			await deleteLeftovers(context, runtime, { id });
			return void processAnswered.delete(id);
		} catch (error) {
			const isLast = minutes === PAUSES_MIN.at(-1);
			if (minutes > 0 && !isLast) continue;
			const reason = plainText((error as Error).message, 300);
			const failed = `of the answered execution ${context.getExecutionId()} could not be deleted (${reason})`;
			warnOf(context, id, `${failed}. ${isLast ? STAYS : TRIES_AGAIN}`);
		}
	}
}

const TRIES_AGAIN = 'n8n tries again for an hour.';

const STAYS =
	'Once n8n is restarted, it prevents asking this contact again until the time of its wait is over. Delete it with Subscription > Delete in the Workspace CRM node.';
