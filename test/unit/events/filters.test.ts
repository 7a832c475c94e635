import * as fc from 'fast-check';

import { EVENT_TYPES, readDelivery, type Delivery } from '../../../nodes/WorkspaceCrm/crm/records';
import { filterAgainst, FILTERS } from '../../../nodes/WorkspaceCrm/events/filters';

const types = EVENT_TYPES.map(({ value }) => value);

const deliveryOf = (envelope: object) =>
	readDelivery(Buffer.from(JSON.stringify(envelope))) as Delivery;

const reasonFor = (event: string, data: unknown, options: object) =>
	filterAgainst(deliveryOf({ event, data }), options as Record<string, unknown>, 0)?.reason;

test('without filters, every event starts the workflow', () => {
	const names = [...types, 'message.delivered'];
	fc.assert(
		fc.property(fc.constantFrom(...names), fc.jsonValue(), (event, data) => {
			expect(reasonFor(event, data, {})).toBeUndefined();
		}),
	);
});

describe('a filter', () => {
	/** The filters for one event, each with a choice that nothing matches. */
	const filters = FILTERS.flatMap(({ event, field, reason }) =>
		event ? [[field.name, event, field.type === 'boolean' ? true : ['none'], reason] as const] : [],
	);

	test.each(filters)('%s, for %s, skips no other event', (name, concerned, chosen, reason) => {
		const data = { tag: 'vip', flow_id: 'f1', message: { type: 'text', is_new_contact: false } };
		for (const event of [...types, 'message.delivered']) {
			const expected = event === concerned ? reason : undefined;
			expect(reasonFor(event, data, { [name]: chosen })).toBe(expected);
		}
	});

	test.each(filters)(
		'%s, for %s, skips an event without a payload',
		(name, event, chosen, reason) => {
			for (const data of [undefined, null, 'text', [], {}, { message: 'text' }]) {
				expect(reasonFor(event, data, { [name]: chosen })).toBe(reason);
			}
		},
	);

	/** The same value as people and as services write it. */
	test.each([
		['knownTags', 'Café', { tag: 'Cafe\u0301' }, { tag: 'café' }],
		['knownTags', 'vip', { tag: ' v\u200bip ' }, { tag: 'VIP' }],
		['flowIds', '12 3', { flow_id: '12\u00a03\u200b' }, { flow_id: '123' }],
		['messageTypes', 'Text', { message: { type: 'text' } }, { message: { type: 'texts' } }],
		['messageTypes', 'IMAGE', { message: { type: 'image\u200b' } }, { message: { type: '' } }],
	])('%s of %j takes %j, not %j', (name, chosen, passing, other) => {
		const event = FILTERS.find(({ field }) => field.name === name)?.event ?? '';
		expect(reasonFor(event, passing, { [name]: [chosen] })).toBeUndefined();
		expect(reasonFor(event, other, { [name]: [chosen] })).toEqual(expect.any(String));
	});
});
