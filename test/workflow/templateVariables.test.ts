import type { INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { editorContext } from './editorContext';
import { chosen, useSandbox } from './support';

const sandbox = useSandbox();
const { getTemplateVariables } = new WorkspaceCrm().methods.resourceMapping;

/** What the editor shows for a template that is chosen. */
async function fieldsFor(template: INodeParameters[string], apiKey = sandbox.apiKey) {
	const parameters = { resource: 'message', operation: 'sendTemplate', template };
	const context = editorContext(sandbox, parameters, { apiKey }, 'template');
	return await getTemplateVariables.call(context);
}

const names = async (template: INodeParameters[string]) =>
	(await fieldsFor(template)).fields.map(({ id }) => id);

test.each([
	['list', 'tpl_order_shipped', ['1', '2']],
	['id', 'tpl_appointment_reminder', ['name', 'date', 'time']],
	['name', 'welcome', ['name']],
	['name', 'order_shipped', ['1', '2']],
])('shows the variables of a template chosen by %s', async (mode, value, expected) => {
	expect(await names(chosen(mode, value))).toEqual(expected);
});

test.each<[string, object, string[]]>([
	['names', { variables: ['name', 'date'] }, ['name', 'date']],
	['records', { variables: [{ name: 'a' }, { key: 'b' }, {}, { id: 7 }] }, ['a', 'b', '7']],
	['placeholders, some twice', { body: 'Hi {{1}}, {{ größe_1 }} and {{1}}' }, ['1', 'größe_1']],
	['a list beside placeholders', { variables: ['a'], text: '{{b}}' }, ['a']],
	['an empty list', { variables: [], body: 'Hi' }, []],
	['an empty list beside placeholders', { variables: [], body: 'Hi {{1}}' }, ['1']],
	['records without names', { variables: [{}, {}], body: 'Hi {{1}}' }, ['1']],
	['a placeholder of several words', { body: 'Hi {{ first name }}' }, ['first name']],
	['placeholders that are none', { body: '{1} {{}} {{a  b}} {{a?}} {{ }} {{a}' }, []],
	['something else', { variables: 'name', body: null }, []],
])('reads variables given as %s', async (_, record, expected) => {
	sandbox.store.templates.push({ id: 'told', name: 'told', ...record } as never);
	expect(await names(chosen('id', 'told'))).toEqual(expected);
});

test.each<[string, object, string[]]>([
	[
		'the words around it in the longest text',
		{ header: 'For {{1}}', body: 'Hi {{1}}, your order {{2}} is on its way to {{ city }}.' },
		['1: Hi {{1}}, your order {{2}}…', '2: …order {{2}} is on its…', 'city: …way to {{ city }}.'],
	],
	[
		'as many words as fit beside it',
		{ body: `Hello {{1}}, ${'we thank you. '.repeat(20)}` },
		['1: Hello {{1}}, we thank you.…'],
	],
	['its name alone if the text does not have it', { variables: ['a'], body: 'Hi {{1}}' }, ['a']],
	['no markup', { body: 'Hi <b>{{1}}</b>\u202e, how are you?' }, ['1: Hi ‹b›{{1}}‹/b›, how are…']],
])('shows beside a variable %s', async (_, record, expected) => {
	sandbox.store.templates.push({ id: 'told', name: 'told', ...record } as never);
	const { fields } = await fieldsFor(chosen('id', 'told'));
	expect(fields.map(({ displayName }) => displayName)).toEqual(expected);
});

test('says where to add variables if the template has none or is unknown', async () => {
	sandbox.store.templates.push({ id: 'plain', name: 'plain', body: 'Hello' } as never);
	for (const value of ['plain', 'unknown']) {
		const { fields, emptyFieldsNotice } = await fieldsFor(chosen('id', value));
		expect(fields).toEqual([]);
		expect(emptyFieldsNotice).toContain("'Other Variables'");
	}
});

test('asks for a template first', async () => {
	const { fields, emptyFieldsNotice } = await fieldsFor(chosen('list', ''));
	expect([fields, emptyFieldsNotice]).toEqual([[], 'Choose a template first.']);
	expect(sandbox.requests).toEqual([]);
});

test('shows the error of a wrong key', async () => {
	const { fields, emptyFieldsNotice } = await fieldsFor(chosen('id', 'welcome'), 'wrong');
	expect(fields).toEqual([]);
	expect(emptyFieldsNotice).toMatch(/^The API key .+\. Open the credential/);
});
