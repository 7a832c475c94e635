import type { IDataObject } from 'n8n-workflow';

import { detailsOf } from '../../../../tools/engine/runNode';
import { addContact, addContacts, contactId, sentLines, useSandbox, writes } from '../../support';
import { actionsOf, automatic, mapped, runSync, syncsOf, withBriefSync } from './syncNode';

const sandbox = useSandbox();
const phone = '+4915123456789';

const byColumns = (options: IDataObject = {}) =>
	mapped(
		Object.fromEntries(
			['id', 'phone', 'name', 'locale', 'tags', 'opt_in', 'consent_proof'].map((name) => [
				name,
				`={{ $json.${name} }}`,
			]),
		),
		options,
	);
const syncIds = async (items: IDataObject[], options: IDataObject = {}) =>
	await runSync(sandbox, items, byColumns(options), { onError: 'continueRegularOutput' });

test('a row with an ID needs no phone: fields go by PATCH, tags by their own requests', async () => {
	const { id } = addContact(sandbox, { phone, name: 'Old', tags: ['vip'] });
	const { json } = await syncIds([{ id, name: 'New', locale: 'de', tags: 'vip, new, gold' }]);
	expect(writes(sandbox)).toEqual([
		{ request: `POST /v1/contacts/${id}/tags`, body: { name: 'new' } },
		{ request: `POST /v1/contacts/${id}/tags`, body: { name: 'gold' } },
		{ request: `PATCH /v1/contacts/${id}`, body: { name: 'New', locale: 'de' } },
	]);
	expect(withBriefSync(json)).toEqual([
		{
			...sandbox.store.contacts.get(id),
			sync: { action: 'updated', changedFields: ['name', 'locale', 'tags'] },
		},
	]);
	expect(json[0]).toMatchObject({ name: 'New', tags: ['vip', 'new', 'gold'] });

	sandbox.requests.length = 0;
	const again = await syncIds([{ id, name: 'New', tags: 'gold' }]);
	expect(actionsOf(again.json)).toEqual(['unchanged']);
	expect(writes(sandbox)).toEqual([]);
});

test("consent goes by the contact's phone, right after it was read", async () => {
	const { id } = addContact(sandbox, { phone, opt_in_status: 'none' });
	const { json } = await syncIds([{ id, opt_in: 'yes', consent_proof: 'Form' }]);
	expect(sentLines(sandbox).slice(-2)).toEqual([`GET /v1/contacts/${id}`, 'POST /v1/contacts']);
	expect(writes(sandbox)).toEqual([
		{ request: 'POST /v1/contacts', body: { phone, opt_in: true, consent_proof: 'Form' } },
	]);
	expect(withBriefSync(json)[0]).toEqual({
		...sandbox.store.contacts.get(id),
		sync: { action: 'updated', changedFields: ['opt_in', 'consent_proof'] },
	});
	expect(json[0].opt_in_status).toBe('confirmed');
});

test('the error says so if the phone moved to another contact at the last moment', async () => {
	const [contact, other] = addContacts(sandbox, 2);
	const body = JSON.stringify({ ...other, phone: contact.phone, created: false });
	sandbox.fail({ match: { method: 'POST' }, kind: { status: 200, body } });
	const { json } = await syncIds([{ id: contact.id, opt_in: 'yes' }]);
	expect(json[0].error).toMatch(`Another contact was changed: ${other.id}`);
	expect(detailsOf(json[0]).description).toMatch(
		`its phone number ${contact.phone} went to that contact`,
	);
});

test('a contact without a phone can be changed', async () => {
	const { id } = addContact(sandbox, { phone: '' });
	const named = await syncIds([{ id, name: 'New', tags: 'vip' }]);
	expect(named.json[0]).toMatchObject({ name: 'New', tags: ['vip'] });
});

test('an unknown ID is an error of its row, and creates nobody', async () => {
	const { id } = addContact(sandbox, { phone });
	const { json } = await syncIds([
		{ id: contactId, phone: '+4915123456780', name: 'Nobody' },
		{ id, name: 'New' },
	]);
	expect(actionsOf(json)).toEqual(['invalid', 'updated']);
	expect(json[0].error).toMatch(`No contact has the ID ${contactId}`);
	expect(detailsOf(json[0]).description).toMatch('no contact was created');
	expect([...sandbox.store.contacts.keys()]).toEqual([id]);
});

test.each(['17', 'x', phone])('%j is not a contact ID, and causes no request', async (id) => {
	const { json } = await syncIds([{ id, phone }]);
	expect(json[0].error).toMatch(`"${id}" is not a contact ID`);
	expect(detailsOf(json[0]).description).toMatch('Or leave it blank, and give a phone number.');
	expect(sandbox.requests).toEqual([]);
});

test('an ID with the phone of another contact is an error, and nothing is sent', async () => {
	const [first, second] = addContacts(sandbox, 2);
	const rows = [
		{ id: first.id, phone: second.phone, name: 'New' },
		{ id: second.id, phone: second.phone.slice(1), name: 'New' },
	];
	const { json } = await syncIds(rows, { defaultCountry: 'International' });
	expect(actionsOf(json)).toEqual(['invalid', 'updated']);
	expect(json[0].error).toMatch(` does not have the phone number ${second.phone}`);
	expect(detailsOf(json[0]).description).toMatch(
		`It has ${first.phone}. Nothing was sent for this item.`,
	);
	expect(writes(sandbox)).toEqual([
		{ request: `PATCH /v1/contacts/${second.id}`, body: { name: 'New' } },
	]);
});

test.each([
	['second', [0, 1]],
	['first', [1, 0]],
])('the same for both rows, if it is the %s of two rows with the ID', async (_name, order) => {
	const [contact, other] = addContacts(sandbox, 2);
	const rows = [
		{ id: contact.id, phone: contact.phone, tags: 'vip' },
		{ id: contact.id, phone: other.phone, name: 'Other', opt_in: 'yes' },
	];
	const { json } = await syncIds(order.map((row) => rows[row]));
	expect(actionsOf(json)).toEqual(['invalid', 'invalid']);
	expect(json[0].error).toMatch(`does not have the phone number ${other.phone}`);
	expect(writes(sandbox)).toEqual([]);
});

test('with Stop on First Error, an unknown ID changes nothing', async () => {
	const { id } = addContact(sandbox, { phone });
	const items = [{ id, name: 'New' }, { id: contactId }];
	const { error } = await runSync(sandbox, items, byColumns({ stopAtFirstProblem: true }));
	expect(error?.message).toMatch(`No contact has the ID ${contactId}`);
	expect(writes(sandbox)).toEqual([]);
});

test('an ID chooses one of two contacts with the same number', async () => {
	const [plus, bare] = [phone, phone.slice(1)].map((each) => addContact(sandbox, { phone: each }));
	await syncIds([
		{ id: bare.id, name: 'Bare' },
		{ id: plus.id, name: 'Plus' },
	]);
	expect([plus.name, bare.name]).toEqual(['Plus', 'Bare']);
});

test.each([
	['a tag', { tags: 'new' }],
	['consent', { opt_in: 'no' }],
])('a contact deleted meanwhile is not created again by %s', async (_case, fields) => {
	const contact = addContact(sandbox, { phone });
	sandbox.fail({
		match: { method: 'GET' },
		kind: { meanwhile: () => sandbox.store.eraseContact(contact) },
	});
	const { json } = await syncIds([{ id: contact.id, ...fields }]);
	expect(actionsOf(json)).toEqual(['failed']);
	expect(sandbox.store.contacts.size).toBe(0);
});

test.each([
	['reading it', {}],
	['changing it', { name: 'New' }],
])('no tags are removed if the service names them differently, when %s', async (_case, fields) => {
	const contact = addContact(sandbox, { phone, tags: ['old', 'vip'] });
	sandbox.fail({ match: { method: 'POST' }, kind: { status: 200, body: '{}' } });
	const body = JSON.stringify({ ...contact, tags: undefined });
	sandbox.fail({ match: { method: 'PATCH' }, kind: { status: 200, body } });
	const { json } = await syncIds([{ id: contact.id, tags: 'VIP', ...fields }], {
		tagMode: 'match',
	});
	expect(syncsOf(json)[0].note).toMatch('No tags were removed');
	expect(sandbox.store.contacts.get(contact.id)?.tags).toEqual(['old', 'vip']);
});

test('contacts named by ID are not missing, whatever becomes of their rows', async () => {
	const [first, second, third, other] = addContacts(sandbox, 4);
	const { json } = await syncIds(
		[
			{ id: first.id, name: 'New' },
			{ id: second.id, opt_in: 'maybe' },
			{ id: third.id.toUpperCase(), phone: first.phone },
		],
		{ missing: 'output' },
	);
	expect(actionsOf(json)).toEqual(['updated', 'invalid', 'invalid', 'missing']);
	expect(json[3].id).toBe(other.id);
});

test('nobody is missing if a row has an ID that no contact has: it may mean any of them', async () => {
	addContacts(sandbox, 2);
	const { json, hints } = await runSync(
		sandbox,
		[{ id: contactId }],
		byColumns({ missing: 'output', dryRun: true }),
	);
	expect(actionsOf(json)).toEqual(['invalid']);
	expect(hints[0]).toContain('2 contacts not listed as missing');
});

test('many IDs are read by pages if that takes fewer requests', async () => {
	const contacts = addContacts(sandbox, 250);
	await syncIds(contacts.map(({ id, name }) => ({ id, name })));
	expect(sentLines(sandbox)).toEqual(Array(3).fill('GET /v1/contacts'));
});

describe('mapped automatically', () => {
	test.each(['id', 'Contact ID', 'contact_id'])(
		'%s is the ID if the row has no phone',
		async (name) => {
			const { id } = addContact(sandbox, { phone });
			const { json, hints } = await runSync(sandbox, [{ [name]: id, phone: '', name: 'New' }]);
			expect(json[0]).toMatchObject({ id, name: 'New', sync: { action: 'updated' } });
			expect(hints.join()).not.toMatch('ignored');
		},
	);

	test('an ID beside a phone may belong to another system, so the phone counts', async () => {
		const { id } = addContact(sandbox, { phone });
		const items = [{ id: 'row 17', 'Contact ID': contactId, phone, name: 'New' }];
		const { json, hints } = await runSync(sandbox, items, automatic());
		expect(json[0]).toMatchObject({ id, name: 'New', sync: { action: 'updated' } });
		expect(hints.join()).toMatch('Columns ignored: id, Contact ID.');
	});
});
