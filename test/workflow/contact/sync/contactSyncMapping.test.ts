import type { IDataObject } from 'n8n-workflow';

import { detailsOf } from '../../../../tools/engine/runNode';
import { addContact, addContacts, useSandbox, writes } from '../../support';
import { actionsOf, automatic, mapped, runSync } from './syncNode';

const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';

async function bodyOf(item: IDataObject, parameters = automatic()) {
	const { error, hints } = await runSync(sandbox, [item], parameters);
	expect(error).toBeUndefined();
	const [{ body }] = writes(sandbox);
	return { body, hint: hints[0] };
}

async function problemOf(item: IDataObject, parameters = automatic()) {
	const { json } = await runSync(sandbox, [item], parameters, { onError: 'continueRegularOutput' });
	expect(actionsOf(json)).toEqual(['invalid']);
	expect(sandbox.requests).toEqual([]);
	return [json[0].error, detailsOf(json[0]).description];
}

describe('columns mapped by hand', () => {
	test('take values and expressions, per item', async () => {
		await runSync(
			sandbox,
			[
				{ tel: '+49 1512 3456789', first: 'Nathan', city: 'Köln' },
				{ tel: '+49 1512 3456780', first: 'Anna', city: '' },
			],
			mapped({
				phone: '={{ $json.tel }}',
				name: '={{ $json.first }} Smith',
				source: 'import',
				tags: 'a, b',
				'attributes.city': '={{ $json.city }}',
			}),
		);
		const same = { source: 'import', tags: ['a', 'b'] };
		expect(writes(sandbox).map(({ body }) => body)).toEqual([
			{ phone, name: 'Nathan Smith', attributes: { city: 'Köln' }, ...same },
			{ phone: '+4915123456780', name: 'Anna Smith', ...same },
		]);
	});

	test('keep the types of expressions', async () => {
		const attributes = {
			number: 1.5,
			no: false,
			zero: 0,
			list: [1, 'a'],
			object: { a: { b: 1 } },
			text: '007',
		};
		const columns = Object.keys(attributes).map((key) => [
			`attributes.${key}`,
			`={{ $json["${key}"] }}`,
		]);
		const { body } = await bodyOf(
			attributes,
			mapped({
				phone,
				...(Object.fromEntries(columns) as IDataObject),
				tags: '={{ ["a, b", "c"] }}',
				opt_in: '={{ false }}',
				name: '={{ 5 }}',
			}),
		);
		expect(body).toEqual({ phone, attributes, tags: ['a, b', 'c'], opt_in: false, name: '5' });
	});

	test('convert text to the type of the column', async () => {
		const { body } = await bodyOf(
			{},
			mapped(
				{
					phone,
					opt_in: ' Yes ',
					'attributes.number': ' -1.5',
					'attributes.switch': 'FALSE',
					'attributes.list': '[1, "a"]',
					'attributes.object': '{ "a": 1 }',
					'attributes.text': '1',
				},
				{},
				{
					'attributes.number': 'number',
					'attributes.switch': 'boolean',
					'attributes.list': 'array',
					'attributes.object': 'object',
					opt_in: 'string',
				},
			),
		);
		expect(body).toEqual({
			phone,
			opt_in: true,
			attributes: { number: -1.5, switch: false, list: [1, 'a'], object: { a: 1 }, text: '1' },
		});
	});

	test.each([
		[true, [true, 'TRUE', ' Yes ', '1', 1, 'ja', 'WAHR']],
		[false, [false, 'false', ' no ', '0', 0, 'nein', 'FAUX']],
	])('read as consent %j: %j', async (expected, texts) => {
		for (const value of texts) {
			const item = { phone, opt_in: value } as IDataObject;
			expect((await bodyOf(item)).body).toEqual({ phone, opt_in: expected });
			sandbox.reset();
		}
	});

	test.each<[string, string, string, string]>([
		...['twelve', '12345678901234567890', '1e400', '1e3', '007', '0x1F', '1,5', '+1', '.5'].map(
			(text): [string, string, string, string] => [
				'number',
				text,
				JSON.stringify(text),
				`a number in plain digits, such as ${{ '007': '7', '1,5': '1.5' }[text] ?? '12 or -1.5'}`,
			],
		),
		['array', 'a, b', '"a, b"', 'a JSON array'],
	])('refuse text that is no %s: %s', async (type, value, shown, expected) => {
		const parameters = mapped(
			{ phone, 'attributes.seats': '={{ $json.value }}' },
			{},
			{ 'attributes.seats': type },
		);
		expect(await problemOf({ value }, parameters)).toEqual([
			`'Attribute: seats' is ${shown}`,
			`It should be ${expected}. Check the field, or the expression in it.`,
		]);
	});

	test('refuse text that is not an object', async () => {
		const types = { 'attributes.seats': 'object' };
		const columns = { phone, 'attributes.seats': '={{ $json.value }}' };
		expect(await problemOf({ value: '[1]' }, mapped(columns, {}, types))).toEqual([
			"'Attribute: seats' is not a JSON object",
			expect.stringContaining('names and texts stand in double quotes'),
		]);
	});

	test.each([
		['name', { a: 1 }, '\'Name\' is {"a":1}'],
		['tags', { a: 1 }, "'Tags' holds a value that is not text"],
		['opt_in', [true, false], "'Opt In' is [true,false], which is neither yes nor no"],
		['opt_in', 'maybe', '\'Opt In\' is "maybe", which is neither yes nor no'],
		['opt_in', 2, "'Opt In' is 2, which is neither yes nor no"],
		['phone', { a: 1 }, '{"a":1} is not a phone number'],
	])('refuse for %s the value %j', async (id, value, message) => {
		const [error] = await problemOf({ value }, mapped({ phone, [id]: '={{ $json.value }}' }));
		expect(error).toBe(message);
	});

	test('refuse text that is neither yes nor no in a column of that type', async () => {
		const types = { 'attributes.seats': 'boolean' };
		const columns = { phone, 'attributes.seats': '={{ $json.value }}' };
		const [error] = await problemOf({ value: 'perhaps' }, mapped(columns, {}, types));
		expect(error).toBe('\'Attribute: seats\' is "perhaps", which is neither yes nor no');
	});

	test('refuse a number that would lose digits', async () => {
		const parameters = mapped({ phone }, { attributesJson: '{ "order": 12345678901234567890 }' });
		expect(await problemOf({}, parameters)).toEqual([
			"'Attributes (JSON)' holds 12345678901234567000, which cannot be sent as it is",
			expect.stringContaining('Put a number of many digits in quotes, so that it is text.'),
		]);
	});

	test('add attributes from the options, which win', async () => {
		const { body } = await bodyOf(
			{ plan: 'pro' },
			mapped(
				{ phone, 'attributes.a': '1', 'attributes.b': '1', 'attributes.c': '1' },
				{
					attributes: {
						values: [
							{ name: 'b', value: 2 },
							{ name: 'c', value: 2 },
							{ name: 'blank', value: '={{ "" }}' },
						],
					},
					attributesJson: '={{ { c: 3, plan: $json.plan, gone: null } }}',
				},
			),
		);
		expect(body).toEqual({ phone, attributes: { a: '1', b: 2, c: 3, plan: 'pro', gone: null } });
	});
});

describe('columns mapped automatically', () => {
	test('are found by ID and name, in any case, with blanks, dashes and underscores', async () => {
		const { body, hint } = await bodyOf({
			'WhatsApp Number': phone,
			'Full Name': 'Nathan',
			' source': 'a',
			optIn: 'true',
			'Consent-Proof': 'Form',
			TAGS: 'a,b',
		});
		expect(body).toEqual({
			phone,
			name: 'Nathan',
			source: 'a',
			opt_in: true,
			consent_proof: 'Form',
			tags: ['a', 'b'],
		});
		expect(hint).not.toContain('ignored');
	});

	const types = {
		'attributes.city': 'string',
		'attributes.seatCount': 'number',
		'attributes.Name': 'string',
	};

	test('take an object of attributes as it is, and single columns win', async () => {
		const { body } = await bodyOf(
			{
				phone,
				attributes: { city: 'Köln', seatCount: '3', no: null, deep: { a: '' } },
				city: 'Bonn',
			},
			automatic({}, types),
		);
		expect(body).toEqual({
			phone,
			attributes: { city: 'Bonn', seatCount: '3' },
		});
	});

	test.each([{ Attributes: { city: 'Köln' } }, { 'Attributes.city': 'Köln' }])(
		'recognize %j in any case',
		async (columns) => {
			const item = { phone, ...columns };
			const { body } = await bodyOf(item, automatic({ otherColumns: 'attributes' }));
			expect(body).toEqual({ phone, attributes: { city: 'Köln' } });
		},
	);

	test.each([
		['"vip","new, hot"', ['vip', 'new, hot']],
		['a\nb', ['a', 'b']],
		['a, undefined, [object Object]', ['a']],
	])('read the tags in %j', async (tags, expected) => {
		expect((await bodyOf({ phone, tags })).body).toEqual({ phone, tags: expected });
	});

	test.each(['1.23457E+11', '-1,5E+12'])('refuse an attribute that is %s', async (n) => {
		const [message, remedy] = await problemOf({ phone, 'attributes.n': n });
		expect(message).toBe(`'Attribute: n' is ${n}, a number that was rounded`);
		expect(remedy).toContain('Its last digits are lost.');
	});

	test.each(['1.5E+1', '2E+5', 'E+5'])('keep %s, which has lost nothing', async (n) => {
		const { body } = await bodyOf({ phone, 'attributes.n': n });
		expect(body).toEqual({ phone, attributes: { n } });
	});

	test('beside the attributes of the option for JSON, which count in each run', async () => {
		const contact = addContact(sandbox, { phone, attributes: { plan: 'a' } });
		const options = automatic({ attributesJson: '{"plan":"json"}' });
		for (const actions of [['updated'], ['unchanged'], ['unchanged']]) {
			const { json } = await runSync(sandbox, [{ phone, 'attributes.plan': 'x' }], options);
			expect([actionsOf(json), contact.attributes]).toEqual([actions, { plan: 'json' }]);
		}
	});

	test('refuse the columns of single tags beside Tags', async () => {
		const [message] = await problemOf({ 'tags.0': 'a', phone, Tags: 'x' });
		expect(message).toBe("The columns 'Tags' and 'tags.0' could both be 'Tags', and differ");
	});

	test.each([{}, { list: [1] }])(
		'keep an object whose names are numbers, beside %j',
		async (has) => {
			const contact = addContact(sandbox, { phone, attributes: { ...has } });
			const item = { phone, attributes: { map: { 0: 'a', 1: 'b' } } };
			await runSync(sandbox, [item], automatic());
			expect(contact.attributes).toEqual({ ...has, map: { 0: 'a', 1: 'b' } });
			const { json } = await runSync(sandbox, [item], automatic());
			expect(actionsOf(json)).toEqual(['unchanged']);
		},
	);

	test.each([
		['Opt Out', 'yes'],
		['unsubscribed', '2026-05-01'],
		['opted_out', true],
		['Do Not Contact', 'yes'],
		['Abgemeldet', 'ja'],
		['SMS Opt Out', 1],
		['Unsubscribed At', '2026-05-01'],
		['HasOptedOutOfEmail', true],
	])('refuse a yes beside %s: %j', async (name, value) => {
		for (const optIn of [
			'Opt In',
			'WhatsApp Opt In',
			'Accepts Messages',
			'Nachrichten erwünscht',
		]) {
			const [message] = await problemOf({ phone, [optIn]: 'yes', [name]: value });
			expect(message).toBe(`The columns '${optIn}' and "${name}" may contradict each other`);
		}
	});

	test.each(['no', 'Nein', false, 0, ''])(
		'of an opt-in with another name than Opt In are taken beside an opt-out that says %j',
		async (optOut) => {
			const item = { 'Accepts Messages': 'yes', 'SMS Opt In': 'yes', Abgemeldet: optOut };
			expect((await bodyOf({ phone, ...item })).body).toEqual({ phone, opt_in: true });
			sandbox.reset();
			const no = { 'WhatsApp Opt In': 'no', 'Unsubscribed At': '2026-05-01' };
			expect((await bodyOf({ phone, ...no })).body).toEqual({ phone, opt_in: false });
		},
	);

	test('refuse it also where Unsubscribed is an attribute of the contacts', async () => {
		const item = { phone, 'Opt In': 'yes', Unsubscribed: 'yes' };
		const known = automatic({}, { 'attributes.Unsubscribed': 'string' });
		expect((await problemOf(item, known))[0]).toContain('may contradict each other');
	});

	test.each([
		['yes', ''],
		['no', 'yes'],
	])('take Opt In: %s beside Opt Out: %j', async (optIn, optOut) => {
		const { body } = await bodyOf({ phone, 'Opt In': optIn, 'Opt Out': optOut });
		expect(body).toEqual({ phone, opt_in: optIn === 'yes' });
	});

	test('with the three phones of a CRM in one item are refused if they differ', async () => {
		const other = '+4915123456780';
		const [message] = await problemOf({
			'Phone Number': phone,
			'Mobile Phone Number': phone,
			'WhatsApp Phone Number': other,
		});
		expect(message).toContain("could both be 'Phone'");
	});

	test('with two possible phones in one item fail only that item', async () => {
		const items = [
			{ Mobile: phone, WhatsApp: '+4915123456780' },
			{ Mobile: phone, WhatsApp: '' },
		];
		addContact(sandbox, { phone: '+33612345678' });
		const { json } = await runSync(sandbox, items, automatic({ missing: 'output' }), {
			onError: 'continueRegularOutput',
		});
		// Nobody is missing, as the one that cannot be read could be anyone.
		expect(actionsOf(json)).toEqual(['invalid', 'created']);
	});

	test('that hold words other than yes and no are named by the error, whatever else is equal', async () => {
		const item = { phone, Language: 'S', Kunde: 'S', 'Opt-In': 'S' };
		const known = automatic({}, { 'attributes.Language': 'string' });
		expect((await problemOf(item, known))[1]).toContain('Correct the column "Opt-In" of the input');
		const boolean = automatic({}, { 'attributes.vip': 'boolean' });
		const other = { phone, a: 'S', Vip: 'S' };
		expect((await problemOf(other, boolean))[1]).toContain('Correct the column "Vip" of the input');
	});

	test('leave out other columns, and the summary names them', async () => {
		const { body, hint } = await bodyOf({ phone, Company: 'ACME', VIP: true, empty: '' });
		expect(body).toEqual({ phone });
		expect(hint).toMatch(/<br>Columns ignored: Company, VIP\. To use them/);
	});

	test.each([
		'id',
		'created',
		'created_at',
		'campaign',
		'sync',
		'opt_in_status',
		'last_inbound_at',
	])('treat a column called %s as one of the sheet, which may be an attribute', async (name) => {
		const item = { phone, [name]: 'x' };
		expect((await bodyOf(item)).hint).toContain(`Columns ignored: ${name}.`);
		sandbox.reset();
		const others = automatic({ otherColumns: 'attributes' });
		expect((await bodyOf(item, others)).body).toEqual({ phone, attributes: { [name]: 'x' } });
		sandbox.reset();
		const known = automatic({}, { [`attributes.${name}`]: 'string' });
		expect((await bodyOf(item, known)).body).toEqual({ phone, attributes: { [name]: 'x' } });
	});

	test('leave out the row number of Google Sheets, which is no column of the user', async () => {
		const item = { row_number: 17, phone, Company: 'ACME' };
		const others = automatic({ otherColumns: 'attributes' }, { 'attributes.row_number': 'number' });
		const { body, hint } = await bodyOf(item, others);
		expect(body).toEqual({ phone, attributes: { Company: 'ACME' } });
		expect(hint).not.toContain('ignored');
	});

	test.each(['__EMPTY', '__EMPTY_2', 'Unnamed: 0'])(
		'leave out %s, which stands for a heading that is missing, and the summary says so',
		async (name) => {
			const others = automatic({ otherColumns: 'attributes' });
			const { body, hint } = await bodyOf({ [name]: 'x', phone, Company: 'ACME' }, others);
			expect(body).toEqual({ phone, attributes: { Company: 'ACME' } });
			expect(hint).toContain(`Columns ignored: ${name}. To use them, rename them, or choose`);
		},
	);

	test('never change campaign marks, even of contacts that are fed back', async () => {
		const mark = 'sent:spring:0badcafe';
		const attributes = { [mark]: 'now execution 1' };
		const contact = addContact(sandbox, { phone, name: 'Old', attributes: { ...attributes } });
		const item = {
			phone,
			name: 'New',
			attributes: { [mark]: 'refused', plan: 'pro' },
			'attributes.sent:summer:1': 'x',
			'sent:autumn:1': 'x',
			campaign: { key: 'spring', status: 'sent' },
		};
		const other = automatic({ otherColumns: 'attributes' });
		const { hints } = await runSync(sandbox, [item], other);
		expect(hints.join()).not.toContain('saved as attributes');
		expect(contact).toMatchObject({ name: 'New', attributes: { ...attributes, plan: 'pro' } });
		expect(Object.keys(contact.attributes).sort()).toEqual(['plan', mark]);
	});

	test('save other columns as attributes if chosen', async () => {
		const { body, hint } = await bodyOf(
			{ phone, Company: 'ACME', VIP: true, orders: [{ id: 1 }], empty: '', ' ': 'x' },
			automatic({ otherColumns: 'attributes' }),
		);
		expect(body).toEqual({
			phone,
			attributes: { Company: 'ACME', VIP: true, orders: [{ id: 1 }] },
		});
		expect(hint).toContain('Columns ignored:');
		expect(hint).toContain('<br>Columns saved as attributes: Company, VIP, orders.<br>');
	});

	test('take the output of Get Many and of a sync without changing anything', async () => {
		addContacts(sandbox, 5, {
			locale: 'de',
			attributes: { plan: 'pro', seats: 3 },
			tags: ['vip'],
			opt_in_status: 'confirmed',
		});
		addContact(sandbox, { phone: '4915123456789' });
		const list = JSON.parse(JSON.stringify([...sandbox.store.contacts.values()])) as IDataObject[];
		const first = await runSync(sandbox, list, automatic({ otherColumns: 'attributes' }));
		expect(actionsOf(first.json)).toEqual(Array(6).fill('unchanged'));
		const fed = first.json.map((json) => ({ ...json, created: false }));
		const second = await runSync(sandbox, fed, automatic({ otherColumns: 'attributes' }));
		expect(second.json).toEqual(first.json);
		expect(second.hints[0]).not.toContain('ignored');
		expect(writes(sandbox)).toEqual([]);
	});
});
