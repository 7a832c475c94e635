import * as fc from 'fast-check';

import { readDelivery, type Delivery } from '../../../nodes/WorkspaceCrm/api/types';
import type { JsonObject } from '../../../nodes/WorkspaceCrm/domain/json';
import { toOutput } from '../../../nodes/WorkspaceCrm/webhooks/deliveryOutput';

const OWN = ['event', 'event_id', 'delivery_id', 'created_at'];
const key = fc.oneof(
	fc.constantFrom('id', 'data', 'contact', 'tag', ...OWN),
	fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__'),
);
const payload = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), {
	maxKeys: 5,
	noNullPrototype: true,
});
const data = fc.oneof(payload, fc.constantFrom<unknown>(null, 'text', 5, [], [{ contact: {} }]));
const envelope = fc
	.tuple(fc.string({ minLength: 1 }), payload, data)
	.map(
		([event, others, parts]) =>
			JSON.parse(JSON.stringify({ ...others, event, data: parts })) as JsonObject,
	);

const deliveryOf = (given: JsonObject) => readDelivery(JSON.stringify(given)) as Delivery;

/** What n8n gets of usual events is in `workflow/triggerDelivery`. */
test('the output loses nothing of an event and covers nothing of its own, whatever the event holds', () => {
	fc.assert(
		fc.property(envelope, fc.string(), (given, deliveryId) => {
			const delivery = deliveryOf(given);
			expect(delivery).toMatchObject({ event: given.event, envelope: given });
			expect(toOutput(delivery, deliveryId, false)).toEqual({ ...given, delivery_id: deliveryId });

			const output = toOutput(delivery, deliveryId, true);
			const { id, event, created_at, data: parts } = given;
			const own = [event, id, deliveryId, created_at];
			expect(OWN.map((name) => output[name])).toEqual(own);
			const rest = Object.fromEntries(
				Object.entries(output).filter(([name]) => !OWN.includes(name)),
			);
			const isObject = typeof parts === 'object' && parts !== null && !Array.isArray(parts);
			// In one piece where a part has a name of ours.
			const isFlat = isObject && !Object.keys(parts).some((name) => OWN.includes(name));
			expect(rest).toEqual(isFlat ? parts : { data: parts });
		}),
		{ numRuns: 500 },
	);
});
