import { startSandbox, type Sandbox } from '../../sandbox';
import { call } from './harness';

describe('access to the sandbox', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	const workspaceStatus = async (headers: Record<string, string>) =>
		(await fetch(`${sandbox.url}/v1/workspace`, { headers })).status;

	it('takes the key in either header', async () => {
		expect(await workspaceStatus({ authorization: `Bearer ${sandbox.apiKey}` })).toBe(200);
		expect(await workspaceStatus({ 'x-api-key': sandbox.apiKey })).toBe(200);
	});

	it('answers 401 to a missing, a wrong and a revoked key', async () => {
		expect(await workspaceStatus({})).toBe(401);
		expect(await workspaceStatus({ 'x-api-key': 'wrong' })).toBe(401);
		expect(await workspaceStatus({ authorization: `Basic ${sandbox.apiKey}` })).toBe(401);
		sandbox.revokeKey();
		expect((await call(sandbox, 'GET', '/v1/workspace')).body).toEqual({
			detail: 'API key revoked',
		});
		sandbox.restoreKey();
		expect((await call(sandbox, 'GET', '/v1/workspace')).status).toBe(200);
	});

	it('gives the id and name of the workspace', async () => {
		expect((await call(sandbox, 'GET', '/v1/workspace')).body).toEqual({
			id: expect.any(String),
			name: expect.any(String),
		});
	});

	it('answers an unknown path with 401 first, then 404 as JSON', async () => {
		expect((await fetch(`${sandbox.url}/v1/nothing`)).status).toBe(401);
		const answer = await call(sandbox, 'GET', '/v1/nothing');
		expect(answer).toMatchObject({ status: 404, body: { detail: 'path not found' } });
		expect((await call(sandbox, 'PUT', '/v1/contacts', {})).status).toBe(404);
	});

	it.each([
		['no JSON', 'application/json', '{"phone":'],
		['an array', 'application/json', '[]'],
		['null', 'application/json', 'null'],
		['nothing', 'application/json', ''],
		['another type', 'text/plain', '{"phone":"+4915123456789"}'],
	])('answers 422 when the body is %s', async (_case, type, body) => {
		const response = await fetch(`${sandbox.url}/v1/contacts`, {
			method: 'POST',
			headers: { 'x-api-key': sandbox.apiKey, 'content-type': type },
			body,
		});
		expect(response.status).toBe(422);
		expect(await response.json()).toEqual({ detail: expect.stringContaining('body') });
	});

	it('records every request as it came, also a refused one', async () => {
		await call(sandbox, 'GET', '/v1/contacts/a%2Fb?x=1&x=2&y=%C3%A9');
		sandbox.revokeKey();
		await call(sandbox, 'POST', '/v1/contacts', { phone: 'x' });
		expect(sandbox.requests).toMatchObject([
			{
				method: 'GET',
				path: '/v1/contacts/a%2Fb',
				query: { x: ['1', '2'], y: 'é' },
				headers: { authorization: `Bearer ${sandbox.apiKey}` },
				body: undefined,
				status: 404,
			},
			{ method: 'POST', path: '/v1/contacts', body: { phone: 'x' }, status: 401 },
		]);
	});

	it('delays every answer by the latency that is set', async () => {
		sandbox.setLatency(60);
		const startMs = Date.now();
		await call(sandbox, 'GET', '/v1/workspace');
		expect(Date.now() - startMs).toBeGreaterThanOrEqual(59);
	});

	it('closes at once although an answer is under way', async () => {
		const slow = await startSandbox({ latencyMs: 60_000 });
		const pending = call(slow, 'GET', '/v1/workspace').catch(() => 'cut off');
		while (slow.requests.length === 0) await call(sandbox, 'GET', '/v1/workspace');
		const startMs = Date.now();
		await slow.close();
		expect(Date.now() - startMs).toBeLessThan(1000);
		await pending;
	});
});
