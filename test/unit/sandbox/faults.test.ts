import { startSandbox, type Sandbox } from '../../sandbox';
import { call } from './harness';

describe('faults on cue', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	const create = async () =>
		await call(sandbox, 'POST', '/v1/contacts', { phone: '+4915123456789' });

	it('strikes matching requests only, after those to skip, as often as told', async () => {
		sandbox.fail({
			match: { method: 'post', path: /contacts$/ },
			skip: 1,
			times: 2,
			kind: { status: 503 },
		});
		expect((await call(sandbox, 'GET', '/v1/contacts')).status).toBe(200);
		const statuses = [];
		for (let count = 0; count < 4; count += 1) statuses.push((await create()).status);
		expect(statuses).toEqual([201, 503, 503, 200]);
		sandbox.fail({ times: Infinity, kind: { status: 500 } });
		expect((await create()).status).toBe(500);
		expect((await create()).status).toBe(500);
		sandbox.clearFaults();
		expect((await create()).status).toBe(200);
	});

	it('lets a refused request pass without using up a fault', async () => {
		sandbox.fail({ kind: { status: 503 } });
		expect((await fetch(`${sandbox.url}/v1/contacts`)).status).toBe(401);
		expect((await create()).status).toBe(503);
	});

	it('answers a status with detail, headers or a body of its own', async () => {
		sandbox.setLatency(20);
		sandbox.fail({
			kind: { status: 429, detail: 'slow down', headers: { 'retry-after': '7' } },
		});
		const limited = await create();
		expect(limited).toMatchObject({ status: 429, body: { detail: 'slow down' } });
		expect(limited.headers.get('retry-after')).toBe('7');
		expect(sandbox.store.contacts.size).toBe(0);
		sandbox.fail({ kind: { status: 502, body: '<h1>Bad gateway</h1>' } });
		const page = await create();
		expect(page).toMatchObject({ status: 502, text: '<h1>Bad gateway</h1>' });
		expect(page.headers.get('content-type')).toContain('text/html');
		sandbox.fail({ kind: { status: 504, afterEffect: true } });
		expect(await create()).toMatchObject({ status: 504, body: { detail: 'Fault 504' } });
		expect(sandbox.store.contacts.size).toBe(1);
		expect(sandbox.requests.map(({ status }) => status)).toEqual([429, 502, 504]);
	});

	it.each([
		['beforeEffect', 0],
		['afterEffect', 1],
	] as const)('drops the connection %s', async (drop, contacts) => {
		sandbox.fail({ kind: { drop } });
		await expect(create()).rejects.toThrow('fetch failed');
		expect(sandbox.store.contacts.size).toBe(contacts);
		expect(sandbox.requests).toMatchObject([{ status: 0, body: { phone: '+4915123456789' } }]);
		expect((await create()).body.created).toBe(contacts === 0);
	});
});
