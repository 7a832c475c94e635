import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { systemClock, type Clock } from '../api/clock';
import type { Delivery } from '../api/types';
import { processData, type ProcessData } from '../n8n/nodeData';
import { answer, whenAnswered } from '../n8n/webhook';
import { logDelivery, readSigned, toOutput } from '../webhooks/signedDelivery';
import { reasonToSkip, TOO_OLD } from './filter';
import { readSettings } from './parameters';
import { TriggerData } from './storage';

/**
 * Handles one delivery: starts the workflow with its event, or answers why not. Never throws, because
 * n8n would start a failed execution, and anybody can send requests here.
 */
export async function receiveDelivery(
	context: IWebhookFunctions,
	known = processData,
	clock = systemClock,
): Promise<IWebhookResponseData> {
	return await receive(context, known, clock).catch((error: Error) => {
		logDelivery(context, 'could not be handled', error.message);
		return answer(context, 500, 'The delivery could not be handled');
	});
}

/**
 * Verify, read, filter, claim, start. A delivery that gets 2xx, other than as filtered, too old or a
 * repeat, has started the workflow: n8n answers only once it has started the execution or failed to.
 * While n8n queues the execution, there is no answer, and repeats get 503.
 */
async function receive(
	context: IWebhookFunctions,
	known: ProcessData,
	clock: Clock,
): Promise<IWebhookResponseData> {
	const data = known.of(context, TriggerData, clock);
	const read = await readSigned(context, data.load(context)?.secret);
	if (!('delivery' in read)) return read;
	const { body, delivery, deliveryId } = read;

	const settings = readSettings(context);
	const reason = reasonToSkip(delivery, settings, clock.now());
	if (reason === TOO_OLD) logDelivery(context, LATE_OR_WRONG_CLOCK);
	if (reason) return answer(context, 200, `Nothing was started: ${reason}`);

	const output = toOutput(delivery, deliveryId, settings.simplify) as IDataObject;
	// The event's own fields come first and win over the chat fields.
	const json = settings.simplify ? { ...output, ...chatOf(delivery), ...output } : output;
	const start = { workflowData: [[{ json }]] };
	// When testing, people send the same event again on purpose.
	if (context.getMode() === 'manual') return start;

	const claim = data.deliveries.claim(deliveryId, body);
	if (claim === 'repeat') {
		return answer(context, 200, 'Nothing was started: the event has started the workflow before');
	}
	if (claim === 'inFlight') {
		return answer(context, 503, 'The same delivery is being processed; try again later');
	}
	whenAnswered(context, (status) => claim(status < 400));
	return start;
}

/** The fields that n8n's AI Agent and its memory read: the message, and the contact as session. */
function chatOf({ event, messageText, contactId }: Delivery): IDataObject {
	const isChat = event === 'message.received' && messageText !== '' && contactId !== '';
	return isChat ? { chatInput: messageText, sessionId: contactId } : {};
}

const LATE_OR_WRONG_CLOCK =
	"started nothing: its event is older than 'Max Age' allows. If the event was new, the clock of n8n or of the service is wrong.";
