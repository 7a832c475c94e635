import { startSandbox, type Sandbox, type Subscription } from '../../sandbox';
import { call } from './harness';

describe('subscriptions of the sandbox', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	const create = async (url: unknown, events: unknown = ['tag.added']) =>
		await call<Subscription>(sandbox, 'POST', '/v1/subscriptions', { url, events });

	it('gives the secret once, when the subscription is created', async () => {
		const { status, body } = await create('https://n8n.example.com/hook?x=1');
		expect(status).toBe(201);
		expect(body.secret).toMatch(/^[0-9a-f]{64}$/);
		const { secret, ...listed } = body;
		const list = await call(sandbox, 'GET', '/v1/subscriptions');
		expect(list.body).toEqual([listed]);
		expect(list.text).not.toContain(secret);
	});

	it('deletes, and answers 204 again when it is already gone', async () => {
		const path = `/v1/subscriptions/${(await create('https://n8n.example.com/')).body.id}`;
		expect(await call(sandbox, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
		expect((await call(sandbox, 'DELETE', path)).status).toBe(204);
		expect((await call(sandbox, 'GET', '/v1/subscriptions')).body).toEqual([]);
	});

	it.each([
		'http://n8n.example.com/',
		'https://localhost/',
		'https://LOCALHOST./',
		'https://n8n/',
		'https://n8n.local/',
		'https://127.0.0.1/',
		'https://127.1/',
		'https://10.1.2.3/',
		'https://172.20.0.1/',
		'https://192.168.0.1:8443/',
		'https://[::1]/',
		'https://[fd00::1]/',
		'https://[::ffff:127.0.0.1]/',
		'n8n.example.com',
		'',
		5,
	])('answers 422 to the url %s', async (url) => {
		const answer = await create(url);
		expect(answer.status).toBe(422);
		expect(answer.text).toContain('url');
	});

	it.each(['https://n8n.example.com:8443/x', 'https://93.184.216.34/', 'https://münchen.example/'])(
		'accepts the url %s',
		async (url) => expect((await create(url)).status).toBe(201),
	);

	it.each([[[]], ['tag.added'], [['tag.removed']], [[1]], [null]])(
		'answers 422 to the events %j',
		async (events) => {
			expect((await create('https://n8n.example.com/', events)).status).toBe(422);
		},
	);

	it('allows 20 active subscriptions', async () => {
		for (let count = 0; count < 20; count += 1) {
			expect((await create(`https://n8n.example.com/${count}`)).status).toBe(201);
		}
		expect(await create('https://n8n.example.com/21')).toMatchObject({
			status: 409,
			body: { detail: expect.stringContaining('20') },
		});
		sandbox.store.rules.tooManySubscriptionsStatus = 422;
		expect((await create('https://n8n.example.com/21')).status).toBe(422);
		const [first] = sandbox.store.subscriptions.keys();
		await call(sandbox, 'DELETE', `/v1/subscriptions/${first}`);
		expect((await create('https://n8n.example.com/21')).status).toBe(201);
	});
});
