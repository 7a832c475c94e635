import { startSandbox, type Contact, type Sandbox } from '../../../tools/sandbox';
import { addContact, call } from './harness';

/** The rules of the API reference. All other tests trust the sandbox to follow them. */
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ limiter: { kind: 'off' } });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

const phone = '+4915123456789';
const get = async (path: string) => await call(sandbox, 'GET', path);
const upsert = async (body: unknown) =>
	await call<Contact & { created: boolean }>(sandbox, 'POST', '/v1/contacts', body);

/** The status and the detail of each answer. */
async function refusals(method: string, path: string, bodies: object[]) {
	const answers = [];
	for (const body of bodies) answers.push(await call(sandbox, method, path, body));
	return answers.map(({ status, body }) => [status, typeof body.detail]);
}

describe('the key', () => {
	const statusWith = async (headers: RequestInit['headers']) =>
		(await fetch(`${sandbox.url}/v1/workspace`, { headers })).status;

	it('is accepted in either header; a missing, wrong or revoked one is 401', async () => {
		const { apiKey } = sandbox;
		const good: RequestInit['headers'][] = [
			{ authorization: `Bearer ${apiKey}` },
			{ 'x-api-key': apiKey },
		];
		expect(await Promise.all(good.map(statusWith))).toEqual([200, 200]);
		const bad: RequestInit['headers'][] = [
			{},
			{ 'x-api-key': 'wrong' },
			{ authorization: `Basic ${apiKey}` },
		];
		expect(await Promise.all(bad.map(statusWith))).toEqual([401, 401, 401]);
		sandbox.revokeKey();
		expect(await get('/v1/nothing')).toMatchObject({
			status: 401,
			body: { detail: 'API key revoked' },
		});
		sandbox.restoreKey();
		expect(await get('/v1/nothing')).toMatchObject({
			status: 404,
			body: { detail: 'path not found' },
		});
	});
});

describe('contacts', () => {
	it('are upserted by phone: attributes merge, tags add up, created says which', async () => {
		const first = await upsert({ phone, name: 'A', attributes: { a: 1, b: 1 }, tags: ['x'] });
		expect(first).toMatchObject({ status: 201, body: { phone, name: 'A', created: true } });
		const { body } = await upsert({
			...{ phone: '0151 / 234 567 89', default_country: 'de' },
			...{ attributes: { b: 2 }, tags: ['x', 'y'] },
		});
		const { id } = first.body;
		const merged = { id, created: false, attributes: { a: 1, b: 2 }, tags: ['x', 'y'] };
		expect(body).toMatchObject(merged);
		expect([...sandbox.store.tags.keys()]).toEqual(['x', 'y']);
	});

	it('are read, changed and erased by ID, with their consent trail', async () => {
		const { body } = await upsert({ phone, opt_in: true, attributes: { a: 1 } });
		const path = `/v1/contacts/${body.id}`;
		const fields = { name: 'B', locale: 'de', source: 's' };
		const patched = await call(sandbox, 'PATCH', path, { ...fields, attributes: { b: 2 } });
		expect(patched.body).toMatchObject({ ...fields, attributes: { a: 1, b: 2 } });
		expect(await call(sandbox, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
		expect(await get(path)).toMatchObject({ status: 404, body: { detail: 'contact not found' } });
		expect(sandbox.store.consentTrail).toEqual([]);
		expect((await upsert({ phone })).body.created).toBe(true);
	});

	it('opt in, but not against an opt-out without a new proof', async () => {
		const status = async (body: object) => (await upsert({ phone, ...body })).body.opt_in_status;
		expect(await status({ opt_in: false })).toBe('none');
		expect(await status({ opt_in: true, consent_proof: 'form' })).toBe('confirmed');
		expect(sandbox.store.consentTrail[1]).toMatchObject({ opt_in: true, consent_proof: 'form' });
		sandbox.emit.optOut({ phone });
		expect(await status({ opt_in: true })).toBe('opted_out');
		expect(await status({ opt_in: true, consent_proof: 'asked again' })).toBe('confirmed');
	});

	it('are refused with 422 if anything is not as documented, and nothing changes', async () => {
		const wrong = [
			...[{}, { phone: '+49 1' }, { phone: '0151 23456789' }, { phone, locale: 'de' }],
			...[
				{ phone: '0151 23456789', default_country: 'XX' },
				{ phone, name: 5 },
			],
			...[
				{ phone, attributes: [] },
				{ phone, tags: 'vip' },
				{ phone, opt_in: 'true' },
			],
		];
		const refused = wrong.map(() => [422, 'string']);
		expect(await refusals('POST', '/v1/contacts', wrong)).toEqual(refused);
		expect(sandbox.store.contacts.size).toBe(0);
		const { id } = addContact(sandbox);
		const changes = [{ phone: '+4915100000000' }, { tags: [] }, { name: 1 }, { attributes: null }];
		expect(await refusals('PATCH', `/v1/contacts/${id}`, changes)).toEqual(refused.slice(0, 4));
	});

	it('are listed oldest first, 50 by default and up to 100 a page, by combined filters', async () => {
		for (let index = 0; index < 130; index += 1) {
			const tags = index % 2 ? ['a,b'] : [];
			const created_at = new Date(index * 1_000).toISOString();
			addContact(sandbox, {
				phone: `+1212400${1_000 + index}`,
				name: `Ö ${index}`,
				tags,
				created_at,
			});
		}
		const page = async (query: string) =>
			(await get(`/v1/contacts?${query}`)).body as { data?: Contact[]; total?: number };
		expect((await page('')).data).toHaveLength(50);
		const pages = [await page('limit=100'), await page('limit=100&offset=100')];
		expect(pages[1]).toMatchObject({ total: 130, limit: 100, offset: 100 });
		const all = [...sandbox.store.contacts.keys()];
		expect(pages.flatMap(({ data = [] }) => data.map(({ id }) => id))).toEqual(all);
		expect(await page('tag=a%2Cb&search=%C3%B6%2012&limit=1')).toMatchObject({ total: 5 });
		expect(await page('search=%2B1%20212%20400%201007')).toMatchObject({ total: 1 });
		expect(await page('opt_in_status=pending')).toMatchObject({ total: 0, data: [] });
		for (const query of [
			'limit=0',
			'limit=101',
			'limit=',
			'offset=-1',
			'opt_in_status=x',
			'tag=a&tag=b',
		]) {
			expect((await get(`/v1/contacts?${query}`)).status).toBe(422);
		}
	});

	it('get and lose tags of any name, and a segment follows at once', async () => {
		const { id } = addContact(sandbox);
		const path = `/v1/contacts/${id}/tags`;
		for (const name of ['vip', 'a/b', '100%', '%2F', 'größe 東京', '?#&=+']) {
			expect((await call(sandbox, 'POST', path, { name })).body.tags).toEqual([name]);
			const segment = await get('/v1/segments/seg_vip/contacts');
			expect(segment.body.total).toBe(name === 'vip' ? 1 : 0);
			const tag = `${path}/${encodeURIComponent(name)}`;
			expect((await call(sandbox, 'DELETE', tag)).body.tags).toEqual([]);
			expect((await call(sandbox, 'DELETE', tag)).status).toBe(404);
		}
		expect(await refusals('POST', path, [{}, { name: '' }, { name: 'a', color: 'red' }])).toEqual(
			Array(3).fill([422, 'string']),
		);
	});
});

describe('messages and enrolments', () => {
	it('are refused for each documented reason', async () => {
		const { id } = addContact(sandbox);
		const body = { contact_id: id, template: 'welcome' };
		const { rules, sentMessages, enrolments } = sandbox.store;
		const send = async (more = {}) =>
			(await call(sandbox, 'POST', '/v1/messages/template', { ...body, ...more })).status;
		const enroll = async (automation: string, contact_id = id) =>
			(await call(sandbox, 'POST', `/v1/automations/${automation}/enroll`, { contact_id })).status;
		expect([await send({ contact_id: 'x' }), await send({ template: 'x' })]).toEqual([404, 404]);
		expect([await send({ template: undefined }), await send({ to: 'x' })]).toEqual([422, 422]);
		rules.platformRejects.set('welcome', '(#131026) undeliverable');
		expect(await send()).toBe(502);
		rules.platformRejects.clear();
		rules.monthlySendLimit = 1;
		expect([await send(), await send()]).toEqual([200, 402]);
		rules.monthlySendLimit = 9;
		rules.accountActive = false;
		expect(await send()).toBe(402);
		rules.accountActive = true;
		expect([await enroll('nothing'), await enroll('aut_win_back', 'x')]).toEqual([404, 404]);
		// The second time, the contact is already enrolled; the other automation is not active.
		expect([await enroll('aut_vip_care'), await enroll('aut_vip_care')]).toEqual([200, 409]);
		expect(await enroll('aut_old_newsletter')).toBe(409);
		sandbox.emit.optOut(id);
		expect([await send(), await enroll('aut_win_back')]).toEqual([409, 409]);
		expect([sentMessages.length, enrolments.length]).toEqual([1, 1]);
	});
});

describe('subscriptions', () => {
	const create = async (url: unknown, events: unknown = ['tag.added']) =>
		await call<{ id: string; secret: string }>(sandbox, 'POST', '/v1/subscriptions', {
			url,
			events,
		});

	it('show their secret once, are limited to 20, and can be deleted twice', async () => {
		const { body } = await create('https://n8n.example.com/');
		expect(body.secret).toMatch(/^[0-9a-f]{64}$/);
		expect((await get('/v1/subscriptions')).text).not.toContain(body.secret);
		for (let count = 1; count < 20; count += 1) await create(`https://n8n.example.com/${count}`);
		expect((await create('https://n8n.example.com/21')).status).toBe(409);
		const path = `/v1/subscriptions/${body.id}`;
		const deleted = [await call(sandbox, 'DELETE', path), await call(sandbox, 'DELETE', path)];
		expect(deleted.map(({ status }) => status)).toEqual([204, 204]);
		expect((await create('https://n8n.example.com/21')).status).toBe(201);
	});

	it.each([
		...['http://n8n.example.com/', 'https://localhost/', 'https://n8n.local/', 'https://127.1/'],
		...['https://10.1.2.3/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'n8n', 5],
	])('need a public https URL and known events: %j', async (url) => {
		expect((await create(url)).status).toBe(422);
		expect((await create('https://n8n.example.com/', [String(url)])).status).toBe(422);
	});
});
