import { startSandbox, type Sandbox } from '../../sandbox';
import { delay } from '../../support/platform';
import { call } from './harness';

describe('faults of the answer, after the effect', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	const create = async () =>
		await call(sandbox, 'POST', '/v1/contacts', { phone: '+4915123456789' });

	it('breaks off within the answer, also within one without a body', async () => {
		sandbox.fail({ times: 2, kind: { drop: 'midAnswer' } });
		await expect(create()).rejects.toThrow('terminated');
		const [contact] = [...sandbox.store.contacts.values()];
		await expect(call(sandbox, 'DELETE', `/v1/contacts/${contact.id}`)).rejects.toThrow();
		expect(sandbox.store.contacts.size).toBe(0);
	});

	it('puts blanks behind the JSON', async () => {
		sandbox.fail({ kind: { paddedBy: 1_000 } });
		const { status, text, body } = await create();
		expect({ status, created: body.created }).toEqual({ status: 201, created: true });
		expect(text.length - text.trimEnd().length).toBe(1_000);
	});

	it('answers with other headers', async () => {
		sandbox.fail({ kind: { answerHeaders: { 'content-type': 'text/plain' } } });
		const { headers, body } = await create();
		expect(headers.get('content-type')).toContain('text/plain');
		expect(body.created).toBe(true);
	});

	it('answers with another text', async () => {
		sandbox.fail({ kind: { rewrite: (payload) => payload.replace('+49', '+50') } });
		expect((await create()).body).toMatchObject({ phone: '+5015123456789', created: true });
		expect([...sandbox.store.contacts.values()]).toMatchObject([{ phone: '+4915123456789' }]);
	});

	it('leaves the answer to whoever writes it', async () => {
		const answer = 'HTTP/1.1 202 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}';
		sandbox.fail({ kind: { raw: (socket) => socket.end(answer) } });
		const { status, text } = await create();
		expect([status, text]).toEqual([202, '{}']);
		expect(sandbox.store.contacts.size).toBe(1);
	});

	it('lets something happen before the answer', async () => {
		sandbox.fail({ kind: { meanwhile: () => sandbox.revokeKey() } });
		expect((await create()).status).toBe(201);
		expect((await create()).status).toBe(401);
	});
});

describe('a restart', () => {
	it('drops what is open, refuses connections, and comes back with the same state', async () => {
		const sandbox = await startSandbox();
		sandbox.setLatency(5_000);
		const dropped = call(sandbox, 'POST', '/v1/contacts', { phone: '+4915123456789' });
		const failure = expect(dropped).rejects.toThrow('fetch failed');
		while (sandbox.store.contacts.size === 0) await delay(5);
		sandbox.setLatency(0);
		const restarted = sandbox.restart(100);
		await failure;
		await expect(call(sandbox, 'GET', '/v1/workspace')).rejects.toThrow('fetch failed');
		await restarted;
		expect((await call(sandbox, 'GET', '/v1/contacts')).body).toMatchObject({ total: 1 });
		await sandbox.close();
	});

	it('does not come back once it is closed', async () => {
		const sandbox = await startSandbox();
		const restarted = sandbox.restart(20);
		await sandbox.close();
		await restarted;
		await expect(call(sandbox, 'GET', '/v1/workspace')).rejects.toThrow('fetch failed');
	});
});
