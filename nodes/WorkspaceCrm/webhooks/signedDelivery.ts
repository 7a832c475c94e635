import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readDelivery, type Delivery } from '../api/types';
import { isJsonObject, type JsonObject } from '../domain/json';
import { plainText } from '../domain/text';
import { answer, readRawBody } from '../n8n/webhook';

/** A delivery with a valid signature. */
interface SignedDelivery {
	/** The exact bytes. */
	body: Buffer;
	delivery: Delivery;
	/** The X-Service-Delivery header, or else the ID of the event; empty if both are missing. */
	deliveryId: string;
}

/**
 * Verifies the signature of a delivery, then parses it. Otherwise answers the request, and logs why.
 *
 * @param secret the signing secret of the subscription; without it, nothing is accepted
 */
export async function readSigned(
	context: IWebhookFunctions,
	secret: string | undefined,
): Promise<SignedDelivery | IWebhookResponseData> {
	const body = await readRawBody(context).catch((error: Error & { status?: number }) => error);
	if (body instanceof Error) {
		logDelivery(context, 'was refused: its body could not be read', body.message);
		if (body.status === 413) return answer(context, 413, 'The delivery is too large');
		return answer(context, 400, NOT_A_DELIVERY);
	}
	const headers = context.getHeaderData();
	const problem = signatureProblem(body, headers['x-service-signature'], secret);
	if (problem) {
		logDelivery(context, `was refused: ${problem}`);
		return answer(context, 401, 'The signature of the delivery was not accepted');
	}
	const delivery = readDelivery(body.toString('utf8'));
	if (!delivery) {
		logDelivery(context, 'is not a JSON object that names an event');
		return answer(context, 400, NOT_A_DELIVERY);
	}
	const id = headers['x-service-delivery'];
	return { body, delivery, deliveryId: typeof id === 'string' && id ? id : delivery.id };
}

const NOT_A_DELIVERY = 'The delivery is not a JSON object that names an event';

/**
 * Returns what is wrong with the X-Service-Signature header; undefined if it is valid.
 *
 * "`sha256=` followed by the hex HMAC-SHA256 of the raw body, keyed with the subscription `secret`",
 * compared in constant time (API reference, delivery). Without a secret nothing is accepted.
 */
export function signatureProblem(
	rawBody: Buffer,
	signature: unknown,
	secret: string | undefined,
): string | undefined {
	if (!secret) {
		return 'no signing secret is stored. Unpublish the workflow, then publish it, to register a new one.';
	}
	if (typeof signature !== 'string' || signature === '') {
		return 'it has no X-Service-Signature header. Did it come from the service?';
	}
	const hex = createHmac('sha256', secret).update(rawBody).digest('hex');
	const expected = Buffer.from(`sha256=${hex}`);
	const given = Buffer.from(signature.toLowerCase());
	if (given.length === expected.length && timingSafeEqual(given, expected)) return undefined;
	return 'its signature does not match. The delivery may be forged, something between the service and n8n may have changed its body, or it may belong to another subscription. Unless somebody forges deliveries, unpublish the workflow, then publish it: this registers a new subscription.';
}

/**
 * The output for an event: the unchanged envelope, or a flat object. The payload comes first, because
 * the editor shows columns in this order. Parts of undocumented shape stay unchanged.
 */
export function toOutput(
	{ envelope }: Delivery,
	deliveryId: string,
	simplify: boolean,
): JsonObject {
	if (!simplify) return { ...envelope, delivery_id: deliveryId };
	const { id, event, created_at, data } = envelope;
	const known = { event, event_id: id, delivery_id: deliveryId, created_at };
	const isFlat = isJsonObject(data) && !Object.keys(data).some((key) => Object.hasOwn(known, key));
	return { ...(isFlat ? data : { data }), ...known };
}

const MAX_CHARACTERS = 200;

/**
 * Writes a warning about a delivery to n8n's log.
 *
 * @param what our own words; text of the sender goes into `detail`
 */
export function logDelivery(context: IWebhookFunctions, what: string, detail = ''): void {
	const name = plainText(context.getNode().name, MAX_CHARACTERS);
	const said = detail && ` (${plainText(detail, MAX_CHARACTERS)})`;
	context.logger.warn(
		`Workspace CRM: A delivery to the node '${name}' of the workflow ${context.getWorkflow().id} ${what}${said}`,
	);
}
