import {
	enrollBody,
	readChoice,
	readPage,
	sendTemplateBody,
	withAnswer,
} from '../../../nodes/WorkspaceCrm/api/assumptions';
import { readBodyFields } from '../../../nodes/WorkspaceCrm/api/bodyFields';
import {
	readTemplateText,
	readTemplateVariables,
} from '../../../nodes/WorkspaceCrm/api/templateRecord';

const rows = [{ id: 'a' }, { id: 'b' }];

test.each<[string, unknown, unknown]>([
	['a bare array', rows, { rows }],
	['the array data', { data: rows, total: 7, limit: 2, offset: 0 }, { rows, total: 7 }],
	['data beside another array', { data: rows, errors: [] }, { rows }],
	['the only array of an object', { tags: rows, total: 2 }, { rows, total: 2 }],
	['an empty list', { data: [], total: 0 }, { rows: [], total: 0 }],
	['a total that is no number', { data: rows, total: 'many' }, { rows }],
	['two arrays', { tags: rows, more: rows }, undefined],
	['no array', { vip: 3 }, undefined],
	['an object in an object', { data: { items: rows } }, undefined],
	['a record, one of whose fields is a list', { id: 'a', tags: rows }, undefined],
	['nothing', undefined, undefined],
	['a text', 'none', undefined],
])('a list: %s', (_name, answer, page) => {
	expect(readPage(answer)).toEqual(page);
});

test.each<[unknown, unknown]>([
	[
		{ id: 'x', name: 'VIP' },
		{ name: 'VIP', value: 'x' },
	],
	[
		{ id: 7, title: 'VIP' },
		{ name: 'VIP', value: '7' },
	],
	[{ name: 'vip' }, { name: 'vip', value: 'vip' }],
	['vip', { name: 'vip', value: 'vip' }],
	[{ id: 'x' }, { name: 'x', value: 'x' }],
	[{ language: 'en' }, undefined],
])('a choice of %j', (record, choice) => {
	expect(readChoice(record)).toEqual(choice);
});

test.each<[string, object, string[]]>([
	['a list of names', { variables: ['1', 'first_name'] }, ['1', 'first_name']],
	['a list of records', { variables: [{ name: 'a' }, { key: 'b' }] }, ['a', 'b']],
	['an empty list', { variables: [], body: '{{1}}' }, []],
	['placeholders, however deep', { body: [{ text: 'Hi {{ 1 }}, {{2}} {{1}}' }] }, ['1', '2']],
	['nothing', { name: 'welcome' }, []],
])('the variables of a template: %s', (_name, record, names) => {
	expect(readTemplateVariables(record as never)).toEqual(names);
});

test('the text of a template is its longest one of several words', () => {
	const record = {
		name: 'order_shipped_with_a_long_name',
		parts: [{ text: 'Hi {{1}}' }, { text: 'Hi {{1}} you' }],
	};
	expect(readTemplateText(record as never)).toBe('Hi {{1}} you');
});

const fields = readBodyFields({});

test('the default bodies', () => {
	expect(sendTemplateBody('c1', 'welcome', {}, fields.send)).toEqual({
		contact_id: 'c1',
		template: 'welcome',
	});
	expect(sendTemplateBody('c1', 'welcome', { 1: 'Anna' }, fields.send)).toEqual({
		contact_id: 'c1',
		template: 'welcome',
		variables: { 1: 'Anna' },
	});
	expect(enrollBody('c1', fields.enroll)).toEqual({ contact_id: 'c1' });
});

test('bodies with other names, also in objects, and in other forms', () => {
	const { send, enroll } = readBodyFields({
		otherFieldNames: true,
		contactField: 'message.to',
		templateField: 'message.template',
		variablesField: 'params',
		variablesAs: 'pairs',
		enrollContactField: 'member.id',
	});
	expect(sendTemplateBody('c1', 'welcome', { 1: 'Anna' }, send)).toEqual({
		message: { to: 'c1', template: 'welcome' },
		params: [{ name: '1', value: 'Anna' }],
	});
	expect(
		sendTemplateBody('c1', 't', { 1: 'Anna' }, { ...send, variablesAs: 'list' }),
	).toMatchObject({ params: ['Anna'] });
	expect(enrollBody('c1', enroll)).toEqual({ member: { id: 'c1' } });
});

test.each<[unknown, unknown]>([
	[undefined, { a: 1 }],
	[{ id: 'm1' }, { a: 1, id: 'm1' }],
	['ok', { a: 1, answer: 'ok' }],
	[{ error: 'none' }, { a: 1, answer: { error: 'none' } }],
])('what was sent, with the answer %j', (answer, output) => {
	expect(withAnswer({ a: 1 }, answer)).toEqual(output);
});
