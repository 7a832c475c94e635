import { attributeColumns } from '../../../nodes/WorkspaceCrm/domain/contactColumns';

test('attribute columns have the type of their values, without campaign marks', () => {
	const contacts = [
		{ n: 1, b: true, l: [1], o: { a: 1 }, mixed: 1, empty: null, 'sent:spring:0badcafe': 'x' },
		{ n: 2.5, b: false, l: [], o: {}, mixed: '1', empty: null, sent: 'y' },
		...[undefined, null, [], 'x', {}],
	];
	const columns = attributeColumns(contacts.map((attributes) => ({ attributes })));
	expect(columns.map(({ id, type }) => [id, type])).toEqual([
		['attributes.b', 'boolean'],
		['attributes.empty', 'string'],
		['attributes.l', 'array'],
		['attributes.mixed', 'string'],
		['attributes.n', 'number'],
		['attributes.o', 'object'],
		['attributes.sent', 'string'],
	]);
	expect(columns[0].displayName).toBe('Attribute: b');
});
