import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { crmNode } from '../../../../tools/engine/nodes';
import { editorContext } from '../../editorContext';
import { addContact, addContacts, sent, useSandbox } from '../../support';
import { automatic, mapped } from './syncNode';

const sandbox = useSandbox();
const { getContactColumns } = new WorkspaceCrm().methods.resourceMapping;

/** Asks for the columns of a sync, as the editor does. */
async function columns(parameters: INodeParameters = automatic()) {
	return (await answer(parameters)).fields;
}

async function answer(parameters: INodeParameters, credential: IDataObject = {}) {
	const context = editorContext(sandbox, parameters, credential, 'parameters.columns');
	return await getContactColumns.call(context);
}

const contactColumns = [
	['phone', 'Phone', 'string'],
	['name', 'Name', 'string'],
	['locale', 'Locale (language, e.g. en)', 'string'],
	['source', 'Source (e.g. website)', 'string'],
	['tags', 'Tags (separated by commas)', 'string'],
	['opt_in', 'Opt In (wants messages)', 'options'],
	['consent_proof', 'Consent Proof (how, when)', 'string'],
	['id', 'Contact ID (instead of the phone)', 'string'],
];
const shown = (fields: Awaited<ReturnType<typeof columns>>) =>
	fields.map(({ id, displayName, type }) => [id, displayName, type]);

test('an empty workspace has the columns of every contact', async () => {
	const fields = await columns();
	expect(shown(fields)).toEqual(contactColumns);
	expect(sent(sandbox)).toEqual([
		{ request: 'GET /v1/contacts', query: { limit: '100', offset: '0' } },
	]);
});

test('the phone identifies a contact, but no column is required, as an ID can replace it', async () => {
	const [phone, ...others] = await columns();
	expect(phone).toMatchObject({ required: false, defaultMatch: true, canBeUsedToMatch: true });
	for (const field of others) {
		expect(field).toMatchObject({ required: false, defaultMatch: false, canBeUsedToMatch: false });
	}
});

test('hides the ID, switches, lists and objects until they are added, as they cannot be blank', async () => {
	addContact(sandbox, {
		attributes: { paid: true, plan: 'pro', seats: 1, orders: [1], address: { city: 'Köln' } },
	});
	const removed = (await columns()).filter((field) => field.removed).map(({ id }) => id);
	expect(removed).toEqual(['id', 'attributes.address', 'attributes.orders', 'attributes.paid']);
});

test('the opt-in can be left unchanged', async () => {
	const optIn = (await columns()).find(({ id }) => id === 'opt_in');
	expect(optIn?.options).toEqual([
		{ name: 'Yes', value: 'yes' },
		{ name: 'No', value: 'no' },
		{ name: "Don't Change", value: '' },
	]);
});

test.each([
	[100, ['0']],
	[150, ['0', '100']],
	[300, ['0', '100', '200']],
	[1_000, ['0', '450', '900']],
])('attributes of %d contacts come from the pages at %j', async (count, offsets) => {
	const contacts = addContacts(sandbox, count, { attributes: { seats: 1, city: 'Köln' } });
	Object.assign(contacts[count - 1], { attributes: { last: 'x' } });
	Object.assign(contacts[Math.floor(count / 2)], { attributes: { middle: 'x' } });
	if (count > 300) Object.assign(contacts[200], { attributes: { unseen: 'x' } });
	expect(shown(await columns())).toEqual([
		...contactColumns,
		['attributes.city', 'Attribute: city', 'string'],
		['attributes.last', 'Attribute: last', 'string'],
		['attributes.middle', 'Attribute: middle', 'string'],
		['attributes.seats', 'Attribute: seats', 'number'],
	]);
	const asked = sent(sandbox).map(({ query }) => query?.offset);
	expect(asked.sort((a, b) => Number(a) - Number(b))).toEqual(offsets);
});

test('mapped attributes stay, even if no sampled contact has them', async () => {
	addContact(sandbox, { attributes: { seats: 1 } });
	const parameters = mapped(
		{ phone: '=x', 'attributes.seats': '=x', 'attributes.rare': '=x' },
		{},
		{ 'attributes.rare': 'object' },
	);
	expect(shown(await columns(parameters)).slice(8)).toEqual([
		['attributes.seats', 'Attribute: seats', 'number'],
		['attributes.rare', 'attributes.rare', 'object'],
	]);
	const before = { resource: 'contact', operation: 'sync', columns: { value: null }, options: {} };
	expect(await columns(before as INodeParameters)).toHaveLength(9);
});

test('mapped columns stay if the CRM cannot be reached', async () => {
	const parameters = mapped(
		{ phone: '=x', 'attributes.rare': '=x' },
		{},
		{ 'attributes.rare': 'string' },
	);
	const { fields } = await answer(parameters, { apiKey: 'wrong-key' });
	expect(fields.map(({ id }) => id)).toEqual([
		...['phone', 'name', 'locale', 'source', 'tags', 'opt_in', 'consent_proof', 'id'],
		'attributes.rare',
	]);
});

test('shows why columns cannot be loaded, without the key', async () => {
	const { fields, emptyFieldsNotice } = await answer(automatic(), { apiKey: 'wrong-key' });
	expect(fields).toEqual([]);
	expect(emptyFieldsNotice).toMatch(/^The API key .+\. Open the credential/);
	expect(emptyFieldsNotice).not.toContain('wrong-key');
});

test('before the credential is set, the mapper has the columns of every contact, without a request', async () => {
	const context = editorContext(sandbox, automatic(), {}, 'parameters.columns');
	context.getNode = () => ({ ...crmNode(automatic()), credentials: undefined });
	const { fields, emptyFieldsNotice } = await getContactColumns.call(context);
	expect(shown(fields)).toEqual(contactColumns);
	expect(fields.find(({ id }) => id === 'id')?.removed).toBe(true);
	expect(emptyFieldsNotice).toBeUndefined();
	expect(sent(sandbox)).toEqual([]);
});
