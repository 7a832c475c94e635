import { isBlank } from '../../../../nodes/WorkspaceCrm/domain/json';
import { fieldNames } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/row';

test('the names of fields are those that are given, each attribute by itself', () => {
	expect(fieldNames({})).toEqual([]);
	expect(fieldNames({ attributes: {} })).toEqual([]);
	expect(
		fieldNames({
			consent_proof: 'Form',
			opt_in: false,
			tags: [],
			attributes: { plan: 'x', 'shoe size': 42 },
			source: 'shop',
			locale: 'de',
			name: 'Ada',
		}),
	).toEqual([
		...['name', 'locale', 'source', 'attributes.plan', 'attributes.shoe size', 'tags', 'opt_in'],
		'consent_proof',
	]);
});

test.each([undefined, null, '', ' ', '\t\n'])('blank is what says nothing: %j', (value) => {
	expect(isBlank(value)).toBe(true);
});

test.each([0, false, NaN, [], {}, 'x', ' x '])('and nothing else: %j', (value) => {
	expect(isBlank(value)).toBe(false);
});
