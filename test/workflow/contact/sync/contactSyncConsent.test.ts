import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../../tools/sandbox';
import type { ListEnvelope } from '../../../../tools/sandbox/records';
import { detailsOf } from '../../../../tools/engine/runNode';
import { addContact, addContacts, sentLines, useSandbox, writes } from '../../support';
import { actionsOf, automatic, itemOf, mapped, runSync, syncsOf } from './syncNode';

/** Which contacts a sync sends consent for: services keep some numbers in a form of their own. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const continues = { onError: 'continueRegularOutput' } as const;
const note = 'The contact has opted out and was not opted in again.';

/** Each subscriber by the two forms of the number, as WhatsApp accounts have them. */
const SUBSCRIBERS = [
	['+5511987654321', '+551187654321'],
	['+5521998765432', '+552198765432'],
];

/** Makes the service store a subscriber in one form, whichever form is sent. */
function fold(forms: string[], stored: string) {
	for (const form of forms) sandbox.store.rules.newNumbers.set(form, stored);
}

describe.each([
	['where all contacts are read', 0],
	['where they are looked up', 300],
])('a contact stored under another form of its number, %s', (_case, more) => {
	const [long, short] = SUBSCRIBERS[0];
	beforeEach(() => {
		addContacts(sandbox, more);
		fold([long, short], short);
	});

	test('is not opted in if it has opted out, and gets its other fields', async () => {
		const contact = addContact(sandbox, { phone: short, opt_in_status: 'opted_out' });
		const { json } = await runSync(sandbox, [
			{ phone: long, name: 'Ana', opt_in: true, consent_proof: 'Form' },
		]);
		expect(contact).toMatchObject({ name: 'Ana', opt_in_status: 'opted_out' });
		expect(syncsOf(json)[0]).toEqual({ action: 'updated', changedFields: ['name'], note });
		expect(sandbox.store.contacts.size).toBe(more + 1);
	});

	test('is opted in by a separate request, after an answer has shown it', async () => {
		const { id } = addContact(sandbox, { phone: short, opt_in_status: 'none' });
		await runSync(sandbox, [{ phone: long, name: 'Ana', tags: 'vip', opt_in: true }]);
		expect(writes(sandbox)).toEqual([
			{ request: `POST /v1/contacts/${id}/tags`, body: { name: 'vip' } },
			{ request: `PATCH /v1/contacts/${id}`, body: { name: 'Ana' } },
			{ request: 'POST /v1/contacts', body: { phone: short, opt_in: true } },
		]);
	});
});

test('two contacts with one number are an error that names both, even if a list shows only one', async () => {
	const [one, other] = ['+4915123456789', '4915123456789'].map((phone) =>
		addContact(sandbox, { phone, opt_in_status: 'none' }),
	);
	addContacts(sandbox, 300);
	other.opt_in_status = 'opted_out';
	// The look-up finds one of them.
	const isOut = (contact: unknown) => (contact as Contact).opt_in_status === 'opted_out';
	const page = (envelope: ListEnvelope) => {
		const isSearch = envelope.total < 10 && !envelope.data.every(isOut);
		const data = envelope.data.filter((each) => (each as Contact).id === one.id);
		return isSearch ? { ...envelope, data, total: data.length } : envelope;
	};
	sandbox.fail({ match: { method: 'GET' }, times: 20, kind: { page } });
	const { json } = await runSync(
		sandbox,
		[{ phone: one.phone, name: 'Ana', opt_in: true, consent_proof: 'Form' }],
		automatic(),
		continues,
	);
	expect(json[0].error).toMatch(`2 contacts have the phone number ${one.phone}`);
	for (const { id } of [one, other]) expect(detailsOf(json[0]).description).toContain(id);
	expect(writes(sandbox)).toEqual([]);
});

test.each([
	['automatically', automatic()],
	[
		'by hand',
		mapped({ phone: '={{ $json.phone }}', id: '={{ $json["Contact ID"] }}', name: 'New' }),
	],
])('the error of two contacts with one number is followed, mapped %s', async (_how, parameters) => {
	const [one, other] = ['+4915123456789', '4915123456789'].map((phone) =>
		addContact(sandbox, { phone, name: 'Ana' }),
	);
	const failed = await runSync(sandbox, [{ phone: one.phone, name: 'New' }], parameters, continues);
	expect(detailsOf(failed.json[0]).description).toContain(
		"Delete all but one of them, or leave the phone number of this item blank and give the ID of the right one in 'Contact ID'.",
	);
	await runSync(sandbox, [{ phone: '', 'Contact ID': one.id, name: 'New' }], parameters);
	expect([one.name, other.name]).toEqual(['New', 'Ana']);
	sandbox.store.eraseContact(one);
	await runSync(sandbox, [{ phone: one.phone, name: 'New' }], parameters);
	expect(other.name).toBe('New');
});

describe.each([
	['where all contacts are read', 0],
	['where they are looked up', 300],
])('two contacts with two forms of one number, %s', (_case, more) => {
	const forms = SUBSCRIBERS[0];
	let contacts: Contact[];
	beforeEach(() => {
		addContacts(sandbox, more);
		const states = ['opted_out', 'none'] as const;
		contacts = forms.map((phone, index) =>
			addContact(sandbox, { phone, name: 'Ana', opt_in_status: states[index] }),
		);
	});

	test.each([
		['the opted-out one by its phone', () => ({ phone: forms[0] })],
		['the other one by its phone', () => ({ phone: forms[1] })],
	])('are an error that names both, for a row with %s', async (_row, row) => {
		const item = { ...row(), name: 'New', opt_in: true, consent_proof: 'Form' };
		const { json } = await runSync(sandbox, [item], automatic(), continues);
		expect(json[0].error).toMatch('2 contacts have the phone number');
		for (const { id } of contacts) expect(detailsOf(json[0]).description).toContain(id);
		expect(contacts.map((each) => each.opt_in_status)).toEqual(['opted_out', 'none']);
		expect(writes(sandbox)).toEqual([]);
	});
});

test('a contact named by ID is not opted in if the last answer shows it opted out', async () => {
	const contact = addContact(sandbox, { phone: '+4915123456789', opt_in_status: 'none' });
	// After all contacts were read, and before the answer to the change.
	sandbox.fail({
		match: { method: 'GET' },
		kind: { meanwhile: () => (contact.opt_in_status = 'opted_out') },
	});
	const item = { id: contact.id, name: 'Ana', opt_in: true, consent_proof: 'Form' };
	const { json } = await runSync(sandbox, [item]);
	expect(contact).toMatchObject({ name: 'Ana', opt_in_status: 'opted_out' });
	expect(sentLines(sandbox)).not.toContain('POST /v1/contacts');
	expect(syncsOf(json)[0]).toMatchObject({ changedFields: ['name'], note });
});

test('a contact on two pages, opted out on the later one, is not opted in', async () => {
	const [contact, other] = addContacts(sandbox, 150, { opt_in_status: 'none' });
	// The list of opted-out contacts does not show it, and reading it again shows its earlier state.
	const optedOut = { ...contact, opt_in_status: 'opted_out' };
	const page = ({ data, ...envelope }: ListEnvelope) => {
		return { ...envelope, data: [optedOut, ...data.slice(1)] };
	};
	sandbox.fail({ match: { method: 'GET' }, skip: 1, kind: { page } });
	const items = [{ phone: contact.phone, opt_in: true }, itemOf(other)];
	const { json } = await runSync(sandbox, items);
	expect(syncsOf(json)[0]).toMatchObject({ action: 'unchanged', note });
	expect(writes(sandbox)).toEqual([]);
});

test('a pending contact is not asked again, and no proof is sent', async () => {
	const contact = addContact(sandbox, { phone: '+4915123456789', opt_in_status: 'pending' });
	const item = { phone: contact.phone, opt_in: true, consent_proof: 'Form' };
	const { json } = await runSync(sandbox, [item]);
	expect(actionsOf(json)).toEqual(['unchanged']);
	expect(writes(sandbox)).toEqual([]);
});

describe('a row by ID and one by phone for the same contact', () => {
	test.each([{}, { dryRun: true }])(
		'are merged, and the output names both: %j',
		async (options) => {
			const [contact, other] = addContacts(sandbox, 2);
			const items = [
				{ id: contact.id, name: 'A', tags: 'a' },
				itemOf(other),
				{ phone: contact.phone, name: 'B', tags: 'b' },
			];
			const { json, hints } = await runSync(sandbox, items, automatic(options), continues);
			const said = 'Items 1 and 3 are one contact and differ in Name: the last counts.';
			expect(json.map(({ name, tags }) => [name, tags])).toEqual([
				['B', ['a', 'b']],
				[other.name, []],
				['B', ['a', 'b']],
			]);
			expect([syncsOf(json)[0].note, syncsOf(json)[2].note]).toEqual([said, said]);
			expect(hints[0]).toContain(said);
			expect(contact.name).toBe(options.dryRun ? 'Contact 0' : 'B');
		},
	);

	test('are an error that names both if they disagree on Opt In', async () => {
		const [contact] = addContacts(sandbox, 2, { opt_in_status: 'none' });
		const items = [
			{ id: contact.id, opt_in: 'yes' },
			{ phone: contact.phone, opt_in: 'no' },
		];
		const { json } = await runSync(sandbox, items, automatic(), continues);
		expect(actionsOf(json)).toEqual(['invalid', 'invalid']);
		for (const { error } of json)
			expect(error).toMatch("Items 1 and 2 are the same contact, and disagree on 'Opt In'");
		expect(writes(sandbox)).toEqual([]);
	});

	test('are not created again by the next try if the contact is deleted', async () => {
		const [contact] = addContacts(sandbox, 2);
		const items = [
			{ id: contact.id, name: 'A' },
			{ phone: contact.phone, source: 'B' },
		];
		const kind = { meanwhile: () => sandbox.store.eraseContact(contact) };
		sandbox.fail({ match: { method: 'GET' }, kind });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { error } = await runSync(sandbox, items, automatic(), { settings });
		expect(error).toBeDefined();
		expect(sandbox.store.findByPhone(contact.phone)).toBeUndefined();
	});
});

describe('what the service stores differently', () => {
	test('is named once in the summary, with the number of contacts', async () => {
		const lower = (payload: string) => payload.replace(/"VIP"/g, '"vip"').replace(/Ana /g, 'Ana');
		sandbox.fail({ match: { method: 'POST' }, times: 2, kind: { rewrite: lower } });
		const items = SUBSCRIBERS.slice(0, 2).map(([phone]) => ({
			phone,
			name: 'Ana Ana ',
			tags: 'VIP',
		}));
		const { hints } = await runSync(sandbox, items);
		expect(hints[0]).toContain(
			'<br>2 contacts: The CRM stores name differently, so each run sends it again.<br>2 contacts: The CRM stores tags differently, so each run sends it again.',
		);
	});

	test('includes phone numbers', async () => {
		const [long, short] = SUBSCRIBERS[0];
		fold([long], short);
		const { hints } = await runSync(sandbox, [{ phone: long, name: 'Ana' }]);
		expect(hints[0]).toContain('<br>The CRM stores phone differently, so each run sends it again.');
	});

	test('does not include blanks around text, as those are trimmed', async () => {
		const contact = addContact(sandbox, { phone: '+4915123456789', name: 'Ana' });
		const { json } = await runSync(sandbox, [{ phone: contact.phone, name: ' Ana ' }]);
		expect(actionsOf(json)).toEqual(['unchanged']);
	});
});

test('the summary says so if a contact who said no stays confirmed', async () => {
	const { phone } = addContact(sandbox, { opt_in_status: 'confirmed' });
	const { json, hints } = await runSync(sandbox, [{ phone, opt_in: 'no' }], automatic());
	expect(json[0].opt_in_status).toBe('confirmed');
	expect(hints[0]).toMatch(/^1 contact said No and is still confirmed: campaigns reach them \(/);
});

test('the summary does not say so of a contact who had not agreed', async () => {
	const { phone } = addContact(sandbox, { opt_in_status: 'none' });
	const item = { phone, opt_in: 'no', consent_proof: 'Call' };
	const { hints } = await runSync(sandbox, [item], automatic());
	expect(hints.join()).not.toContain('differently');
});

describe('consent that another row of the contact leaves in doubt', () => {
	const yes = { name: 'Ana', opt_in: 'yes', consent_proof: 'Form' };

	test.each<[string, (contact: Contact) => IDataObject]>([
		['cannot be read', ({ phone }) => ({ phone, opt_in: 'NEIN!' })],
		['cannot be read, by its ID', ({ id }) => ({ id, opt_in: 'NEIN!' })],
		['is given twice', ({ phone }) => ({ phone, 'Opt In': 'yes', 'opt-in': 'no' })],
		['has a proof that is no text', ({ phone }) => ({ phone, consent_proof: { a: 1 } })],
		['is no, in an invalid row', ({ phone }) => ({ phone, opt_in: 'no', attributes: 'x' })],
	])('is not sent if it %s', async (_case, other) => {
		const contact = addContact(sandbox, { phone: '+4915123456789', opt_in_status: 'none' });
		const { phone } = contact;
		const { json } = await runSync(
			sandbox,
			[{ phone, ...yes }, other(contact)],
			automatic(),
			continues,
		);
		expect(contact).toMatchObject({ name: 'Ana', opt_in_status: 'none' });
		expect(sandbox.store.consentTrail).toEqual([]);
		expect(actionsOf(json)).toEqual(['consentWithheld', 'invalid']);
		expect(json[0].error).toMatch(/Items 1 and 2 are the same contact, and .*consent|Opt In/);
		expect(detailsOf(json[0]).description).toMatch('No consent is sent for this contact');
	});

	test('is not sent, and the contact counts as saved without it', async () => {
		const items = ['+4915123456789', '+12125550123', '+12125550124'].map((phone) => ({
			phone,
			...yes,
		}));
		items.push({ ...yes, phone: '+4915123456789', opt_in: 'NEIN!' });
		const { hints: planned } = await runSync(sandbox, items, automatic({ dryRun: true }));
		expect(planned[0]).toContain('<br>1 to save without their consent<br>');
		const { error } = await runSync(sandbox, items);
		expect(sandbox.store.contacts.size).toBe(3);
		expect(error?.message).toMatch(
			/^1 of 4 \S+ was not synced, 3 contacts are saved, 1 of them without their consent$/,
		);
		expect(error?.description).toContain('1 saved without their consent');
	});

	test.each(['01512 3456789', '+4915123456789 (2)', '+4915123456789 / +4930123456'])(
		'is not sent if the number of the other row, %s, may be the same',
		async (other) => {
			const phone = '+4915123456789';
			const contact = addContact(sandbox, { phone, opt_in_status: 'none' });
			const items = [
				{ phone, ...yes },
				{ phone: other, opt_in: 'no' },
				{ phone: '0171 9876543', opt_in: 'no' },
			];
			const { json } = await runSync(sandbox, items, automatic(), continues);
			expect(contact).toMatchObject({ name: 'Ana', opt_in_status: 'none' });
			expect(json[0].error).toContain(
				"Items 1 and 2 may be the same contact, and disagree on 'Opt In'",
			);
		},
	);

	test('is sent if only other numbers cannot be read', async () => {
		const phone = '+4915123456789';
		const contact = addContact(sandbox, { phone, opt_in_status: 'none' });
		const others = ['0171 9876543', 'call me', ''].map((each) => ({ phone: each, opt_in: 'no' }));
		await runSync(sandbox, [{ phone, ...yes }, ...others], automatic(), continues);
		expect(contact.opt_in_status).toBe('confirmed');
	});

	test('is not sent to a new contact either', async () => {
		const phone = '+4915123456789';
		const items = [
			{ phone, opt_in: 'NEIN!' },
			{ phone, ...yes },
		];
		await runSync(sandbox, items, automatic(), continues);
		expect(sandbox.store.findByPhone(phone)).toMatchObject({ name: 'Ana', opt_in_status: 'none' });
	});

	test.each<[string, IDataObject]>([
		['says the same in an invalid row', { opt_in: 'YES', attributes: 'x' }],
		['says nothing about it', { name: { a: 1 } }],
	])('is sent if the other row %s', async (_case, other) => {
		const contact = addContact(sandbox, { phone: '+4915123456789', opt_in_status: 'none' });
		const { phone } = contact;
		await runSync(
			sandbox,
			[
				{ phone, ...yes },
				{ phone, ...other },
			],
			automatic(),
			continues,
		);
		expect(contact.opt_in_status).toBe('confirmed');
	});
});

describe('a consent proof', () => {
	const twins = () => SUBSCRIBERS[0].map((phone) => addContact(sandbox, { phone }));
	const proofsOf = ({ id }: Contact) =>
		sandbox.store.consentTrail.filter(({ contact_id }) => contact_id === id);

	test('is sent by the next run, if another contact had the same number', async () => {
		const [contact, twin] = twins();
		const items = [{ id: contact.id, name: 'Ana', consent_proof: 'Form' }];
		const first = await runSync(sandbox, items, automatic(), continues);
		expect(actionsOf(first.json)).toEqual(['invalid']);
		expect(detailsOf(first.json[0]).description).toMatch('Nothing was sent for this item');
		expect(writes(sandbox)).toEqual([]);
		sandbox.store.eraseContact(twin);
		const second = await runSync(sandbox, items, automatic(), continues);
		expect(actionsOf(second.json)).toEqual(['updated']);
		expect(proofsOf(contact)).toHaveLength(1);
	});

	test.each<[string, IDataObject]>([
		['of a contact that exists', { name: 'Ana', tags: 'a, b', locale: 'de' }],
		['with a tag', { tags: 'a' }],
		['with a locale', { locale: 'de' }],
	])('%s is sent again after any failure', async (_case, fields) => {
		const contact = addContact(sandbox, { phone: '+4915123456789' });
		const items = [{ phone: contact.phone, consent_proof: 'Form', ...fields }];
		for (let skip = 0; skip < 6; skip += 1) {
			sandbox.reset();
			const again = addContact(sandbox, { phone: contact.phone });
			sandbox.fail({ skip, kind: { status: 422 } });
			const { json } = await runSync(sandbox, items, automatic(), continues);
			if (actionsOf(json)[0] === 'updated') return;
			await runSync(sandbox, items, automatic(), continues);
			expect(proofsOf(again).length).toBeGreaterThan(0);
		}
	});

	test.each<IDataObject>([{ name: 'Ana' }, { tags: 'a' }, { opt_in: true }])(
		'of a new contact whose number cannot be checked is sent again after any failure, with %j',
		async (fields) => {
			const phone = '+49199123456';
			for (let skip = 0; skip < 6; skip += 1) {
				sandbox.reset();
				sandbox.store.rules.newNumbers.set(phone, phone);
				sandbox.fail({ skip, kind: { status: 422 } });
				const items = [{ phone, consent_proof: 'Form', ...fields }];
				const { json } = await runSync(sandbox, items, automatic(), continues);
				if (actionsOf(json)[0] === 'created') return;
				await runSync(sandbox, items, automatic(), continues);
				expect(sandbox.store.consentTrail).toMatchObject([{ consent_proof: 'Form' }]);
			}
		},
	);

	test('alone creates a contact whose number cannot be checked, in one request', async () => {
		const phone = '+49199123456';
		sandbox.store.rules.newNumbers.set(phone, phone);
		const { json } = await runSync(sandbox, [{ phone, consent_proof: 'Form' }]);
		expect(actionsOf(json)).toEqual(['created']);
		const body = { phone, consent_proof: 'Form' };
		expect(writes(sandbox)).toEqual([{ request: 'POST /v1/contacts', body }]);
	});
});
