import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { systemClock, type Clock } from '../api/clock';
import { readEnvelope, toOutput, type Envelope } from '../domain/envelope';
import { reasonToSkip } from '../domain/eventFilter';
import { keyOf } from '../domain/seenKeys';
import { verifyDelivery } from '../domain/signature';
import { DeliveryMemory, processMemories } from './memory';
import { readFilter } from './parameters';
import { readSeen, readSubscription, storeSeen } from './storage';

/**
 * Whether a repeat is needed is known only when the delivery that it repeats has been taken; and
 * the service wants its answer "within 10 seconds" (API reference, delivery).
 */
const MAX_WAIT_FOR_TWIN_MS = 8_000;

/** n8n answers once it has started the execution; after this long, it has not. */
const MAX_WAIT_FOR_ANSWER_MS = 120_000;
const POLL_MS = 20;

/**
 * One delivery: starts the workflow with its event, or answers why not. Nothing here parses or stores
 * anything before the signature is checked.
 */
export async function receiveDelivery(
	context: IWebhookFunctions,
	memories: Map<string, DeliveryMemory> = processMemories,
	clock: Clock = systemClock,
): Promise<IWebhookResponseData> {
	const url = calledUrl(context);
	const rawBody = await readRawBody(context);
	const signature = header(context, 'x-service-signature');
	const secret = readSubscription(context, url, isTest(context))?.secret;
	const verified = verifyDelivery({ rawBody, signature, secret });
	if ('refusal' in verified) {
		return refuse(context, 401, `The delivery to ${url} was refused: ${verified.refusal}`);
	}
	const { body } = verified;
	const envelope = readEnvelope(body.toString('utf8'));
	if (!envelope) {
		return refuse(context, 400, `The delivery to ${url} is not a JSON object that names an event.`);
	}
	const reason = reasonToSkip(envelope, readFilter(context), clock.now());
	if (reason) return ignore(reason);

	const deliveryId = readDeliveryId(context, envelope, body);
	const simplify = context.getNodeParameter('simplify', true) as boolean;
	const json = toOutput(envelope, deliveryId, simplify) as IDataObject;
	const start = { workflowData: [[{ json }]] };
	// Whoever tests may well send the same event again, and means it.
	if (isTest(context)) return start;

	// The header is not signed, so a copy of a delivery under another id is told by its body.
	const keys = [keyOf(deliveryId), keyOf(body)];
	const memory = memoryOf(context, memories, url);
	const untilMs = clock.now() + MAX_WAIT_FOR_TWIN_MS;
	while (memory.isUnderWay(keys)) {
		if (clock.now() >= untilMs) {
			return refuse(context, 503, `The delivery ${deliveryId} is still being taken; try again.`);
		}
		await clock.sleep(POLL_MS);
	}
	// Nothing is awaited from here on, so that no twin comes between the look and the taking.
	if (memory.hasTaken(keys)) return ignore('the event has started the workflow before');

	memory.take(keys, clock.now(), wasStarted(context, clock));
	storeSeen(context, url, memory.stored, memory.createSaveCheck());
	return start;
}

function isTest(context: IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}

/** The URL as it was registered; n8n gives the production one by the older method, even in a test. */
function calledUrl(context: IWebhookFunctions): string {
	const url =
		'getWebhookResourceUrl' in context
			? context.getWebhookResourceUrl('default')
			: (context as IWebhookFunctions).getNodeWebhookUrl('default');
	return url ?? '';
}

/** The bytes as they came; n8n has read them already, unless it cannot parse what they are said to be. */
async function readRawBody(context: IWebhookFunctions): Promise<Buffer | undefined> {
	const request = context.getRequestObject();
	// A form is taken apart while it is read, and leaves nothing to check.
	const isForm = header(context, 'content-type')?.startsWith('multipart/');
	if (!request.rawBody && !isForm) await request.readRawBody();
	return request.rawBody;
}

function header(context: IWebhookFunctions, name: string): string | undefined {
	const value = context.getHeaderData()[name];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function readDeliveryId(context: IWebhookFunctions, { id }: Envelope, body: Buffer): string {
	const given = header(context, 'x-service-delivery') ?? id;
	return typeof given === 'string' || typeof given === 'number' ? String(given) : keyOf(body);
}

/** What this process knows of the URL's deliveries, with what others have stored meanwhile. */
function memoryOf(
	context: IWebhookFunctions,
	memories: Map<string, DeliveryMemory>,
	url: string,
): DeliveryMemory {
	const memory = memories.get(url) ?? new DeliveryMemory();
	memories.set(url, memory);
	memory.absorb(readSeen(context, url) ?? {});
	return memory;
}

/** Whether n8n could start the workflow: it answers after that, with an error if it could not. */
async function wasStarted(context: IWebhookFunctions, clock: Clock): Promise<boolean> {
	const response = context.getResponseObject();
	if (!response.destroyed) await new Promise((resolve) => response.once('close', resolve));
	// Whoever sent the delivery may have left before n8n answers it, and then nothing tells of that.
	const untilMs = clock.now() + MAX_WAIT_FOR_ANSWER_MS;
	while (!response.writableEnded) {
		if (clock.now() >= untilMs) return false;
		await clock.sleep(POLL_MS);
	}
	return response.statusCode < 400;
}

/** n8n would answer 200 to anything it is given here, so the refusal is sent past it. */
function refuse(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.logger.warn(`Workspace CRM Trigger: ${message}`);
	context.getResponseObject().status(status).json({ message: TEXTS[status] });
	return { noWebhookResponse: true };
}

/** What a stranger may know; the reason is for n8n's log. */
const TEXTS: Record<number, string> = {
	400: 'The delivery is not a JSON object that names an event',
	401: 'The signature of the delivery was not accepted',
	503: 'The same delivery is being taken; try again later',
};

function ignore(reason: string): IWebhookResponseData {
	return { webhookResponse: { message: `Nothing was started: ${reason}` } };
}
