import * as fc from 'fast-check';

import { readDelivery, type Delivery } from '../../../nodes/WorkspaceCrm/api/types';
import { reasonToSkip, type EventFilter } from '../../../nodes/WorkspaceCrm/trigger/filter';
import { EVENT_TYPES } from '../../../nodes/WorkspaceCrm/api/eventTypes';

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');
const types = EVENT_TYPES.map(({ value }) => value);

const deliveryOf = (envelope: object) => readDelivery(JSON.stringify(envelope)) as Delivery;

const skip = (event: string, data: unknown, filter: Partial<EventFilter>) =>
	reasonToSkip(deliveryOf({ event, data }), { events: [event], ...filter }, NOW_MS);

/** All filters, set to what no event of these tests has. */
const strict = { tags: ['none'], messageTypes: ['none'], onlyNewContacts: true, flowIds: ['none'] };

const blank = { tags: [''], messageTypes: [''], onlyNewContacts: false, flowIds: [''] };

describe('an event', () => {
	it('starts the workflow if and only if its type is chosen, when nothing else is', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...types, 'message.delivered'),
				fc.subarray<string>([...types, 'message.delivered']),
				fc.jsonValue(),
				(event, events, data) => {
					const reason = reasonToSkip(deliveryOf({ event, data }), { events }, NOW_MS);
					expect(reason).toBe(events.includes(event) ? undefined : 'the event is not chosen');
				},
			),
		);
	});

	it.each(['contact.created', 'contact.opted_out', 'message.delivered'])(
		'that no filter is about starts the workflow, whatever the filters are: %s',
		(event) => {
			expect(skip(event, { tag: 'x', flow_id: 'x', message: { type: 'x' } }, strict)).toBe(
				undefined,
			);
		},
	);

	it('is held up by the filters that it concerns and by no other', () => {
		const data = {
			tag: 'vip',
			flow_id: 'f1',
			message: { type: 'text', is_new_contact: false },
		};
		const filters: Array<[string, Partial<EventFilter>]> = [
			['tag.added', { tags: ['none'] }],
			['form.submitted', { flowIds: ['none'] }],
			['message.received', { messageTypes: ['none'] }],
			['message.received', { onlyNewContacts: true }],
		];
		for (const [concerned, filter] of filters) {
			for (const event of types) {
				expect(skip(event, data, filter) === undefined).toBe(event !== concerned);
			}
		}
	});

	it.each(['tag.added', 'form.submitted', 'message.received'])(
		'without a payload is held up by a filter that it should have passed: %s',
		(event) => {
			for (const data of [undefined, null, 'text', [], {}, { message: 'text' }]) {
				for (const filter of [strict, blank]) {
					expect(skip(event, data, filter)).toEqual(expect.any(String));
				}
				expect(skip(event, data, {})).toBeUndefined();
			}
		},
	);
});

describe('a filter by names', () => {
	const cases = [
		['tags', 'tag.added', (value: unknown) => ({ tag: value }), 'the tag'],
		['flowIds', 'form.submitted', (value: unknown) => ({ flow_id: value }), 'the form'],
		[
			'messageTypes',
			'message.received',
			(value: unknown) => ({ message: { type: value } }),
			'the type of the message',
		],
	] as const;

	it.each(cases)('(%s) lets through what is among them', (name, event, wrap, what) => {
		fc.assert(
			fc.property(
				fc.uniqueArray(fc.constantFrom<string>('a', 'b', '7', 'true', 'null')),
				fc.constantFrom<unknown>('a', 'b', 'c', 7, 8, true, null, undefined, ['a']),
				(names, value) => {
					const isText = typeof value === 'string' || typeof value === 'number';
					const passes = names.length === 0 || (isText && names.includes(String(value)));
					expect(skip(event, wrap(value), { [name]: names })).toBe(
						passes ? undefined : `${what} is not among the chosen ones`,
					);
				},
			),
		);
	});

	it.each([
		['vip', true],
		[{ name: 'vip' }, true],
		[{ tag: 'vip' }, true],
		[{ id: 'vip' }, true],
		[{ name: 'vip', tag: 'x', id: 'x' }, true],
		[{ name: 'x', tag: 'vip', id: 'vip' }, false],
		[{ name: null, tag: 'vip', id: 'x' }, true],
		[{ label: 'vip' }, false],
		[['vip'], false],
	])('finds the name of a tag in each shape that it may have: %j', (tag, passes) => {
		expect(skip('tag.added', { tag }, { tags: ['vip'] }) === undefined).toBe(passes);
	});
});

describe('a filter by words', () => {
	const passes = (text: unknown, words: string[]) =>
		skip('message.received', { message: { text } }, { messageContains: words }) === undefined;

	it.each([
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
	])('%j with %j: %j', (text, word, is) => {
		expect(passes(text, ['price', word])).toBe(is);
	});

	it('finds each word of a text among any others, in any case, with any punctuation', () => {
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

describe('a filter for new contacts', () => {
	it.each([
		[true, undefined],
		[false, 'the contact is not new'],
		[undefined, 'the contact is not new'],
		['true', 'the contact is not new'],
	])('takes only what the service says is new: %j', (isNew, reason) => {
		const data = { message: { type: 'text', is_new_contact: isNew } };
		expect(skip('message.received', data, { onlyNewContacts: true })).toBe(reason);
		expect(skip('message.received', data, { onlyNewContacts: false })).toBeUndefined();
	});
});

describe('an age limit', () => {
	const reasonAt = (createdAt: unknown, filter: Partial<EventFilter>) => {
		const delivery = deliveryOf({ event: 'tag.added', created_at: createdAt });
		return reasonToSkip(delivery, { events: ['tag.added'], ...filter }, NOW_MS);
	};

	function expectTime(createdAt: string, timeMs: number) {
		const delivery = deliveryOf({ event: 'tag.added', created_at: createdAt });
		const filter = { events: ['tag.added'], maxAgeMs: 0 };
		expect(reasonToSkip(delivery, filter, timeMs)).toBeUndefined();
		expect(reasonToSkip(delivery, filter, timeMs + 1)).toBe('the event is too old');
	}

	it('holds up what is older, and nothing else', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: -100_000, max: 100_000 }),
				fc.integer({ min: 0, max: 100_000 }),
				(ageMs, maxAgeMs) => {
					const createdAt = new Date(NOW_MS - ageMs).toISOString();
					expect(reasonAt(createdAt, { maxAgeMs })).toBe(
						ageMs > maxAgeMs ? 'the event is too old' : undefined,
					);
				},
			),
		);
		const justNow = new Date(NOW_MS - 1_000).toISOString();
		expect(reasonAt(justNow, { maxAgeMs: 1_000 })).toBeUndefined();
		expect(reasonAt(justNow, { maxAgeMs: 999 })).toBe('the event is too old');
	});

	it('that is not set lets even the oldest through', () => {
		expect(reasonAt('1970-01-01T00:00:00Z', {})).toBeUndefined();
	});

	it.each([
		'2026-01-01T12:00:00Z',
		'2026-01-01T12:00:00z',
		'2026-01-01T12:00:00.000Z',
		' 2026-01-01T12:00:00Z ',
		'2026-01-01T14:00:00+02',
		'2026-01-01T12:00:00',
		' 2026-01-01 12:00 ',
		'2026-01-01T14:00:00+02:00',
		'2026-01-01T14:00:00+0200',
		'2026-01-01T10:00:00-02:00',
		'2026-01-01 14:00:00 +02',
	])('reads the time in each form of ISO 8601, in UTC where it names no zone: %j', (createdAt) => {
		expectTime(createdAt, NOW_MS);
	});

	it.each(['2026-01-01', '  2026-01-01 '])('takes a date for its first moment: %j', (createdAt) => {
		expectTime(createdAt, Date.parse('2026-01-01T00:00:00Z'));
	});

	it.each([
		...[undefined, null, '', 'yesterday', 0, 1, {}],
		...['01-01-2025 12:00:00', '2025-01-01 14:00:00 (+02)'],
	])('lets an event through that has no readable time: %j', (createdAt) => {
		expect(reasonAt(createdAt, { maxAgeMs: 1 })).toBeUndefined();
	});
});
