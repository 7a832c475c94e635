import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { contactParameters, enrollParameters, sendParameters } from './parameters';
import { addContact, chosen, contactId, sent, sentLines, useSandbox, writes } from './support';

/** A value means what a person meant with it, whatever form it has. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const rows = (name: string, value: string) => ({ values: [{ name, value }] });
const address = { city: 'Bern', zip: '3000', geo: { lat: 1, lon: 2 } };

describe('blank inside an object is blank', () => {
	const given = { city: null, zip: '', geo: { lat: ' ', lon: undefined } };
	const part = { city: 'Basel', zip: null };

	test.each(['update', 'upsert'])('in rows of %s', async (operation) => {
		addContact(sandbox, { id: contactId, phone });
		const fields = { name: 'Anna', attributes: rows('address', '={{ $json.address }}') };
		const parameters =
			operation === 'update'
				? contactParameters('update', chosen('id', contactId), { updateFields: fields })
				: { resource: 'contact', operation, phone, additionalFields: fields };
		await runNode(sandbox, { parameters, items: [{ address: given }, { address: part }] as never });
		expect(sent(sandbox).map(({ body }) => (body as IDataObject).attributes)).toEqual([
			undefined,
			{ address: { city: 'Basel' } },
		]);
	});

	test('but the JSON of contact update is exact', async () => {
		addContact(sandbox, { id: contactId, phone, attributes: { plan: 'pro', old: 'x', address } });
		const attributesJson = '{ "plan": null, "old": "", "address": { "city": null } }';
		const updateFields = { attributesJson };
		const parameters = contactParameters('update', chosen('id', contactId), { updateFields });
		await runNode(sandbox, { parameters });
		const [{ body }] = writes(sandbox);
		expect((body as IDataObject).attributes).toEqual(JSON.parse(attributesJson));
	});
});

describe('one comparison', () => {
	test.each([
		['Größe'.normalize('NFD'), 'Größe'],
		['Größe', 'Größe'.normalize('NFD')],
	])('an attribute stored as %j is the one written %j', async (stored, written) => {
		addContact(sandbox, { id: contactId, phone, attributes: { [stored]: 'M' } });
		const ofUpdate = { attributes: rows(written, 'L') };
		const contact = chosen('id', contactId);
		await runNode(sandbox, {
			parameters: contactParameters('update', contact, { updateFields: ofUpdate }),
		});
		const upsert = { resource: 'contact', operation: 'upsert', phone };
		await runNode(sandbox, {
			parameters: { ...upsert, additionalFields: { attributes: rows(written, 'XL') } },
		});
		expect(sandbox.store.contacts.get(contactId)?.attributes).toEqual({ [stored]: 'XL' });
		const fieldsToEmpty = `={{ ["attributes.${written}"] }}`;
		await runNode(sandbox, {
			parameters: contactParameters('update', contact, { updateFields: { fieldsToEmpty } }),
		});
		expect(sandbox.store.contacts.get(contactId)?.attributes).toEqual({ [stored]: '' });
	});

	test('one chosen from the list is emptied as it is', async () => {
		const stored = ' Größe '.normalize('NFD');
		addContact(sandbox, { id: contactId, phone, attributes: { [stored]: 'M' } });
		const updateFields = { fieldsToEmpty: [`attributes.${stored}`] };
		await runNode(sandbox, {
			parameters: contactParameters('update', chosen('id', contactId), { updateFields }),
		});
		expect(sandbox.store.contacts.get(contactId)?.attributes).toEqual({ [stored]: '' });
	});
});

test.each(['Cafe\u0301', 'vip\u200b', 'Café'])(
	'the tag %j is removed in any spelling',
	async (stored) => {
		const contact = addContact(sandbox, { id: contactId, phone, tags: [stored, 'other'] });
		addContact(sandbox, { phone: '+4915123456780', tags: ['Café', 'vip'] });
		// A service that calls it a success to remove a tag that the contact does not have.
		sandbox.store.contacts.get(contactId);
		const tags = stored.startsWith('v') ? 'vip' : stored.normalize('NFC');
		const parameters = {
			resource: 'tag',
			operation: 'remove',
			contactId: chosen('id', contactId),
			tags,
		};
		const { json } = await runNode(sandbox, { parameters });
		expect(json).toEqual([{ contact_id: contactId, removed_tags: [stored] }]);
		expect(contact.tags).toEqual(['other']);
		expect(sentLines(sandbox).filter((line) => line.startsWith('DELETE'))).toHaveLength(1);
	},
);

test.each([
	['message sendTemplate', sendParameters(chosen('id', contactId))],
	['automation enroll', enrollParameters(chosen('id', contactId))],
])('%s does not send an empty body in place of its own', async (_use, parameters) => {
	addContact(sandbox, { id: contactId, phone });
	for (const body of ['{}', '', '={{ $json.nope }}']) {
		const { error } = await runNode(sandbox, {
			parameters: { ...parameters, options: { body, bodyMode: 'replace' } } as never,
		});
		expect(error?.message).toContain("'Body' is blank");
	}
	expect(sandbox.requests).toEqual([]);
});

describe('what a service answers', () => {
	const list = { resource: 'contact', operation: 'getAll', returnAll: true };
	const recordsOf = (count: number, from = 0) =>
		Array.from({ length: count }, (_, index) => ({ id: `id ${from + index}` }));
	const pages = (...bodies: object[]) => {
		for (const body of bodies) sandbox.fail({ kind: { status: 200, body: JSON.stringify(body) } });
	};

	test('a total as text is a number', async () => {
		pages({ data: recordsOf(100), total: '130' }, { data: recordsOf(30, 100), total: '130' });
		const { json, error } = await runNode(sandbox, { parameters: list });
		expect([error, json.length]).toEqual([undefined, 130]);
		expect(sandbox.requests).toHaveLength(2);
	});

	test('a total that counts the page only hides nothing', async () => {
		pages(
			{ data: recordsOf(100), total: 100 },
			{ data: recordsOf(100, 100), total: 100 },
			{ data: recordsOf(50, 200), total: 50 },
			{ data: [], total: 0 },
		);
		const { json, error } = await runNode(sandbox, { parameters: list });
		expect([error, json.length]).toEqual([undefined, 250]);
	});

	test('without an ID, says what was saved before the locale failed', async () => {
		pages({ phone, name: 'Anna', created: true });
		const additionalFields = { name: 'Anna', locale: 'de' };
		const { error } = await runNode(sandbox, {
			parameters: { resource: 'contact', operation: 'upsert', phone, additionalFields },
		});
		expect(error?.message).toBe('The contact was saved, but its locale was not set');
		expect(sandbox.requests).toHaveLength(1);
	});
});
