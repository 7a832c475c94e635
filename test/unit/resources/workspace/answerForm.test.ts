import * as fc from 'fast-check';

import { formOf as formWith } from '../../../../nodes/WorkspaceCrm/resources/workspace/check/answerForm';

const formOf = (value: unknown) => formWith(value, 'ofRecords');

test('a list of contacts: names and kinds, with what is below attributes masked', () => {
	const contact = {
		id: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b',
		phone: '+4915123456789',
		name: 'Anna',
		opt_in_status: 'confirmed',
		attributes: { 'favourite drink': 'Tea', city: 'Bonn', address: { street: 'Weg 1' } },
		tags: ['vip'],
		last_inbound_at: null,
		created_at: '2026-01-01T00:00:00.000Z',
	};
	const answer = {
		data: [contact, { ...contact, name: null, nickname: 'A' }],
		total: 2,
		limit: 50,
		offset: 0,
	};
	expect(formOf(answer)).toEqual({
		data: [
			{
				id: 'text (UUID)',
				phone: 'text (phone with +)',
				name: 'null or text',
				opt_in_status: 'text',
				attributes: { '(3 names, masked)': 'object or text' },
				tags: ['text'],
				last_inbound_at: 'null',
				created_at: 'text (time)',
				'(1 name, masked)': 'text',
			},
		],
		total: 'number',
		limit: 'number',
		offset: 'number',
	});
});

test.each([
	['a map of tags to counts', { vip: 3, newsletter: 5 }],
	['a map of tags to texts', { vip: 'Very important', newsletter: 'Monthly' }],
	[
		'a map of ids',
		{ data: { 'c-17': { id: 'c-17', name: 'x' }, 'c-18': { id: 'c-18', name: 'y' } } },
	],
	['a map of one tag', { data: { vip: { id: '1' } } }],
	['a map beside a total', { total: 2, vip: { id: 1 }, newsletter: { id: 2 } }],
	['a map beside a count, in data', { data: { vip: {}, count: 1 } }],
	['a map of texts beside a status', { status: 'ok', vip: 1, active: 'yes' }],
	['rows that are maps', [{ vip: 1 }, { newsletter: 2 }, { sale: 3 }]],
	['one row', [{ vip: 1, name: 'a' }]],
	['a phone as a name', { '+4915123456789': true, total: 1 }],
	['variables', { variables: { vip: 'x', newsletter: 'y' } }],
	['answers in a list', { answers: [{ vip: 'x' }, { vip: 'y' }] }],
	['traits', [{ traits: { vip: 1, name: 'a' } }, { traits: { vip: 1 } }]],
	['names that look like those of ids', { newsletter_id: 1, vip_name: 2, id: 3 }],
])('%s: no name that is data is shown', (_case, answer) => {
	expect(JSON.stringify(formOf(answer))).not.toMatch(/vip|newsletter|sale|c-17|49151/);
});

test('of contacts, only common names are shown: others may be attributes', () => {
	const contacts = [
		{ id: '1', shoe_size: 44 },
		{ id: '2', shoe_size: 45 },
	];
	expect(formWith(contacts, 'masked')).toEqual([{ id: 'text', '(1 name, masked)': 'number' }]);
});

test.each([
	[
		{ items: [{ templateName: 'x', text: 'y' }], meta: { total: 1 } },
		/templateName.*text.*meta.*total/,
	],
	[
		[
			{ odd: 'x', lang: 'de' },
			{ odd: 'y', lang: 'en' },
		],
		/odd.*lang/,
	],
	[{ success: true, data: { templates: [{ mine: 'x' }, { mine: 'y' }] } }, /data.*templates.*mine/],
])('what a field is called is shown: %j', (answer, expected) => {
	expect(JSON.stringify(formOf(answer))).toMatch(expected);
});

test('a form is short, whatever the answer is', () => {
	const wide = Object.fromEntries(
		Array.from({ length: 20_000 }, (_, index) => [`n${index}`, index]),
	);
	let deep: unknown = wide;
	for (let level = 0; level < 90; level += 1) deep = { id: deep, [level]: deep };
	for (const answer of [wide, deep, [wide, wide], Array.from({ length: 1_000 }, () => wide)]) {
		expect(JSON.stringify(formOf(answer)).length).toBeLessThan(5_000);
	}
	expect(formOf(JSON.parse('{"__proto__":{"a":1}}'))).toEqual({ '(1 name, masked)': 'object' });
});

test('no value is ever in it', () => {
	const secret = fc.constantFrom('s3cret', '+4915199999999', 'anna@example.com', 'Ännchen');
	const value = fc.letrec((tie) => ({
		any: fc.oneof(
			{ depthSize: 'small' },
			secret,
			fc.integer({ min: 1_000_000 }),
			fc.array(tie('any'), { maxLength: 4 }),
			fc.dictionary(fc.constantFrom('id', 'name', 'tags', 'attributes', 'data'), tie('any')),
		),
	})).any;
	fc.assert(
		fc.property(value, (answer) => {
			expect(JSON.stringify(formOf(answer))).not.toMatch(/s3cret|49151|anna@|Ännchen|\d{7}/);
		}),
	);
});
