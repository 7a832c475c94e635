import * as fc from 'fast-check';

import { EVENT_TYPES, readDelivery, type Delivery } from '../../../nodes/WorkspaceCrm/api/types';
import { reasonToSkip, type EventFilter } from '../../../nodes/WorkspaceCrm/trigger/filter';

const types = EVENT_TYPES.map(({ value }) => value);

const deliveryOf = (envelope: object) => readDelivery(JSON.stringify(envelope)) as Delivery;

const skip = (event: string, data: unknown, filter: Partial<EventFilter>) =>
	reasonToSkip(deliveryOf({ event, data }), { events: [event], ...filter }, 0);

test('without filters, exactly the chosen events start the workflow', () => {
	const names = [...types, 'message.delivered'];
	fc.assert(
		fc.property(
			fc.constantFrom(...names),
			fc.subarray<string>(names),
			fc.jsonValue(),
			(event, events, data) => {
				const reason = skip(event, data, { events });
				expect(reason).toBe(events.includes(event) ? undefined : 'the event is not chosen');
			},
		),
	);
});

describe('a filter', () => {
	const filters: Array<[string, Partial<EventFilter>]> = [
		['tag.added', { tags: ['none'] }],
		['form.submitted', { flowIds: ['none'] }],
		['message.received', { messageTypes: ['none'] }],
		['message.received', { messageContains: ['none'] }],
		['message.received', { onlyNewContacts: true }],
	];

	test.each(filters)('for %s skips no other event: %j', (concerned, filter) => {
		const data = { tag: 'vip', flow_id: 'f1', message: { type: 'text', is_new_contact: false } };
		for (const event of [...types, 'message.delivered']) {
			expect(skip(event, data, filter) === undefined).toBe(event !== concerned);
		}
	});

	test.each(filters)('for %s skips an event without a payload: %j', (event, filter) => {
		for (const data of [undefined, null, 'text', [], {}, { message: 'text' }]) {
			expect(skip(event, data, filter)).toEqual(expect.any(String));
		}
	});
});

describe('a filter by words', () => {
	const passes = (text: unknown, words: string[]) =>
		skip('message.received', { message: { text } }, { messageContains: words }) === undefined;

	test.each([
		['Please STOP!', 'stop', true],
		['stopp', 'stop', false],
		['non-stop', 'stop', true],
		['What are your opening\n hours?', 'Opening Hours', true],
		['opening at all hours', 'opening hours', false],
		['Öffnungszeiten?', 'öffnungszeiten', true],
		['OFFNUNGSZEITEN', 'öffnungszeiten', false],
		['it costs $5', '$5', true],
		['👍', '👍', true],
		['ＳＴＯＰ', 'stop', true],
		['', 'stop', false],
		[undefined, 'stop', false],
		[5, '5', true],
		// what WhatsApp and its keyboards add
		['Yes👍', 'yes', true],
		['Yes👍🏽', 'yes', true],
		['~price~', 'price', true],
		['*price*', 'price', true],
		['_price_', 'price', true],
		['```price```', 'price', true],
		['Price=?', 'price', true],
		['pri\u200bce', 'price', true],
		['\u200eprice\u200f', 'price', true],
		['so\u00adft', 'soft', true],
		['❤️', '❤', true],
		['👩‍💻 hi', '👩‍💻', true],
		['underpriced', 'price', false],
		['price2', 'price', false],
		// German, French, Spanish, Turkish
		['GROẞE STRASSE', 'straße', true],
		['cafe\u0301 ouvert', 'café', true],
		['¿Precio?', 'precio', true],
		['İPTAL', 'iptal', true],
		// Russian, Greek
		['Цена:', 'цена', true],
		['ценами', 'цена', false],
		['ΣΤΟΠ!', 'στοπ', true],
		// Arabic, Persian, Hebrew, Hindi
		['السعر؟', 'السعر', true],
		['می\u200cخواهم', 'می\u200cخواهم', true],
		['מחיר?', 'מחיר', true],
		['कीमत?', 'कीमत', true],
		['कीमती', 'कीमत', false],
		// Korean has blanks; Chinese, Japanese and Thai have none
		['가격 알려주세요', '가격', true],
		['请问价格多少', '价格', true],
		['请问价钱多少', '价格', false],
		['価格を教えてください', '価格', true],
		['ご予約キャンセルします', 'キャンセル', true],
		['ขอราคาหน่อย', 'ราคา', true],
		['ขอราคาหน่อย', 'สวัสดี', false],
		['价格price价格', 'price', true],
	])('%j with %j: %j', (text, word, is) => {
		expect(passes(text, ['price', word])).toBe(is);
	});

	test('finds each word in a text, in any case, with any punctuation', () => {
		const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
		fc.assert(
			fc.property(
				fc.array(word),
				word,
				fc.array(word),
				fc.constantFrom(' ', ', ', '!\n'),
				(before, one, after, between) => {
					const text = [...before, one.toUpperCase(), ...after].join(between);
					expect(passes(text, [one])).toBe(true);
					expect(passes(text, [`${one}x`])).toBe([...before, ...after].includes(`${one}x`));
				},
			),
		);
	});
});
