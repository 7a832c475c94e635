import { startSandbox, type Sandbox } from '../../../tools/sandbox';
import { addContact, call } from './harness';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ limiter: { kind: 'sliding', limit: 2 } });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

const withoutKey = async (method: string, path: string, body?: unknown) =>
	await call({ url: sandbox.url, apiKey: 'none' }, method, path, body);

it('is one page that loads nothing else and contains no data', async () => {
	addContact(sandbox, { name: 'Anna Schmidt' });
	const { headers, text } = await withoutKey('GET', '/');
	const policy = headers.get('content-security-policy');
	expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^ ]{44}'; style-src 'sha256-/);
	expect(policy).not.toContain('unsafe');
	expect(text).not.toMatch(/ src=|href="(?!data:)|Anna Schmidt/);
	expect(sandbox.requests).toEqual([]);
});

it('shows no signing secret, signature or request header', async () => {
	const url = 'https://n8n.example.com/hook';
	const events = ['contact.created'];
	await call(sandbox, 'POST', '/v1/subscriptions', { url, events });
	sandbox.emit.inboundMessage({ phone: '+34612345678' }, 'Hi');
	await sandbox.settled();
	const { text, body } = await withoutKey('GET', '/console/state');
	expect(body.lists).toMatchObject({
		subscriptions: { total: 1, rows: [{ url, events }] },
		deliveries: { total: 1, rows: [{ url, attempts: [{ status: null }] }] },
		requests: { total: 1, rows: [{ path: '/v1/subscriptions', status: 201 }] },
	});
	const [{ secret }] = sandbox.store.subscriptions.values();
	expect(text).not.toContain(secret);
	expect(text).not.toContain(sandbox.deliveries[0].headers['x-service-signature']);
	expect(text).not.toMatch(/"secret"|authorization/);
});

it('saves contacts like the API, outside its rate limit', async () => {
	const contact = { phone: '+34612345678', name: 'Ana', tags: ['vip'], opt_in: true };
	for (let times = 0; times < 3; times += 1) {
		expect((await withoutKey('POST', '/console/contacts', contact)).status).toBe(200);
	}
	expect([...sandbox.store.contacts.values()]).toMatchObject([
		{ name: 'Ana', tags: ['vip'], opt_in_status: 'confirmed' },
	]);
	expect(sandbox.requests).toEqual([]);
});

it('sends a delivery again under its ID, and another one two hours late', async () => {
	const url = 'https://n8n.example.com/hook';
	await call(sandbox, 'POST', '/v1/subscriptions', { url, events: ['message.received'] });
	sandbox.emit.inboundMessage({ phone: '+34612345678' }, 'Hi');
	await sandbox.settled();
	const [{ deliveryId, body }] = sandbox.deliveries;
	const path = `/console/deliveries/${deliveryId}`;
	expect((await withoutKey('POST', `${path}/again`, {})).status).toBe(200);
	expect(sandbox.deliveries.map(({ attempts }) => attempts.length)).toEqual([2]);
	expect((await withoutKey('POST', `${path}/late`, {})).status).toBe(200);
	await sandbox.settled();
	const [, late] = sandbox.deliveries;
	expect(late.deliveryId).not.toBe(deliveryId);
	const createdMs = (text: string) =>
		Date.parse((JSON.parse(text) as { created_at: string }).created_at);
	expect(createdMs(body) - createdMs(late.body)).toBe(7_200_000);
	expect((await withoutKey('POST', '/console/deliveries/none/late', {})).status).toBe(404);
});
