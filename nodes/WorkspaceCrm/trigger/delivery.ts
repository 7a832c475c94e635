import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { systemClock, type Clock } from '../api/clock';
import type { Delivery } from '../api/types';
import { processData, type ProcessData } from '../n8n/nodeData';
import { answer, readRawBody, whenAnswered, type Answer } from '../n8n/webhook';
import { readSigned, toOutput } from '../webhooks/signedDelivery';
import { filterAgainst, readSettings } from './settings';
import { secretsOf, TriggerData } from './storage';

/**
 * Handles one delivery: starts the workflow with its event, or answers why not. Never throws, because
 * n8n would start a failed execution, and anybody can send requests here.
 */
export async function receiveDelivery(
	context: IWebhookFunctions,
	known = processData,
	clock = systemClock,
): Promise<IWebhookResponseData> {
	const judged = await judge(context, known, clock).catch((error: Error) => ({
		refused: {
			status: 500,
			message: 'The delivery could not be handled',
			log: 'could not be handled',
			detail: error.message,
		},
	}));
	return 'refused' in judged ? answer(context, judged.refused) : judged;
}

/**
 * Verify, read, filter, claim, start. A delivery that gets 2xx, other than as filtered, too old or a
 * repeat, has started the workflow: n8n answers only once it has started the execution or failed to.
 * While n8n queues the execution, there is no answer, and repeats get 503.
 */
async function judge(
	context: IWebhookFunctions,
	known: ProcessData,
	clock: Clock,
): Promise<IWebhookResponseData | { refused: Answer }> {
	const data = known.of(context, TriggerData, clock);
	const secrets = secretsOf(data.load(context), clock.now());
	const { body, refused: unreadable } = await readRawBody(context);
	if (unreadable) return { refused: unreadable };
	const { signed, refused } = readSigned(body, context.getHeaderData(), secrets);
	if (refused) return { refused };

	const { events, options, simplify } = readSettings(context);
	const { delivery, deliveryId } = signed;
	if (!events.includes(delivery.event)) return notStarted('the event is not chosen');
	const against = filterAgainst(delivery, options, clock.now());
	if (against) return notStarted(against.reason, against.log);

	const output = toOutput(delivery, deliveryId, simplify) as IDataObject;
	// The event's own fields come first and win over the chat fields.
	const json = simplify ? { ...output, ...chatOf(delivery), ...output } : output;
	// When testing, people send the same event again on purpose.
	if (context.getMode() !== 'manual') {
		const claim = data.deliveries.claim(deliveryId, body);
		if (claim === 'repeat') return notStarted('the event has started the workflow before');
		if (claim === 'inFlight') return { refused: IN_FLIGHT };
		whenAnswered(context, (status) => claim(status < 400));
	}
	return { workflowData: [[{ json }]] };
}

function notStarted(reason: string, log?: string): { refused: Answer } {
	return { refused: { status: 200, message: `Nothing was started: ${reason}`, log } };
}

const IN_FLIGHT = { status: 503, message: 'The same delivery is being processed; try again later' };

/** The fields that n8n's AI Agent and its memory read: the message, and the contact as session. */
function chatOf({ event, messageText, contactId }: Delivery): IDataObject {
	const isChat = event === 'message.received' && messageText !== '' && contactId !== '';
	return isChat ? { chatInput: messageText, sessionId: contactId } : {};
}
