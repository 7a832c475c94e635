import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { addContact, chosen, paired, sent, sentLines, useSandbox } from './support';

const sandbox = useSandbox();

function upsert(phone: unknown, additionalFields: IDataObject = {}, options: IDataObject = {}) {
	return {
		resource: 'contact',
		operation: 'upsert',
		phone,
		additionalFields,
		options,
	} as INodeParameters;
}

async function bodyOf(parameters: INodeParameters, item: IDataObject = {}): Promise<unknown> {
	const { error } = await runNode(sandbox, { parameters, items: [item] });
	expect(error).toBeUndefined();
	expect(sentLines(sandbox)).toEqual(['POST /v1/contacts']);
	return sandbox.requests[0].body;
}

test("creates a contact, with 'created: true'", async () => {
	const { output } = await runNode(sandbox, { parameters: upsert('+49 1512 3456789') });
	const [contact] = [...sandbox.store.contacts.values()];
	expect(contact.phone).toBe('+4915123456789');
	expect(output).toEqual(paired([0, { ...contact, created: true }]));
	expect(sent(sandbox)).toEqual([
		{ request: 'POST /v1/contacts', body: { phone: '+4915123456789' } },
	]);
});

test('updates the contact with this phone', async () => {
	const contact = addContact(sandbox, { name: 'Nathan', attributes: { plan: 'free' } });
	const { json } = await runNode(sandbox, {
		parameters: upsert('+4915123456789', { name: 'Nathan Smith' }),
	});
	expect(json).toEqual([{ ...contact, name: 'Nathan Smith', created: false }]);
	expect(sandbox.store.contacts.size).toBe(1);
});

interface Given {
	phone?: unknown;
	fields?: IDataObject;
	options?: IDataObject;
	item?: IDataObject;
}
type Row = [what: string, given: Given, body: object];

const inCountryOfItem = { defaultCountry: '={{ $json.country }}' };
const asTyped = { normalizePhone: false };
const rows: Row[] = [
	['a phone of number type', { phone: '={{ $json.phone }}', item: { phone: 4915123456789 } }, {}],
	...['DE', ' germany '].map(
		(country): Row => [
			`a national number in the Default Country "${country}"`,
			{ phone: '01512 3456789', fields: inCountryOfItem, item: { country } },
			{ default_country: 'DE' },
		],
	),
	...[4915123456789, '4915123456789', '49 1512-3456789', '+4915123456789.0'].map(
		(number): Row => [
			`the number ${number} without its plus, which is sent without a country`,
			{
				phone: '={{ $json.phone }}',
				fields: { defaultCountry: 'international' },
				item: { phone: number } as IDataObject,
			},
			{},
		],
	),
	[
		'a number with a plus in its own country, beside a Default Country',
		{ phone: '+1 212 456 7890', fields: { defaultCountry: 'DE' } },
		{ phone: '+12124567890', default_country: 'DE' },
	],
	...['', ' ', null, undefined].map(
		(country): Row => [
			`a number with a plus if the Default Country of its item is ${JSON.stringify(country)}`,
			{ fields: inCountryOfItem, item: { country } as IDataObject },
			{},
		],
	),
	...['+49 1512-3456789', '4915123456789'].map(
		(phone): Row => [
			`${phone} as typed if Normalize Phone is off`,
			{ phone, options: asTyped },
			{ phone },
		],
	),
	[
		'attributes with the types of their expressions, and names that are chosen, typed or expressions',
		{
			fields: {
				attributes: {
					values: [
						{ name: chosen('list', 'plan'), value: 'pro' },
						{ name: chosen('id', '={{ $json.key }}'), value: '={{ $json.seats }}' },
						{ name: chosen('list', ''), value: '' },
						{ name: ' paid ', value: '={{ false }}' },
						{ name: 'address', value: '={{ { city: "Köln" } }}' },
					],
				},
			} as never,
			item: { key: 'seats', seats: 3 },
		},
		{ attributes: { plan: 'pro', seats: 3, paid: false, address: { city: 'Köln' } } },
	],
	[
		'attributes of both fields, and the JSON wins',
		{
			fields: {
				attributes: {
					values: [
						{ name: 'plan', value: 'free' },
						{ name: 'city', value: 'Köln' },
					],
				},
				attributesJson: '={{ { plan: "pro", left: null, order: { lines: [1, { a: "" }] } } }}',
			},
		},
		{
			attributes: { plan: 'pro', city: 'Köln', left: null, order: { lines: [1, { a: '' }] } },
		},
	],
	[
		'fields under the names of the API',
		{
			fields: {
				name: 'Nathan Smith',
				source: 'web shop',
				consentProof: 'Checkbox at checkout',
				optIn: true,
				tags: 'vip, newsletter',
			},
		},
		{
			name: 'Nathan Smith',
			source: 'web shop',
			consent_proof: 'Checkbox at checkout',
			opt_in: true,
			tags: ['vip', 'newsletter'],
		},
	],
	[
		'no blank fields',
		{
			fields: {
				name: '=',
				source: '',
				consentProof: '={{ $json.missing }}',
				tags: '={{ [] }}',
				locale: '',
				attributes: { values: [{ name: 'plan', value: '' }] },
				attributesJson: '{}',
			},
		},
		{},
	],
	...(
		[
			['yes', true],
			['no', false],
			[true, true],
			[false, false],
			['={{ "TRUE" }}', true],
		] as const
	).map(
		([optIn, opt_in]): Row => [
			`consent given as ${JSON.stringify(optIn)}`,
			{ fields: { optIn } },
			{ opt_in },
		],
	),
	...['', '={{ " " }}'].map(
		(optIn): Row => [`no consent given as ${JSON.stringify(optIn)}`, { fields: { optIn } }, {}],
	),
	['tags of text', { fields: { tags: ' vip, ,newsletter,vip' } }, { tags: ['vip', 'newsletter'] }],
	['tags of an array', { fields: { tags: '={{ ["a, b", "c"] }}' } }, { tags: ['a, b', 'c'] }],
];

test.each(rows)('sends %s', async (_what, given, body) => {
	const { phone = '+4915123456789', fields, options, item } = given;
	expect(await bodyOf(upsert(phone, fields, options), item)).toEqual({
		phone: '+4915123456789',
		...body,
	});
});

test('empties the fields that are chosen, the locale by a request of its own', async () => {
	addContact(sandbox, { name: 'Nathan', locale: 'de', attributes: { plan: 'pro' } });
	const fieldsToEmpty = ['name', 'locale', 'attributes.plan'];
	const { json } = await runNode(sandbox, {
		parameters: upsert('+4915123456789', { fieldsToEmpty }),
	});
	expect(sandbox.requests.map(({ body }) => body)).toEqual([
		{ phone: '+4915123456789', name: '', attributes: { plan: '' } },
		{ locale: '' },
	]);
	expect(json).toMatchObject([{ name: '', locale: '', attributes: { plan: '' } }]);
});

test('refuses a value without a name', async () => {
	const values = [{ name: chosen('list', ''), value: 'pro' }];
	const { error } = await runNode(sandbox, {
		parameters: upsert('+4915123456789', { attributes: { values } }),
	});
	expect(error?.message).toBe("'Attributes' has a value without a name");
	expect(sandbox.requests).toEqual([]);
});

test('refuses an Opt In that is neither yes nor no, before any request', async () => {
	const { error } = await runNode(sandbox, {
		parameters: upsert('+4915123456789', { optIn: '={{ $json.agreed }}' }),
		items: [{ agreed: 'perhaps' }],
	});
	expect(error).toMatchObject({
		message: '\'Opt In\' is "perhaps", which is neither yes nor no',
		description:
			'Enter yes, no, true or false; the documentation of Sync lists the words of other languages. If the answer is not known, leave it empty. To turn "perhaps" into no, use the expression {{ ($json.agreed) == "perhaps" ? "no" : $json.agreed }}. To turn it into yes, write "yes" instead of "no" in it; to leave it empty, write "".',
	});
	expect(sandbox.requests).toEqual([]);
});
describe('locale', () => {
	test('takes a second request, and the output has both results', async () => {
		const { output } = await runNode(sandbox, {
			parameters: upsert('+4915123456789', { locale: 'de', name: 'Nathan' }),
		});
		const [contact] = [...sandbox.store.contacts.values()];
		expect(sent(sandbox)).toEqual([
			{ request: 'POST /v1/contacts', body: { phone: '+4915123456789', name: 'Nathan' } },
			{ request: `PATCH /v1/contacts/${contact.id}`, body: { locale: 'de' } },
		]);
		expect(contact.locale).toBe('de');
		expect(output).toEqual(paired([0, { ...contact, created: true }]));
	});

	test('takes no second request if the contact already has it', async () => {
		addContact(sandbox, { locale: 'de' });
		const body = await bodyOf(upsert('+4915123456789', { locale: 'de' }));
		expect(body).toEqual({ phone: '+4915123456789' });
	});

	test('that fails names the contact that was saved', async () => {
		sandbox.fail({
			match: { method: 'PATCH' },
			kind: { status: 422, detail: 'unknown locale' },
		});
		const { error } = await runNode(sandbox, {
			parameters: upsert('+4915123456789', { locale: 'xx' }),
		});
		const [contact] = [...sandbox.store.contacts.values()];
		expect(error).toMatchObject({
			message: `The contact ${contact.id} was saved, but its locale was not set`,
			description: expect.stringContaining('The service did not accept the data: unknown locale.'),
			httpCode: '422',
		});
	});
});
