import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { systemClock } from '../n8n/systemClock';
import type { Delivery } from '../crm/records';
import { processData } from '../n8n/staticData';
import { NothingStarted, receive, whenAnswered } from '../n8n/webhook';
import { readSigned, SIGNATURE, signatureProblem, toOutput } from './signedDelivery';
import { filterAgainst, readSettings } from './filters';
import { isAccepted, isCurrent, TriggerData, type OwnSubscription } from './triggerData';

/**
 * Verify, read, filter, claim, start. A delivery that gets 2xx, other than as filtered, too old or a
 * repeat, has started the workflow: n8n answers only once it has started the execution or failed to.
 * While n8n queues the execution, there is no answer, and repeats get 503. Until its database is ready,
 * n8n answers 200 without calling this.
 */
export async function receiveDelivery(
	context: IWebhookFunctions,
	known = processData,
	clock = systemClock,
): Promise<IWebhookResponseData> {
	return await receive(context, (body) => {
		const data = known.of(context, TriggerData, clock);
		const list = data.subscriptions(context);
		assertPublished(list, body, context.getHeaderData());
		const nowMs = clock.now();
		const accepted = list.filter((each) => isAccepted(each, nowMs));
		const secrets = accepted.map(({ secret }) => secret);
		const { delivery, deliveryId } = readSigned(body, context.getHeaderData(), secrets);

		const { events, options, simplify } = readSettings(context);
		if (!events.includes(delivery.event)) throw notStarted('the event is not chosen');
		const against = filterAgainst(delivery, options, nowMs);
		if (against) throw notStarted(against.reason, against.log);

		const output = toOutput(delivery, deliveryId, simplify) as IDataObject;
		// The event's own fields come first and win over the chat fields.
		const json = simplify ? { ...output, ...chatOf(delivery), ...output } : output;
		// When testing, people send the same event again on purpose.
		if (context.getMode() !== 'manual') {
			const claim = data.deliveries.claim(deliveryId, body);
			if (claim === 'repeat') throw notStarted('the event has started the workflow before');
			if (claim === 'claimed') throw new NothingStarted(503, CLAIMED);
			whenAnswered(context, claim);
		}
		return { json };
	});
}

/**
 * n8n passes deliveries on as soon as it begins to publish. Until it has, the service must try again.
 *
 * @throws NothingStarted for an event of the subscription from before
 */
function assertPublished(list: OwnSubscription[], body: Buffer, headers: IDataObject) {
	const secrets = list.map(({ secret }) => secret);
	if (list.some(isCurrent) || signatureProblem(body, headers[SIGNATURE], secrets)) return;
	throw new NothingStarted(503, UNPUBLISHED, 'came while the trigger was not published');
}

const UNPUBLISHED = 'The workflow is not published, or is being published; try again later';

function notStarted(reason: string, log?: string): NothingStarted {
	return new NothingStarted(200, `Nothing was started: ${reason}`, log);
}

const CLAIMED = 'The same delivery is being processed; try again later';

/** The fields that n8n's AI Agent and its memory read: the message, and the contact as session. */
function chatOf({ event, messageText, contactId }: Delivery): IDataObject {
	const isChat = event === 'message.received' && messageText !== '' && contactId !== '';
	return isChat ? { chatInput: messageText, sessionId: contactId } : {};
}
