import { startSandbox, type Sandbox } from '../../sandbox';
import { addContact, call } from './harness';

describe('control of a sandbox in another process', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'sliding', limit: 2 } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	const control = async (method: string, path: string, body?: unknown) =>
		await call({ url: sandbox.url, apiKey: 'none' }, method, `/sandbox/${path}`, body);

	it('makes events', async () => {
		const { id } = addContact(sandbox);
		expect(
			await control('POST', 'inbound-message', { phone: '+34612345678', text: 'Hi' }),
		).toMatchObject({ status: 200, body: { event: 'message.received' } });
		expect(
			(await control('POST', 'form', { contactId: id, flowId: 'f', answers: { a: 1 } })).body,
		).toMatchObject({ data: { answers: { a: 1 } } });
		expect((await control('POST', 'opt-out', { contactId: id })).status).toBe(200);
		expect((await control('GET', 'state')).body).toMatchObject({
			contacts: [{ id, opt_in_status: 'opted_out' }, { phone: '+34612345678' }],
		});
		expect((await control('POST', 'opt-out', {})).status).toBe(422);
		expect((await control('POST', 'opt-out', { contactId: 'x' })).status).toBe(404);
	});

	it('sets faults and tells what happened', async () => {
		await control('POST', 'fail', { match: { path: 'v1/work' }, kind: { status: 503 } });
		expect((await call(sandbox, 'GET', '/v1/tags')).status).toBe(200);
		expect((await call(sandbox, 'GET', '/v1/workspace')).status).toBe(503);
		expect((await control('GET', 'requests')).body).toMatchObject([
			{ path: '/v1/tags', status: 200 },
			{ path: '/v1/workspace', status: 503 },
		]);
		expect((await control('GET', 'deliveries')).body).toEqual([]);
		expect((await control('POST', 'fail', {})).status).toBe(422);
	});

	it('resets everything', async () => {
		addContact(sandbox);
		sandbox.setShapes({ tags: 'strings' });
		expect((await control('POST', 'reset', {})).body).toEqual({ ok: true });
		expect(sandbox.store.contacts.size).toBe(0);
		expect((await control('GET', 'requests')).body).toEqual([]);
	});
});
