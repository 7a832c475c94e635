import {
	attributeColumns,
	CONTACT_COLUMNS,
} from '../../../nodes/WorkspaceCrm/domain/contactColumns';

const columnsOf = (...attributes: unknown[]) =>
	attributeColumns(attributes.map((each) => ({ attributes: each }))).map(({ id, type }) => [
		id,
		type,
	]);

describe('the columns of attributes', () => {
	it('leave out the marks of campaigns', () => {
		expect(columnsOf({ 'sent:spring:0badcafe': 'x', sent: 'y' })).toEqual([
			['attributes.sent', 'string'],
		]);
	});

	it('have the type that the values agree on, else text', () => {
		expect(
			columnsOf(
				{ n: 1, b: true, s: 'x', l: [1], o: { a: 1 }, mixed: 1, empty: null },
				{ n: 2.5, b: false, s: '', l: [], o: {}, mixed: '1', empty: null },
				{ n: null },
			),
		).toEqual([
			['attributes.b', 'boolean'],
			['attributes.empty', 'string'],
			['attributes.l', 'array'],
			['attributes.mixed', 'string'],
			['attributes.n', 'number'],
			['attributes.o', 'object'],
			['attributes.s', 'string'],
		]);
	});

	it('are none for contacts without attributes', () => {
		expect(columnsOf(undefined, null, [], 'x', {})).toEqual([]);
	});

	it('are called as what they are', () => {
		expect(attributeColumns([{ attributes: { 'favourite colour': 'red' } }])).toEqual([
			{
				id: 'attributes.favourite colour',
				displayName: 'Attribute: favourite colour',
				type: 'string',
			},
		]);
	});
});

test('the columns of every contact: ids, which workflows save, with labels and types', () => {
	expect(CONTACT_COLUMNS.map(({ id, displayName, type }) => [id, displayName, type])).toEqual([
		['phone', 'Phone', 'string'],
		['name', 'Name', 'string'],
		['locale', 'Locale', 'string'],
		['source', 'Source', 'string'],
		['tags', 'Tags', 'string'],
		['opt_in', 'Opt In', 'options'],
		['consent_proof', 'Consent Proof', 'string'],
	]);
});
