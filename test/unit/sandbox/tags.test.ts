import { startSandbox, type Contact, type Sandbox } from '../../sandbox';
import { addContact, call } from './harness';

describe('tags of the sandbox', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	it.each([
		'vip',
		'a/b',
		'100%',
		'%2F',
		'trade fair',
		'größe 東京',
		'?#&=+',
		'\'"<>',
		'x'.repeat(500),
	])('attaches and detaches the tag %s', async (name) => {
		const path = `/v1/contacts/${addContact(sandbox).id}/tags`;
		const attached = await call<Contact>(sandbox, 'POST', path, { name });
		expect(attached).toMatchObject({ status: 200, body: { tags: [name] } });
		const tagPath = `${path}/${encodeURIComponent(name)}`;
		expect((await call<Contact>(sandbox, 'DELETE', tagPath)).body.tags).toEqual([]);
		expect((await call(sandbox, 'DELETE', tagPath)).status).toBe(404);
		expect((await call(sandbox, 'GET', '/v1/tags')).body).toEqual([
			{ id: expect.any(String), name },
		]);
	});

	it('attaches a tag once', async () => {
		const path = `/v1/contacts/${addContact(sandbox).id}/tags`;
		await call(sandbox, 'POST', path, { name: 'vip' });
		const second = await call<Contact>(sandbox, 'POST', path, { name: 'vip' });
		expect(second).toMatchObject({ status: 200, body: { tags: ['vip'] } });
	});

	it('answers 404 for an unknown contact and 422 for a missing name', async () => {
		expect((await call(sandbox, 'POST', '/v1/contacts/x/tags', { name: 'vip' })).status).toBe(404);
		expect((await call(sandbox, 'DELETE', '/v1/contacts/x/tags/vip')).status).toBe(404);
		const path = `/v1/contacts/${addContact(sandbox).id}/tags`;
		for (const body of [{}, { name: '' }, { name: 1 }, { name: 'a', color: 'red' }]) {
			expect((await call(sandbox, 'POST', path, body)).status).toBe(422);
		}
	});
});
