import { enrollBody, sendTemplateBody } from '../../../nodes/WorkspaceCrm/api/assumptions';
import { readBodyFields } from '../../../nodes/WorkspaceCrm/api/bodyFields';

const on = (more: object) => readBodyFields({ otherFieldNames: true, ...more });

test('without the switch, names in the credential count for nothing', () => {
	for (const otherFieldNames of [undefined, false, 'true']) {
		const fields = readBodyFields({
			otherFieldNames,
			templateField: 'hsm',
			contactAs: 'phone',
		} as never);
		expect(sendTemplateBody('c1', 'hello', { 1: 'Ann' }, fields.send)).toEqual({
			contact_id: 'c1',
			template: 'hello',
			variables: { 1: 'Ann' },
		});
		expect(enrollBody('c1', fields.enroll)).toEqual({ contact_id: 'c1' });
		expect(fields.areChosen).toBe(false);
	}
});

test('with the switch, an empty name is the one that we assume', () => {
	const { send, enroll, areChosen } = on({ contactField: ' ', templateField: '' });
	expect([send.contactField, send.templateField, enroll.contactField]).toEqual([
		'contact_id',
		'template',
		'contact_id',
	]);
	expect(areChosen).toBe(true);
});

test.each([
	['object', { 1: 'Ann', 2: 7 }],
	['list', ['Ann', 7]],
	[
		'pairs',
		[
			{ name: '1', value: 'Ann' },
			{ name: '2', value: 7 },
		],
	],
])('variables as %s; names with dots are fields in objects', (variablesAs, variables) => {
	const { send } = on({
		contactField: 'recipient.phone',
		templateField: 'template.name',
		variablesField: 'template.params',
		variablesAs,
	});
	expect(sendTemplateBody('+49', 'hello', { 1: 'Ann', 2: 7 }, send)).toEqual({
		recipient: { phone: '+49' },
		template: { name: 'hello', params: variables },
	});
});

test('a name that n8n or JavaScript would take for something else is a name', () => {
	const { enroll } = on({ enrollContactField: '__proto__.id' });
	expect(JSON.stringify(enrollBody('c1', enroll))).toBe('{"__proto__":{"id":"c1"}}');
});

test.each(['a b', '.a', 'a.', 'a..b', '={{ 1 }}', 'a/b', '"'])(
	'%j is no name of a field',
	(templateField) => {
		expect(() => on({ templateField })).toThrow("'Template Field' in the credential is");
	},
);

test.each([
	[{ contactField: 'to', templateField: 'to' }, 'Contact Field', 'Template Field'],
	[
		{ templateField: 'template', variablesField: 'template.params' },
		'Template Field',
		'Variables Field',
	],
	[{ contactField: 'template.name', templateField: 'template' }, 'Template Field', 'Contact Field'],
])('two fields that exclude each other are refused: %j', (names, outer, inner) => {
	expect(() => on(names)).toThrow(`'${outer}' and '${inner}' in the credential exclude each other`);
});
