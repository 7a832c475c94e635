import { isJsonObject, tryParseJson, type JsonObject } from '../domain/json';

/** A delivery as the service sends it (API reference, webhook delivery). */
export interface Envelope extends JsonObject {
	event: string;
}

/** The envelope in a delivery's body; undefined when it is no JSON object or names no event. */
export function readEnvelope(body: string): Envelope | undefined {
	const parsed = tryParseJson(body);
	const event = isJsonObject(parsed) ? parsed.event : undefined;
	return typeof event === 'string' && event !== '' ? (parsed as Envelope) : undefined;
}

/**
 * What the workflow gets of an event: the envelope as it came, or flat, with the parts of its
 * payload at the top. Parts whose shape the reference leaves open pass through whole.
 */
export function toOutput(envelope: Envelope, deliveryId: string, simplify: boolean): JsonObject {
	if (!simplify) return { ...envelope, delivery_id: deliveryId };
	const { id, event, created_at, data } = envelope;
	const known = { event, event_id: id, delivery_id: deliveryId, created_at };
	const isFlat = isJsonObject(data) && !Object.keys(data).some((key) => key in known);
	return { ...known, ...(isFlat ? data : { data }) };
}
