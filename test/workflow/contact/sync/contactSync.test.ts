import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../../tools/sandbox';
import type { ListEnvelope } from '../../../../tools/sandbox/records';
import { detailsOf } from '../../../../tools/engine/runNode';
import { addContact, addContacts, useSandbox, writes } from '../../support';
import { actionsOf, automatic, itemOf, mapped, runSync, syncsOf, withBriefSync } from './syncNode';

const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const find = (number: string) => sandbox.store.findByPhone(number);

/** Enough contacts, with items that change nothing, so that the sync reads the CRM. */
let others: Contact[];
let otherItems: IDataObject[];
beforeEach(() => {
	others = addContacts(sandbox, 3);
	otherItems = others.map(itemOf);
});

/** Syncs one item among unchanged others. Returns its output and the requests that changed something. */
async function syncKnown(item: IDataObject, options: IDataObject = {}) {
	const { json, error } = await runSync(sandbox, [item, ...otherItems], automatic(options));
	expect(error).toBeUndefined();
	expect(actionsOf(json).slice(1)).toEqual(['unchanged', 'unchanged', 'unchanged']);
	return { json: json[0], sync: syncsOf(json)[0], writes: writes(sandbox) };
}

const allFields = {
	phone: '+49 1512 3456789',
	name: 'Nathan',
	locale: 'de',
	source: 'import',
	attributes: { plan: 'pro' },
	tags: ['vip'],
	opt_in: true,
	consent_proof: 'Form',
};

describe('a new contact', () => {
	test('is created with all fields, and its locale by a second request', async () => {
		const { json, writes } = await syncKnown(allFields);
		const contact = find(phone);
		expect(writes).toEqual([
			{
				request: 'POST /v1/contacts',
				body: {
					phone,
					name: 'Nathan',
					source: 'import',
					attributes: { plan: 'pro' },
					tags: ['vip'],
					opt_in: true,
					consent_proof: 'Form',
				},
			},
			{ request: `PATCH /v1/contacts/${contact?.id}`, body: { locale: 'de' } },
		]);
		expect(withBriefSync([json])[0]).toEqual({
			...contact,
			sync: {
				action: 'created',
				changedFields: [
					'name',
					'locale',
					'source',
					'attributes.plan',
					'tags',
					'opt_in',
					'consent_proof',
				],
			},
		});
		expect(contact).toMatchObject({ name: 'Nathan', locale: 'de', opt_in_status: 'confirmed' });
	});
});

describe('a known contact', () => {
	const refusal = { opt_in: false, consent_proof: 'Call' };
	const notTaken = {
		action: 'noNotTaken',
		changedFields: ['consent_proof'],
		note: 'The contact said No and is still confirmed: campaigns reach them.',
	};
	const known = {
		phone,
		name: 'Nathan',
		locale: 'de',
		source: 'import',
		attributes: { plan: 'pro', seats: 3, address: { city: 'Köln', lines: [1, { a: 2 }] } },
		tags: ['vip', 'old'],
		opt_in_status: 'confirmed',
	} as const;
	let contact: Contact;
	beforeEach(() => {
		contact = addContact(sandbox, structuredClone(known) as unknown as Contact);
	});

	test.each<[string, IDataObject, Array<['PATCH' | 'POST' | 'POST tags', IDataObject]>, string[]?]>(
		[
			['its name', { name: 'Nate' }, [['PATCH', { name: 'Nate' }]]],
			[
				'its attributes',
				{ attributes: { plan: 'free', seats: 3, city: 'Bonn' } },
				[['PATCH', { attributes: { plan: 'free', city: 'Bonn' } }]],
				['attributes.plan', 'attributes.city'],
			],
			[
				'several fields',
				{ name: 'Nate', locale: 'en', source: 'import', tags: ['vip'] },
				[['PATCH', { name: 'Nate', locale: 'en' }]],
				['name', 'locale'],
			],
			['its tags', { tags: ['new', 'vip'] }, [['POST tags', { name: 'new' }]]],
			['its consent, with the proof', refusal, [['POST', { phone, ...refusal }]]],
			[
				'a field, with a proof',
				{ name: 'Nate', consent_proof: 'Call' },
				[['POST', { phone, name: 'Nate', consent_proof: 'Call' }]],
			],
			[
				'its locale and its tags',
				{ locale: 'en', tags: ['new'] },
				[
					['POST tags', { name: 'new' }],
					['PATCH', { locale: 'en' }],
				],
			],
			[
				'its name, not a consent it gave before',
				{ name: 'Nate', opt_in: true, consent_proof: 'Form' },
				[['PATCH', { name: 'Nate' }]],
				['name'],
			],
		],
	)(
		'gets only what differs: %s',
		async (_case, fields, requests, changedFields = Object.keys(fields)) => {
			const { json, writes } = await syncKnown({ phone, ...fields });
			const requestOf: Record<string, string> = {
				POST: 'POST /v1/contacts',
				PATCH: `PATCH /v1/contacts/${contact.id}`,
				'POST tags': `POST /v1/contacts/${contact.id}/tags`,
			};
			expect(writes).toEqual(
				requests.map(([method, body]) => ({ request: requestOf[method], body })),
			);
			expect(withBriefSync([json])[0]).toEqual({
				...find(phone),
				sync: fields === refusal ? notTaken : { action: 'updated', changedFields },
			});
			expect(contact.attributes).toEqual({ ...known.attributes, ...(fields.attributes as object) });
		},
	);

	test('is found by its digits, and keeps its phone', async () => {
		const plain = addContact(sandbox, { phone: '491701234567', name: 'Anna' });
		const first = await syncKnown({ phone: '+49 170 1234567', name: 'Anna' });
		expect(first.sync.action).toBe('unchanged');
		const { writes } = await syncKnown({ phone: '+49 170 1234567', tags: ['new'] });
		expect(writes).toEqual([
			{ request: `POST /v1/contacts/${plain.id}/tags`, body: { name: 'new' } },
		]);
		expect(plain.tags).toEqual(['new']);
	});

	test('keeps what somebody else changes during the sync', async () => {
		sandbox.fail({
			match: { method: 'GET' },
			kind: {
				page: (envelope) => {
					Object.assign(contact, { source: 'phone call', attributes: { seats: 9 } });
					return envelope;
				},
			},
		});
		await syncKnown({ phone, name: 'Nate', source: 'import', attributes: { seats: 3 } });
		expect(contact).toMatchObject({ name: 'Nate', source: 'phone call', attributes: { seats: 9 } });
	});
});

test('blank values erase nothing', async () => {
	const contact = addContact(sandbox, {
		phone,
		name: 'Nathan',
		locale: 'de',
		source: 'import',
		attributes: { plan: 'pro' },
		tags: ['vip'],
		opt_in_status: 'confirmed',
	});
	const before = structuredClone(contact);
	for (const blank of ['', '  ', null, undefined]) {
		const values = {
			phone,
			name: blank,
			locale: blank,
			source: blank,
			tags: blank,
			opt_in: blank,
			consent_proof: blank,
			'attributes.plan': blank,
		} as IDataObject;
		const expressions = Object.keys(values).map((id) => [id, `={{ $json["${id}"] }}`]);
		const parameters = mapped(Object.fromEntries(expressions) as IDataObject, {
			tagMode: 'match',
			attributes: { values: [{ name: 'plan', value: blank }] },
		});
		const { json } = await runSync(sandbox, [values, ...otherItems], parameters);
		expect(actionsOf(json)[0]).toBe('unchanged');
	}
	expect(contact).toEqual(before);
	expect(writes(sandbox)).toEqual([]);
});

describe('few items', () => {
	test('the output starts with the result, the name and the phone', async () => {
		for (const options of [{ dryRun: true }, {}]) {
			const { json } = await runSync(sandbox, [{ phone, name: 'Nathan' }], automatic(options));
			expect(Object.keys(json[0]).slice(0, 3)).toEqual(['sync', 'name', 'phone']);
			expect(json[0].sync).toMatchObject({ action: options.dryRun ? 'wouldCreate' : 'created' });
		}
	});

	test('no items make no request', async () => {
		const { output, error } = await runSync(sandbox, []);
		expect([output, error]).toEqual([[], undefined]);
		expect(sandbox.requests).toEqual([]);
	});
});

describe('items of the same contact', () => {
	test('are merged: the last value wins, attributes one by one, and tags add up', async () => {
		const { output } = await runSync(sandbox, [
			{ phone, name: 'Nathan', source: 'a', attributes: { plan: 'free', seats: 1 }, tags: 'a,b' },
			{ phone: '+4915123456780' },
			{ phone: '+49 (0)1512-3456789', name: '', attributes: { seats: 2 }, tags: 'b,c' },
			{ phone: phone.slice(1), source: 'c' },
		]);
		const bodies = writes(sandbox).map(({ request, body }) => [request, body]);
		expect(new Set(bodies)).toEqual(
			new Set([
				[
					'POST /v1/contacts',
					{
						phone,
						name: 'Nathan',
						source: 'c',
						attributes: { plan: 'free', seats: 2 },
						tags: ['a', 'b', 'c'],
					},
				],
				['POST /v1/contacts', { phone: '+4915123456780' }],
			]),
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		const [first, second, third, fourth] = output.map(({ json }) => json);
		for (const each of [first, third, fourth]) {
			expect(each).toMatchObject({ ...find(phone), sync: { action: 'created' } });
		}
		expect(second.id).not.toBe(first.id);
	});

	const yes = { opt_in: true, consent_proof: 'a' };
	test.each<[string, IDataObject, IDataObject, IDataObject]>([
		['of the later one', yes, { opt_in: true, consent_proof: 'b' }, { ...yes, consent_proof: 'b' }],
		['of the same consent', yes, { opt_in: true }, yes],
		['of the first, where the later one says nothing', yes, {}, yes],
		[
			'of the first, for what only the later one says',
			{ consent_proof: 'a' },
			{ opt_in: true },
			yes,
		],
	])('keep the proof %s', async (_case, first, later, expected) => {
		const rows = [first, later].map((row) => ({ phone, ...row }));
		await runSync(sandbox, [...rows, ...otherItems]);
		expect(writes(sandbox)).toEqual([
			{ request: 'POST /v1/contacts', body: { phone, ...expected } },
		]);
	});
});

describe('a contact that opted out', () => {
	const note = 'The contact has opted out and was not opted in again.';
	let contact: Contact;
	beforeEach(() => {
		contact = addContact(sandbox, { phone, name: 'Nathan', opt_in_status: 'opted_out' });
	});
	const optIn = { phone, opt_in: true, consent_proof: 'Form' };

	test('gets its other fields, but no consent and no proof', async () => {
		const { sync, writes } = await syncKnown({ ...optIn, name: 'Nate', tags: ['vip'] });
		expect(writes).toEqual([
			{ request: `POST /v1/contacts/${contact.id}/tags`, body: { name: 'vip' } },
			{ request: `PATCH /v1/contacts/${contact.id}`, body: { name: 'Nate' } },
		]);
		expect(sync).toEqual({ action: 'updated', changedFields: ['name', 'tags'], note });
		expect(contact.opt_in_status).toBe('opted_out');
	});
});

describe('a number with a plus that the library does not know', () => {
	const typed = '+49 199 123456';
	const phone = '+49199123456';
	beforeEach(() => sandbox.store.rules.newNumbers.set(phone, phone));

	test('is sent, and opted in only once the contact is identified', async () => {
		const contact = addContact(sandbox, { phone: '+4915123456789', opt_in_status: 'opted_out' });
		// The service has the contact under another form of its number.
		sandbox.store.rules.newNumbers.set(phone, contact.phone);
		const item = { phone: typed, name: 'Nathan', opt_in: true, consent_proof: 'Form' };
		const barred = await syncKnown(item);
		expect(barred.writes).toEqual([
			{ request: 'POST /v1/contacts', body: { phone, name: 'Nathan' } },
		]);
		expect(barred.json).toMatchObject({ name: 'Nathan', opt_in_status: 'opted_out' });
		expect(barred.sync).toEqual({ action: 'saved', note: expect.any(String) });

		contact.opt_in_status = 'none';
		const { json, sync, writes } = await syncKnown(item);
		expect(writes.slice(1)).toEqual([
			{ request: 'POST /v1/contacts', body: { phone, name: 'Nathan' } },
			{
				request: 'POST /v1/contacts',
				body: { phone: contact.phone, opt_in: true, consent_proof: 'Form' },
			},
		]);
		expect(json).toMatchObject({ opt_in_status: 'confirmed' });
		const note = 'The CRM stores phone differently, so each run sends it again.';
		expect(sync).toEqual({ action: 'saved', note });
	});
});

test('numbers that may have lost their plus are errors, and no stranger is opted in', async () => {
	const optedOut = addContact(sandbox, { phone: '+41791234567', opt_in_status: 'opted_out' });
	const { json } = await runSync(
		sandbox,
		['41791234567', 31612345678, '0171 1234567'].map((phone) => ({ phone, opt_in: true })),
		automatic({ defaultCountry: 'Germany' }),
		{ onError: 'continueRegularOutput' },
	);
	expect(json.map(({ error }) => error)).toEqual([
		expect.stringContaining('can be read as +4941791234567 and as +41791234567'),
		expect.stringContaining('is not valid for Germany, but +31612345678 is valid'),
		undefined,
	]);
	expect(writes(sandbox).map(({ body }) => body)).toEqual([
		{ phone: '+491711234567', opt_in: true },
	]);
	expect(optedOut.opt_in_status).toBe('opted_out');
});

test('the summary counts numbers without a plus that could belong to another country', async () => {
	const { hints } = await runSync(
		sandbox,
		['15123456789', '15212345678', '015123456780', '+4915123456781'].map((phone) => ({ phone })),
		automatic({ defaultCountry: 'DE' }),
	);
	expect(hints.join(' ')).toContain(
		'2 phone numbers without a plus could also be of another country, such as "15123456789" (item 1): it is read as +4915123456789, but may be +15123456789.',
	);
});

test('a number without its country leads to Default Country', async () => {
	const { json } = await runSync(sandbox, [{ Celular: '11 91234-5678' }], automatic(), {
		onError: 'continueRegularOutput',
	});
	expect(json[0].error).toBe('The phone number "11 91234-5678" has no country code');
	expect(detailsOf(json[0]).description).toBe(
		"Set 'Default Country' under 'Options' to the country of numbers like this one, or to International if all numbers start with their country code.",
	);
});

test('a national number is read in the Default Country of its item', async () => {
	const { json } = await runSync(
		sandbox,
		[
			{ phone: '01512 3456789', country: 'DE' },
			{ phone: '(212) 456-7890', country: 'United States' },
			{ phone: '+33612345678', country: 'Atlantis' },
			{ phone: '+34612345678', country: '' },
			{ phone: '+351912345678' },
		],
		automatic({ defaultCountry: '={{ $json.country }}' }),
		{ onError: 'continueRegularOutput' },
	);
	const numbers = [phone, '+12124567890', '+34612345678', '+351912345678'];
	expect(writes(sandbox).map(({ body }) => body)).toEqual(numbers.map((phone) => ({ phone })));
	expect(json[2]).toMatchObject({
		sync: { action: 'invalid' },
		error: '\'Default Country\' is "Atlantis", which is not a country [item 3, +33612345678]',
	});
});

describe('tags', () => {
	let contact: Contact;
	beforeEach(() => {
		contact = addContact(sandbox, { phone, name: 'Nathan', tags: ['vip', 'import:a', 'import:b'] });
	});
	const remove = (tag: string) => ({
		request: `DELETE /v1/contacts/${contact.id}/tags/${encodeURIComponent(tag)}`,
	});

	test('that the item lacks are removed in Match mode', async () => {
		const { json, writes } = await syncKnown(
			{ phone, name: 'Nate', tags: ['vip', 'new'] },
			{ tagMode: 'match' },
		);
		expect(writes).toEqual([
			{ request: `POST /v1/contacts/${contact.id}/tags`, body: { name: 'new' } },
			{ request: `PATCH /v1/contacts/${contact.id}`, body: { name: 'Nate' } },
			remove('import:a'),
			remove('import:b'),
		]);
		expect(contact.tags).toEqual(['vip', 'new']);
		expect(withBriefSync([json])[0]).toEqual({
			...contact,
			sync: { action: 'updated', changedFields: ['name', 'tags'] },
		});
	});

	test('are compared exactly, so contacts that are fed back keep theirs', async () => {
		contact.tags = ['vip ', ' Älter', 'a, b'];
		const { sync } = await syncKnown(itemOf(contact), { tagMode: 'match' });
		expect(sync.action).toBe('unchanged');
		expect(writes(sandbox)).toEqual([]);
	});

	test('are removed only if they start with the prefix', async () => {
		const { json, writes } = await syncKnown(
			{ phone, tags: 'import:b' },
			{ tagMode: 'match', tagPrefix: 'import:' },
		);
		expect(writes).toEqual([remove('import:a')]);
		expect(json).toMatchObject({
			tags: ['vip', 'import:b'],
			sync: { action: 'updated', changedFields: ['tags'] },
		});
	});

	test.each([
		['A ', ['A list', 'A\u00a0team']],
		['A\u200b\u00a0', ['A list', 'A\u00a0team']],
		['A\u0308r', ['Ärger']],
		['Anna\u2010', ['Anna-Club']],
	])('the prefix %j counts with its blanks, as people see it', async (tagPrefix, removed) => {
		contact.tags = ['A list', 'A\u00a0team', 'Abo', 'Anna-Club', 'A', 'Ärger'];
		const options = { tagMode: 'match', tagPrefix };
		const { writes } = await syncKnown({ phone, tags: 'Abo' }, options);
		expect(writes).toEqual(removed.map(remove));
	});

	test.each([' ', '\u00a0\u200b'])(
		'a prefix of blanks (%j) is refused: it would fit all',
		async (tagPrefix) => {
			const options = automatic({ tagMode: 'match', tagPrefix });
			const { error } = await runSync(sandbox, [{ phone, tags: 'vip' }], options);
			expect(error?.message).toContain("'Tag Prefix' is empty");
			expect(writes(sandbox)).toEqual([]);
		},
	);

	test('a prefix that lacks a part is refused: it would fit others', async () => {
		const options = automatic({ tagMode: 'match', tagPrefix: '=import-{{ $json.list }}' });
		const { error } = await runSync(sandbox, [{ phone, tags: 'vip' }], options);
		expect(error?.message).toContain("'Tag Prefix'");
		expect(error?.message).toContain('has no value');
		expect(writes(sandbox)).toEqual([]);
	});

	test.each([[{}], [{ tags: '' }], [{ tags: [] }], [{ tags: ' , ' }]])(
		'stay if the item has none: %j',
		async (fields) => {
			expect((await syncKnown({ phone, ...fields }, { tagMode: 'match' })).writes).toEqual([]);
		},
	);

	test('are removed even if nothing was read before', async () => {
		const page = (envelope: object) => ({ ...envelope, data: [], total: 20_000 });
		sandbox.fail({ match: { method: 'GET' }, kind: { page } });
		const others = Array.from({ length: 100 }, (_, index) => ({
			phone: `+1312555${1_000 + index}`,
		}));
		const { json } = await runSync(
			sandbox,
			[{ phone, tags: 'vip' }, ...others],
			automatic({ tagMode: 'match', tagPrefix: 'import:' }),
		);
		const isOther = ({ body }: { body?: unknown }) => Object.keys(body ?? {}).join() === 'phone';
		expect(writes(sandbox).filter((write) => !isOther(write))).toEqual([
			{ request: 'POST /v1/contacts', body: { phone, tags: ['vip'] } },
			remove('import:a'),
			remove('import:b'),
		]);
		expect(json[0]).toMatchObject({ tags: ['vip'] });
		expect(syncsOf(json)[0]).toEqual({ action: 'saved' });
	});

	test('that are already gone count as removed', async () => {
		sandbox.fail({ match: { method: 'DELETE' }, kind: { status: 404 } });
		const { sync } = await syncKnown({ phone, tags: 'vip' }, { tagMode: 'match' });
		expect(sync.action).toBe('updated');
	});

	test('that cannot be removed fail the contact, and the error names them', async () => {
		sandbox.fail({ match: { method: 'DELETE' }, skip: 1, kind: { status: 422, detail: 'locked' } });
		const { failed } = await runSync(
			sandbox,
			[{ phone, tags: 'vip' }, ...otherItems],
			automatic({ tagMode: 'match' }),
			{ onError: 'continueErrorOutput' },
		);
		expect(failed).toMatchObject([
			{
				phone,
				sync: { action: 'failed' },
				error: `Only a part of the contact was saved [item 1, ${phone}]`,
				errorDetails: {
					description: expect.stringContaining("This was for the tag 'import:b'."),
				},
			},
		]);
	});
});

describe("with 'Only Update'", () => {
	const newPhone = '+4915123456780';
	const continues = { onError: 'continueRegularOutput' } as const;
	const note = "The CRM does not have this contact, and 'Only Update' is on.";
	/** The first answer reports more contacts than a test could add in time. */
	const pretendTotal = () => {
		const page = (envelope: ListEnvelope) => ({ ...envelope, total: 200_000 });
		sandbox.fail({ match: { method: 'GET' }, kind: { page } });
	};

	test.each([{}, { dryRun: true }])(
		'a contact that the CRM does not have is skipped, and said: %j',
		async (options) => {
			const items = [
				{ phone: others[0].phone, name: 'New' },
				{ phone: newPhone, name: 'Eva', tags: 'new', opt_in: 'yes' },
				{ phone: newPhone, locale: 'de', opt_in: 'yes' },
			];
			const parameters = automatic({ onlyUpdate: true, ...options });
			const { json, hints } = await runSync(sandbox, items, parameters);
			const first = options.dryRun ? 'wouldUpdate' : 'updated';
			expect(actionsOf(json)).toEqual([first, 'notInCrm', 'notInCrm']);
			expect(json[1]).toMatchObject({ name: 'Eva', phone: newPhone, sync: { note } });
			expect(hints[0]).toContain('2 skipped (not in the CRM)');
			expect(hints[0]).not.toMatch(/merged|Tags that would be created|'Opt In'/);
			expect(sandbox.store.contacts.size).toBe(3);
			expect(writes(sandbox)).toHaveLength(options.dryRun ? 0 : 1);
		},
	);

	test('all are looked up, however many contacts the CRM has', async () => {
		const items = Array.from({ length: 105 }, (_, index) => ({
			phone: `+1312555${1_000 + index}`,
			name: 'Eva',
		}));
		const contact = addContact(sandbox, { phone: items[7].phone });
		pretendTotal();
		const { json } = await runSync(sandbox, items, automatic({ onlyUpdate: true }));
		expect(actionsOf(json).filter((action) => action === 'notInCrm')).toHaveLength(104);
		expect(actionsOf(json)[7]).toBe('updated');
		expect([contact.name, sandbox.store.contacts.size]).toEqual(['Eva', 4]);
	});

	test('a failed look-up fails its item, and creates nobody', async () => {
		pretendTotal();
		sandbox.fail({ match: { method: 'GET' }, skip: 1, kind: { status: 422 } });
		const items = [{ phone: newPhone, name: 'Eva' }, ...otherItems];
		const { json } = await runSync(sandbox, items, automatic({ onlyUpdate: true }), continues);
		expect(actionsOf(json)).toContain('failed');
		expect(sandbox.store.contacts.size).toBe(3);
	});

	test('a contact that is deleted meanwhile is not created again', async () => {
		const kind = { meanwhile: () => sandbox.store.eraseContact(others[0]) };
		sandbox.fail({ match: { method: 'GET' }, kind });
		const items = [{ phone: others[0].phone, name: 'New', opt_in: 'no' }, ...otherItems.slice(1)];
		const { json } = await runSync(sandbox, items, automatic({ onlyUpdate: true }), continues);
		expect(actionsOf(json)).toEqual(['failed', 'unchanged', 'unchanged']);
		expect(sandbox.store.contacts.size).toBe(2);
	});

	test('no contact is listed as missing if a number that is not valid is not in the CRM', async () => {
		const items = [{ phone: '+49199123456', name: 'Eva' }, ...otherItems.slice(1)];
		const parameters = automatic({ onlyUpdate: true, missing: 'output' });
		const { json, hints } = await runSync(sandbox, items, parameters);
		expect(actionsOf(json)).toEqual(['notInCrm', 'unchanged', 'unchanged']);
		expect(hints[0]).toContain('1 contact not listed as missing');
	});

	test('an opt-out that a contact with a national number may mean is not skipped', async () => {
		const { id } = addContact(sandbox, { phone: '0151 23456789' });
		const items = [{ phone, opt_in: 'no' }, ...otherItems];
		const { json } = await runSync(sandbox, items, automatic({ onlyUpdate: true }), continues);
		expect(actionsOf(json)[0]).toBe('invalid');
		expect(json[0].error).toContain(id);
	});
});
