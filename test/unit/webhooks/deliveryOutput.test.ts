import * as fc from 'fast-check';

import { readDelivery, type Delivery } from '../../../nodes/WorkspaceCrm/api/types';
import { toOutput } from '../../../nodes/WorkspaceCrm/webhooks/deliveryOutput';
import type { JsonObject } from '../../../nodes/WorkspaceCrm/domain/json';

const key = fc.oneof(
	fc.constantFrom('id', 'event', 'event_id', 'delivery_id', 'created_at', 'data', 'contact', 'tag'),
	fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__'),
);
const payload: fc.Arbitrary<JsonObject> = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), {
	maxKeys: 5,
	noNullPrototype: true,
});
const data = fc.oneof(
	payload,
	fc.constantFrom<unknown>(undefined, null, 'text', 5, [], [{ contact: {} }]),
);
const envelope: fc.Arbitrary<JsonObject> = fc
	.tuple(fc.string({ minLength: 1 }), payload, data)
	.map(([event, others, payload]) => overTheWire({ ...others, event, data: payload }));

function overTheWire(value: JsonObject): JsonObject {
	return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function deliveryOf(given: JsonObject): Delivery {
	return readDelivery(JSON.stringify(given)) as Delivery;
}

describe('the body of a delivery', () => {
	it('is read as it came when it is a JSON object that names an event', () => {
		fc.assert(
			fc.property(envelope, (given) => {
				expect(deliveryOf(given)).toMatchObject({ event: given.event, envelope: given });
			}),
		);
	});

	it.each([
		...['', '{', 'text', 'null', '5', '"tag.added"', '[]', '[{"event":"tag.added"}]', '{}'],
		...['{"event":""}', '{"event":null}', '{"event":5}', '{"event":["tag.added"]}'],
		'{"type":"tag.added"}',
	])('is no event when it is anything else: %s', (body) => {
		expect(readDelivery(body)).toBeUndefined();
	});
});

describe('what the workflow gets of an event', () => {
	it('is the envelope as it came with the id of the delivery, when it is not simplified', () => {
		fc.assert(
			fc.property(envelope, fc.string(), (given, deliveryId) => {
				expect(toOutput(deliveryOf(given), deliveryId, false)).toEqual({
					...given,
					delivery_id: deliveryId,
				});
			}),
		);
	});

	it('is flat when it is simplified: ids, event and time, and the parts of the payload', () => {
		const contact = { id: 'c1', name: 'Ada' };
		const given = {
			id: 'e1',
			event: 'tag.added',
			created_at: '2026-01-01T00:00:00Z',
			data: { contact, tag: 'vip' },
		};
		expect(toOutput(deliveryOf(given), 'd1', true)).toEqual({
			event: 'tag.added',
			event_id: 'e1',
			delivery_id: 'd1',
			created_at: '2026-01-01T00:00:00Z',
			contact,
			tag: 'vip',
		});
	});

	it('loses nothing of the payload and covers nothing of its own, whatever the payload holds', () => {
		const known = ['event', 'event_id', 'delivery_id', 'created_at'];
		fc.assert(
			fc.property(envelope, fc.string(), (given, deliveryId) => {
				const { id, event, created_at, data } = given;
				const output = toOutput(deliveryOf(given), deliveryId, true);
				expect(output).toMatchObject({ event, delivery_id: deliveryId });
				expect([output.event_id, output.created_at]).toEqual([id, created_at]);
				const parts: JsonObject = Object.fromEntries(
					Object.entries(output).filter(([name]) => !known.includes(name)),
				);
				const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
				const names = isObject ? Object.keys(data) : [];
				const isFlat = isObject && !names.some((name) => known.includes(name));
				expect(parts).toEqual(isFlat ? data : { data });
			}),
			{ numRuns: 500 },
		);
	});

	it.each(['event', 'event_id', 'delivery_id', 'created_at'])(
		'keeps the payload in one piece when one of its parts is called %s',
		(name) => {
			const parts = { contact: {}, [name]: 'its own' };
			const output = toOutput(deliveryOf({ id: 1, event: 'other', data: parts }), 'd1', true);
			expect(output.data).toEqual(parts);
			expect(output).not.toHaveProperty('contact');
			expect(output[name]).not.toBe('its own');
		},
	);
});
