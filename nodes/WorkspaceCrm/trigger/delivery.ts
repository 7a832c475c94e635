import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { systemClock, type Clock } from '../n8n/clock';
import { readDelivery, type Delivery } from '../api/types';
import { toOutput } from '../webhooks/deliveryOutput';
import { reasonToSkip, TOO_OLD } from './filter';
import { verifyDelivery } from '../webhooks/signature';
import { plainText } from '../domain/text';
import { answer, readRawBody, whenAnswered } from '../n8n/webhook';
import { hashKey, type Claim } from './deduplication';
import { readFilter } from './parameters';
import { memoryOf, processMemories, saveAfterDelivery, type TriggerMemories } from './storage';

/**
 * A repeat waits for what comes of the delivery that it repeats; and the service wants its answer
 * "within 10 seconds" (API reference, delivery).
 */
const MAX_WAIT_IN_FLIGHT_MS = 8_000;
const POLL_MS = 20;

/**
 * One delivery: starts the workflow with its event, or answers why not. Nothing here parses or stores
 * anything before the signature is checked. Never throws, because n8n would start a failed execution
 * for it, and anybody can send anything here.
 */
export async function receiveDelivery(
	context: IWebhookFunctions,
	memories: TriggerMemories = processMemories,
	clock: Clock = systemClock,
): Promise<IWebhookResponseData> {
	const log = logOf(context, memories, clock);
	return await receive(context, memories, clock, log).catch((error: Error) => {
		log('could not be handled', error.message);
		return refuse(context, 500);
	});
}

async function receive(
	context: IWebhookFunctions,
	memories: TriggerMemories,
	clock: Clock,
	log: Log,
): Promise<IWebhookResponseData> {
	const loadedAtMs = clock.elapsedMs();
	const memory = memoryOf(context, memories, clock);
	const read = await readVerified(context, memory.subscription?.secret, log);
	if ('status' in read) return refuse(context, read.status);
	const { body, delivery } = read;
	const reason = reasonToSkip(delivery, readFilter(context), clock.now());
	if (reason === TOO_OLD) log(LATE_OR_WRONG_CLOCK);
	if (reason) return ignore(reason);

	const deliveryId = readDeliveryId(context, delivery.id, body);
	const simplify = context.getNodeParameter('simplify', true) as boolean;
	const output = toOutput(delivery, deliveryId, simplify) as IDataObject;
	const json = simplify ? { ...chatOf(delivery), ...output } : output;
	const start = { workflowData: [[{ json }]] };
	// A person who tests may well send the same event again, and mean it.
	if (context.getMode() === 'manual') return start;

	const { deduplication } = memory;
	// The header is not signed, so a copy of a delivery under another id is told by its body.
	const keys = [hashKey(deliveryId), hashKey(body)];
	const claim = await claimOnceSettled(() => deduplication.claim(keys), clock);
	if (claim === 'inFlight') {
		log(
			'was answered with 503, because n8n has not yet started the workflow for another try of the same delivery',
			deliveryId,
		);
		return refuse(context, 503);
	}
	if (claim === 'duplicate') {
		saveAfterDelivery(context, memories, clock, loadedAtMs);
		return ignore('the event has started the workflow before');
	}
	const confirm = () => deduplication.confirm(keys, clock.elapsedMs());
	whenAnswered(context, (status) => (status < 400 ? confirm() : deduplication.release(keys)));
	saveAfterDelivery(context, memories, clock, loadedAtMs, confirm);
	return start;
}

/**
 * What n8n's AI Agent takes as the words of a person, and its memory as the key of their conversation,
 * both by these names.
 */
function chatOf({ event, messageText, contactId }: Delivery): IDataObject {
	const isChat = event === 'message.received' && messageText !== '' && contactId !== '';
	return isChat ? { chatInput: messageText, sessionId: contactId } : {};
}

/** The delivery, if its signature is right and it can be read; else the status to refuse it with. */
async function readVerified(
	context: IWebhookFunctions,
	secret: string | undefined,
	log: Log,
): Promise<{ body: Buffer; delivery: Delivery } | { status: keyof typeof TEXTS }> {
	const { rawBody, problem } = await readRawBody(context, header(context, 'content-type'));
	if (problem) {
		log('was refused: its body could not be read', problem.message);
		return { status: problem.status === 413 ? 413 : 400 };
	}
	const signature = header(context, 'x-service-signature');
	const verified = verifyDelivery({ rawBody, signature, secret });
	if ('refusal' in verified) {
		log(`was refused: ${verified.refusal}`);
		return { status: 401 };
	}
	const { body } = verified;
	const delivery = readDelivery(body.toString('utf8'));
	if (delivery) return { body, delivery };
	log('is not a JSON object that names an event.');
	return { status: 400 };
}

function header(context: IWebhookFunctions, name: string): string | undefined {
	const value = context.getHeaderData()[name];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function readDeliveryId(context: IWebhookFunctions, eventId: string, body: Buffer): string {
	return (header(context, 'x-service-delivery') ?? eventId) || hashKey(body);
}

/** Claims a delivery; where another try of it is in flight, first waits a while for what comes of it. */
async function claimOnceSettled(claim: () => Claim, clock: Clock): Promise<Claim> {
	const untilMs = clock.elapsedMs() + MAX_WAIT_IN_FLIGHT_MS;
	let result = claim();
	while (result === 'inFlight' && clock.elapsedMs() < untilMs) {
		await clock.sleep(POLL_MS);
		result = claim();
	}
	return result;
}

/**
 * Writes into n8n's log what became of the delivery.
 *
 * @param reason without anything that the sender wrote, which goes into the detail
 */
type Log = (reason: string, detail?: string) => void;

function logOf(context: IWebhookFunctions, { logLimit }: TriggerMemories, clock: Clock): Log {
	return (reason, detail = '') => {
		const line = `Workspace CRM Trigger: The delivery to ${context.getNodeWebhookUrl('default')} ${reason}`;
		const more = logLimit.next(line, clock.elapsedMs());
		const said = detail && ` (${plainText(detail, MAX_LOGGED_CHARACTERS)})`;
		if (more !== undefined) context.logger.warn(`${line}${said}${more}`);
	};
}

const MAX_LOGGED_CHARACTERS = 200;

const LATE_OR_WRONG_CLOCK =
	"started nothing: its event is older than 'Max Age' allows. If the event was new, the clock of n8n or of the service is wrong.";

function refuse(context: IWebhookFunctions, status: keyof typeof TEXTS): IWebhookResponseData {
	return answer(context, status, TEXTS[status]);
}

/** What a stranger may know; the reason is only for n8n's log. */
const TEXTS = {
	400: 'The delivery is not a JSON object that names an event',
	401: 'The signature of the delivery was not accepted',
	413: 'The delivery is too large',
	500: 'The delivery could not be handled',
	503: 'The same delivery is being taken; try again later',
};

function ignore(reason: string): IWebhookResponseData {
	return { webhookResponse: { message: `Nothing was started: ${reason}` } };
}
