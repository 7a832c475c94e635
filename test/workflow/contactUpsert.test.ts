import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from './runNode';
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

test('upsert creates a contact, and gives it with `created`', async () => {
	const { output } = await runNode(sandbox, { parameters: upsert('+49 1512 3456789') });
	const [contact] = [...sandbox.store.contacts.values()];
	expect(contact.phone).toBe('+4915123456789');
	expect(output).toEqual(paired([0, { ...contact, created: true }]));
	expect(sent(sandbox)).toEqual([
		{ request: 'POST /v1/contacts', body: { phone: '+4915123456789' } },
	]);
});

test('upsert updates the contact that has the phone', async () => {
	const contact = addContact(sandbox, { name: 'Nathan', attributes: { plan: 'free' } });
	const { json } = await runNode(sandbox, {
		parameters: upsert('+4915123456789', { name: 'Nathan Smith' }),
	});
	expect(json).toEqual([{ ...contact, name: 'Nathan Smith', created: false }]);
	expect(sandbox.store.contacts.size).toBe(1);
});

describe('phone', () => {
	test('of a number type is taken as its digits', async () => {
		const body = await bodyOf(upsert('={{ $json.phone }}'), { phone: 4915123456789 });
		expect(body).toEqual({ phone: '+4915123456789' });
	});

	test.each([
		['code', 'DE'],
		['name', ' germany '],
	])('is read in the default country, given by %s', async (_case, defaultCountry) => {
		const parameters = upsert('01512 3456789', { defaultCountry: '={{ $json.country }}' });
		expect(await bodyOf(parameters, { country: defaultCountry })).toEqual({
			phone: '+4915123456789',
			default_country: 'DE',
		});
	});

	test('in international format keeps its own country beside a default country', async () => {
		expect(await bodyOf(upsert('+1 212 456 7890', { defaultCountry: 'DE' }))).toEqual({
			phone: '+12124567890',
			default_country: 'DE',
		});
	});

	test.each([
		['an empty text', ''],
		['a blank', ' '],
		['null', null],
		['missing', undefined],
	])(
		'with its country code needs no default country: that of its item is %s',
		async (_, country) => {
			const parameters = upsert('+4915123456789', { defaultCountry: '={{ $json.country }}' });
			expect(await bodyOf(parameters, { country } as IDataObject)).toEqual({
				phone: '+4915123456789',
			});
		},
	);

	test('goes out as typed when normalising is off', async () => {
		for (const phone of ['+49 1512-3456789', '4915123456789']) {
			const body = await bodyOf(upsert(phone, {}, { normalizePhone: false }));
			expect(body).toEqual({ phone });
			sandbox.reset();
		}
	});
});

describe('attributes', () => {
	test('of rows are sent, the types that expressions give are kept', async () => {
		const body = await bodyOf(
			upsert('+4915123456789', {
				attributes: {
					values: [
						{ name: 'plan', value: 'pro' },
						{ name: ' seats ', value: '={{ $json.seats }}' },
						{ name: 'paid', value: '={{ false }}' },
						{ name: 'address', value: '={{ { city: "Köln" } }}' },
					],
				},
			}),
			{ seats: 3 },
		);
		expect(body).toEqual({
			phone: '+4915123456789',
			attributes: { plan: 'pro', seats: 3, paid: false, address: { city: 'Köln' } },
		});
	});

	test('in both forms are merged, and the value in the JSON is used', async () => {
		const body = await bodyOf(
			upsert('+4915123456789', {
				attributes: {
					values: [
						{ name: 'plan', value: 'free' },
						{ name: 'city', value: 'Köln' },
					],
				},
				attributesJson:
					'={{ { plan: "pro", seats: 3, left: null, order: { lines: [1, { a: "" }] } } }}',
			}),
		);
		expect(body).toEqual({
			phone: '+4915123456789',
			attributes: {
				plan: 'pro',
				city: 'Köln',
				seats: 3,
				left: null,
				order: { lines: [1, { a: '' }] },
			},
		});
	});
});

describe('fields', () => {
	test('given are all sent under the names of the API', async () => {
		const body = await bodyOf(
			upsert('+4915123456789', {
				name: 'Nathan Smith',
				source: 'web shop',
				consentProof: 'Checkbox at checkout',
				optIn: true,
				tags: 'vip, newsletter',
			}),
		);
		expect(body).toEqual({
			phone: '+4915123456789',
			name: 'Nathan Smith',
			source: 'web shop',
			consent_proof: 'Checkbox at checkout',
			opt_in: true,
			tags: ['vip', 'newsletter'],
		});
	});

	test('left blank are not sent, so that they erase nothing', async () => {
		addContact(sandbox, { name: 'Nathan', source: 'import' });
		const body = await bodyOf(
			upsert('+4915123456789', {
				name: '=',
				source: '',
				consentProof: '={{ $json.missing }}',
				tags: '={{ [] }}',
				locale: '',
				attributes: { values: [{ name: 'plan', value: '' }] },
				attributesJson: '{}',
			}),
		);
		expect(body).toEqual({ phone: '+4915123456789' });
	});

	test('whose expression gives an empty text are sent, to empty them', async () => {
		addContact(sandbox, { name: 'Nathan' });
		const { json } = await runNode(sandbox, {
			parameters: upsert('+4915123456789', {
				name: '={{ "" }}',
				attributes: { values: [{ name: 'plan', value: '={{ "" }}' }] },
			}),
		});
		expect(sandbox.requests[0].body).toEqual({
			phone: '+4915123456789',
			name: '',
			attributes: { plan: '' },
		});
		expect(json[0].name).toBe('');
	});
});

describe('consent', () => {
	test.each([
		['yes', true, 'confirmed'],
		['no', false, 'none'],
		[true, true, 'confirmed'],
		[false, false, 'none'],
		['={{ "TRUE" }}', true, 'confirmed'],
	])('given as %p is sent', async (optIn, sent, status) => {
		const { json } = await runNode(sandbox, { parameters: upsert('+4915123456789', { optIn }) });
		expect(sandbox.requests[0].body).toEqual({ phone: '+4915123456789', opt_in: sent });
		expect(json[0].opt_in_status).toBe(status);
	});

	test.each([
		['without the field', {}],
		['where nothing is chosen', { optIn: '' }],
		['by an expression without a value', { optIn: '={{ " " }}' }],
	])('%s is not sent, and leaves the state', async (_case, fields) => {
		addContact(sandbox, { opt_in_status: 'confirmed' });
		expect(await bodyOf(upsert('+4915123456789', fields))).toEqual({ phone: '+4915123456789' });
		expect(sandbox.store.findByPhone('+4915123456789')?.opt_in_status).toBe('confirmed');
	});

	test('that is neither yes nor no is refused before any request', async () => {
		const { error } = await runNode(sandbox, {
			parameters: upsert('+4915123456789', { optIn: '={{ $json.agreed }}' }),
			items: [{ agreed: 'perhaps' }],
		});
		expect(error).toMatchObject({
			message: '\'Opt In\' is "perhaps"',
			description: 'It should be yes or no. Check the field, or the expression in it.',
		});
		expect(sandbox.requests).toEqual([]);
	});
});

describe('tags', () => {
	test.each([
		['text', ' vip, ,newsletter,vip', ['vip', 'newsletter']],
		['an array by expression', '={{ ["a, b", "c"] }}', ['a, b', 'c']],
	])('as %s are sent as names', async (_case, tags, expected) => {
		expect(await bodyOf(upsert('+4915123456789', { tags }))).toEqual({
			phone: '+4915123456789',
			tags: expected,
		});
	});

	test('that exist and are chosen from the list go along with those that are typed', async () => {
		const parameters = upsert('+4915123456789', { knownTags: ['vip', 'b'], tags: 'new, vip' });
		expect(await bodyOf(parameters)).toMatchObject({ tags: ['vip', 'b', 'new'] });
	});
});

describe('locale', () => {
	test('takes a second request, because the first knows none; the output has both', async () => {
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

	test('takes no second request when the contact has it already', async () => {
		addContact(sandbox, { locale: 'de' });
		const body = await bodyOf(upsert('+4915123456789', { locale: 'de' }));
		expect(body).toEqual({ phone: '+4915123456789' });
	});

	test('that alone failed is told, with the contact that was saved', async () => {
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
			description: expect.stringContaining('The service says: "unknown locale" (HTTP 422)'),
			httpCode: '422',
		});
	});
});

test('attributes whose names were chosen from the list, typed, or given by an expression', async () => {
	const values = [
		{ name: chosen('list', 'plan'), value: 'pro' },
		{ name: chosen('id', '={{ $json.key }}'), value: '={{ $json.score }}' },
		{ name: 'city', value: 'Berlin' },
		{ name: chosen('list', ''), value: 'nothing' },
	];
	await runNode(sandbox, {
		parameters: upsert('+4915123456789', { attributes: { values } } as never),
		items: [{ key: 'score', score: 3 }],
	});
	expect(sent(sandbox)[0].body).toMatchObject({
		attributes: { plan: 'pro', score: 3, city: 'Berlin' },
	});
});
