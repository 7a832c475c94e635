import * as fc from 'fast-check';

import { formOf } from '../../../../nodes/WorkspaceCrm/resources/workspace/check/answerForm';

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
				attributes: { '(3 names, masked)': { 'one of': [{ '(1 name, masked)': 'text' }, 'text'] } },
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
	['a map of tags, one of which is called as a field', { vip: 3, name: 5 }],
	['a map of tags to texts', { vip: 'Very important', newsletter: 'Monthly' }],
	[
		'a map of ids',
		{ data: { 'c-17': { id: 'c-17', name: 'x' }, 'c-18': { id: 'c-18', name: 'y' } } },
	],
	['a map of one tag', { data: { vip: { id: '1' } } }],
	['rows that are maps', [{ vip: 1 }, { newsletter: 2 }, { sale: 3 }]],
	['a phone as a name', { '+4915123456789': true, total: 1 }],
	['variables', { variables: { vip: 'x', newsletter: 'y' } }],
	['answers in a list', { answers: [{ vip: 'x' }, { newsletter: 'y' }] }],
])('%s: no name that is data is shown', (_case, answer) => {
	expect(JSON.stringify(formOf(answer))).not.toMatch(/vip|newsletter|sale|c-17|49151/);
});

test.each([
	[
		{ items: [{ templateName: 'x', text: 'y' }], meta: { total: 1 } },
		/templateName.*text.*meta.*total/,
	],
	[
		[
			{ elementName: 'x', lang: 'de' },
			{ elementName: 'y', lang: 'en' },
		],
		/elementName.*lang/,
	],
	[{ success: true, data: { templates: [{ hsm: 'x' }, { hsm: 'y' }] } }, /data.*templates.*hsm/],
])('what a field is called is shown: %j', (answer, expected) => {
	expect(JSON.stringify(formOf(answer))).toMatch(expected);
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
