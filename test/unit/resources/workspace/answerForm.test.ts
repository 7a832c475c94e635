import * as fc from 'fast-check';

import { formOf as formWith } from '../../../../nodes/WorkspaceCrm/resources/workspace/check/answerForm';

const formOf = (value: unknown) => formWith(value, 'ofRecords');

/** What the form of a usual answer is stands in `workflow/checkApi`. */
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
