import { startSandbox, type Contact, type Sandbox } from '../../sandbox';
import { addContact, call } from './harness';

const unknownId = '00000000-0000-4000-8000-000000000000';

describe('contacts of the sandbox', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	const upsert = async (body: unknown) =>
		await call<Contact & { created: boolean }>(sandbox, 'POST', '/v1/contacts', body);

	it('creates a contact with all fields of the reference', async () => {
		const { status, body } = await upsert({
			phone: '+49 151 23456789',
			name: 'Anna',
			source: 'web',
		});
		expect(status).toBe(201);
		expect(body).toEqual({
			id: expect.stringMatching(
				/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
			),
			phone: '+4915123456789',
			name: 'Anna',
			locale: null,
			source: 'web',
			opt_in_status: 'none',
			attributes: {},
			tags: [],
			last_inbound_at: null,
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			created: true,
		});
	});

	it('updates by phone, merges attributes and only adds tags', async () => {
		const first = await upsert({
			phone: '+4915123456789',
			attributes: { a: 1, b: 1 },
			tags: ['x'],
		});
		const second = await upsert({
			phone: '0151 / 234 567 89',
			default_country: 'de',
			attributes: { b: 2 },
			tags: ['x', 'y'],
		});
		expect(second).toMatchObject({
			status: 200,
			body: { id: first.body.id, created: false, attributes: { a: 1, b: 2 }, tags: ['x', 'y'] },
		});
		expect(sandbox.store.contacts.size).toBe(1);
		expect([...sandbox.store.tags.keys()]).toEqual(['x', 'y']);
	});

	it.each([
		['no phone', {}, 'phone'],
		['an invalid phone', { phone: '+49 1' }, 'phone'],
		['a national phone without a country', { phone: '0151 23456789' }, 'phone'],
		['an unknown country', { phone: '0151 23456789', default_country: 'XX' }, 'default_country'],
		['a name of the wrong type', { phone: '+4915123456789', name: 5 }, 'name'],
		['attributes as array', { phone: '+4915123456789', attributes: [] }, 'attributes'],
		['tags as text', { phone: '+4915123456789', tags: 'vip' }, 'tags'],
		['opt_in as text', { phone: '+4915123456789', opt_in: 'true' }, 'opt_in'],
		['a field that does not exist', { phone: '+4915123456789', locale: 'de' }, 'locale'],
	])('answers 422 to %s and changes nothing', async (_case, body, named) => {
		const answer = await upsert(body);
		expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringContaining(named) } });
		expect(sandbox.store.contacts.size).toBe(0);
	});

	it('moves the consent state and keeps the proof', async () => {
		const phone = '+4915123456789';
		expect((await upsert({ phone, opt_in: false })).body.opt_in_status).toBe('none');
		const proven = await upsert({ phone, opt_in: true, consent_proof: 'signed form 7' });
		expect(proven.body.opt_in_status).toBe('confirmed');
		expect(sandbox.store.consentTrail).toMatchObject([
			{ opt_in: false, consent_proof: null },
			{ opt_in: true, consent_proof: 'signed form 7' },
		]);
		sandbox.emit.optOut({ phone });
		expect((await upsert({ phone, opt_in: true })).body.opt_in_status).toBe('opted_out');
		const again = await upsert({ phone, opt_in: true, consent_proof: 'asked again' });
		expect(again.body.opt_in_status).toBe('confirmed');
	});

	it('reads, changes and erases a contact', async () => {
		const { id } = addContact(sandbox, { attributes: { a: 1 }, tags: ['vip'] });
		sandbox.store.recordConsent(addContact(sandbox, { phone: '+34612345678' }), true, 'kept');
		await upsert({ phone: '+4915123456789', opt_in: true });
		const path = `/v1/contacts/${id}`;
		expect((await call(sandbox, 'GET', path)).body).toMatchObject({ id, tags: ['vip'] });
		const patched = await call(sandbox, 'PATCH', path, {
			name: 'B',
			locale: 'de',
			source: 's',
			attributes: { b: 2 },
		});
		expect(patched).toMatchObject({
			status: 200,
			body: { id, name: 'B', locale: 'de', source: 's', attributes: { a: 1, b: 2 } },
		});
		expect(await call(sandbox, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
		expect((await call(sandbox, 'GET', path)).status).toBe(404);
		expect(sandbox.store.consentTrail).toMatchObject([{ consent_proof: 'kept' }]);
		expect((await upsert({ phone: '+4915123456789' })).body.created).toBe(true);
	});

	it.each([{ phone: '+4915100000000' }, { tags: [] }, { name: 1 }, { attributes: null }])(
		'answers 422 to the change %j',
		async (body) => {
			const { id } = addContact(sandbox);
			expect((await call(sandbox, 'PATCH', `/v1/contacts/${id}`, body)).status).toBe(422);
		},
	);

	it.each([unknownId, 'not-a-uuid'])('answers 404 to the id %s', async (id) => {
		for (const method of ['GET', 'PATCH', 'DELETE']) {
			const answer = await call(
				sandbox,
				method,
				`/v1/contacts/${id}`,
				method === 'PATCH' ? {} : undefined,
			);
			expect(answer).toMatchObject({ status: 404, body: { detail: 'contact not found' } });
		}
	});
});
