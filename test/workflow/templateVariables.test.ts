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
])('a template chosen by %s shows its variables one by one', async (mode, value, expected) => {
	expect(await names(chosen(mode, value))).toEqual(expected);
});

test.each<[string, object, string[]]>([
	['names', { variables: ['name', 'date'] }, ['name', 'date']],
	['records', { parameters: [{ name: 'a' }, { key: 'b' }, {}, { id: 7 }] }, ['a', 'b', '7']],
	['their number', { params: 3 }, ['1', '2', '3']],
	['placeholders, some twice', { body: 'Hi {{1}}, {{ größe_1 }} and {{1}}' }, ['1', 'größe_1']],
	['a list beside placeholders', { params: ['a'], text: '{{b}}' }, ['a']],
	['an empty list', { variables: [], body: 'Hi {{1}}' }, []],
	['placeholders that are none', { body: '{1} {{}} {{a b}} {{ }} {{a}' }, []],
	['something else', { variables: 'name', body: null }, []],
])('variables are told as %s', async (_, record, expected) => {
	sandbox.store.templates.push({ id: 'told', name: 'told', ...record } as never);
	expect(await names(chosen('id', 'told'))).toEqual(expected);
});

test('a variable is shown with the words around it, where the template tells them', async () => {
	sandbox.store.templates.push({
		id: 'long',
		name: 'long',
		components: [
			{ text: 'Dear {{ name }},\nyour table for {{guests}} on {{date}} is booked. See you then!' },
		],
		variables: ['name', 'guests', 'date', 'other'],
	} as never);
	const { fields } = await fieldsFor(chosen('id', 'long'));
	expect(fields.map(({ displayName }) => displayName)).toEqual([
		'name: Dear {{ name }}, your table…',
		'guests: …table for {{guests}} on {{date}}…',
		'date: …on {{date}} is booked.…',
		'other',
	]);
});

test('a template without variables, or one that is not known, says where to add them', async () => {
	sandbox.store.templates.push({ id: 'plain', name: 'plain', body: 'Hello' } as never);
	for (const value of ['plain', 'unknown']) {
		const { fields, emptyFieldsNotice } = await fieldsFor(chosen('id', value));
		expect(fields).toEqual([]);
		expect(emptyFieldsNotice).toContain("'Other Variables'");
	}
});

test('before a template is chosen, that is what is asked for', async () => {
	const { fields, emptyFieldsNotice } = await fieldsFor(chosen('list', ''));
	expect([fields, emptyFieldsNotice]).toEqual([[], 'Choose a template first.']);
	expect(sandbox.requests).toEqual([]);
});

test('with a wrong key it says so', async () => {
	const { fields, emptyFieldsNotice } = await fieldsFor(chosen('id', 'welcome'), 'wrong');
	expect(fields).toEqual([]);
	expect(emptyFieldsNotice).toMatch(/^The API key .+\. Open the credential/);
});

describe('a template that tells of more variables than anyone fills in', () => {
	const placeholders = Array.from({ length: 16_000 }, (_, index) => `{{${index}}}`).join(' ');
	let deep: object = { text: '{{1}}' };
	for (let level = 0; level < 90; level += 1) deep = { deep };

	test.each<[string, object, number]>([
		['their number, in millions', { variables: 50_000_000 }, 100],
		['a number that no list can have', { params: 1e308 }, 100],
		['a number below zero', { variables: -1 }, 0],
		['a list of 16,000 that are all in one text', listed(placeholders), 100],
		['16,000 placeholders in one text', { body: placeholders }, 100],
		['placeholders without an end, in a text of 59 kB', { body: '{{a'.repeat(19_700) }, 0],
		['a placeholder of blanks, in a text of 59 kB', { body: `{{${' '.repeat(59_000)}` }, 0],
		['a text below 90 levels', deep, 1],
	])('as %s: at most 100 are shown', async (_name, record, expected) => {
		sandbox.store.templates.push({ id: 'many', name: 'many', ...record } as never);
		const { fields } = await fieldsFor(chosen('id', 'many'));
		expect(fields).toHaveLength(expected);
		const isCut = expected === 100;
		const last = fields.at(-1)?.displayName ?? '';
		expect(last.endsWith(": add more under 'Other Variables'")).toBe(isCut);
		const others = fields.slice(0, -1).map(({ displayName }) => displayName);
		expect(others.join()).not.toContain('Other Variables');
	});

	function listed(body: string) {
		return { body, variables: Array.from({ length: 16_000 }, (_, index) => String(index)) };
	}
});
