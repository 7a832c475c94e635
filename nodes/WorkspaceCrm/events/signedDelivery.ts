import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { readDelivery, type Delivery } from '../crm/records';
import { isJsonObject, type JsonObject } from '../domain/plainData';
import { NothingStarted } from '../n8n/webhook';

/** n8n writes the names of headers in lower case. */
export const SIGNATURE = 'x-service-signature';

/**
 * Verifies the signature of a delivery, then parses it.
 *
 * @param body the exact bytes
 * @param secrets the signing secrets that count now; without one, nothing is accepted
 * @throws NothingStarted if the delivery is not accepted
 */
export function readSigned(body: Buffer, headers: IDataObject, secrets: readonly string[]) {
	const problem = signatureProblem(body, headers[SIGNATURE], secrets);
	if (problem) {
		const message = 'The signature of the delivery was not accepted';
		throw new NothingStarted(401, message, `was refused: ${problem}`);
	}
	const delivery = readDelivery(body);
	const why = 'is not a JSON object that names an event';
	if (!delivery) throw new NothingStarted(400, `The delivery ${why}`, why);
	const id = headers['x-service-delivery'];
	/** The header, or else the ID of the event; empty if both are missing. */
	const deliveryId = typeof id === 'string' && id ? id : delivery.id;
	return { delivery, deliveryId };
}

/**
 * Returns what is wrong with the X-Service-Signature header; undefined if it is valid.
 *
 * "`sha256=` followed by the hex HMAC-SHA256 of the raw body, keyed with the subscription `secret`",
 * compared in constant time (API reference, delivery). Without a secret nothing is accepted.
 */
export function signatureProblem(
	rawBody: Buffer,
	signature: unknown,
	secrets: readonly string[],
): string | undefined {
	// Anybody can sign with an empty secret.
	const usable = secrets.filter((secret) => secret !== '');
	if (usable.length === 0) {
		return 'no signing secret is stored. If the workflow is being published at the moment, the next try is accepted. Otherwise, unpublish the workflow, then publish it, to register a new one.';
	}
	if (typeof signature !== 'string' || signature === '') {
		return 'it has no X-Service-Signature header. Did it come from the service?';
	}
	const given = Buffer.from(signature.toLowerCase());
	if (usable.some((secret) => isSignedWith(secret, rawBody, given))) return undefined;
	return 'its signature does not match. The delivery may be forged, something between the service and n8n may have changed its body, or it may belong to another subscription. If a trigger gets no events any more, unpublish its workflow, then publish it: this registers a new subscription.';
}

function isSignedWith(secret: string, rawBody: Buffer, given: Buffer): boolean {
	const hex = createHmac('sha256', secret).update(rawBody).digest('hex');
	const expected = Buffer.from(`sha256=${hex}`);
	return given.length === expected.length && timingSafeEqual(given, expected);
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
