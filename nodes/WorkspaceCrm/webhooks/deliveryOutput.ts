import type { Delivery } from '../api/types';
import { isJsonObject, type JsonObject } from '../domain/json';

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
