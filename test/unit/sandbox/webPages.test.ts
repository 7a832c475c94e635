import { startSandbox, type Sandbox } from '../../sandbox';
import { http, net, once } from '../../support/platform';
import { addContact, call } from './harness';

interface Wish {
	method?: string;
	path?: string;
	/** As they go over the wire, `Host` too. */
	headers?: http.OutgoingHttpHeaders;
	body?: string;
}

/** Sends what a browser would send for a page, with headers that `fetch` keeps for itself. */
async function ask({ url }: Sandbox, { method = 'GET', path = '/', headers, body }: Wish) {
	const length = body === undefined ? {} : { 'content-length': body.length };
	const options = { method, headers: { ...headers, ...length }, agent: false };
	const request = http.request(url + path, options);
	request.end(body);
	const [response] = (await once(request, 'response')) as [http.IncomingMessage];
	response.setEncoding('utf8');
	let text = '';
	for await (const part of response) text += part;
	return { status: response.statusCode, headers: response.headers, text };
}

let sandbox: Sandbox;
let port: string;
let secret: string;
beforeAll(async () => {
	sandbox = await startSandbox({ limiter: { kind: 'off' } });
	port = new URL(sandbox.url).port;
});
beforeEach(async () => {
	sandbox.reset();
	addContact(sandbox);
	const url = 'https://n8n.example.com/hook';
	const events = ['contact.created'];
	const made = await call<{ secret: string }>(sandbox, 'POST', '/v1/subscriptions', {
		url,
		events,
	});
	secret = made.body.secret;
	sandbox.requests.length = 0;
});
afterAll(async () => await sandbox.close());

const key = () => ({ 'x-api-key': sandbox.apiKey });
const json = { 'content-type': 'application/json' };
const reading = ['/', '/console/state', '/sandbox/state', '/v1/contacts', '/x'];

describe('a name that a page makes point to this machine', () => {
	const foreign: Array<[string, () => string]> = [
		['another name', () => `rebound.example.com:${port}`],
		['a name that begins like ours', () => `localhost.example.com:${port}`],
		['a name that ends like ours', () => `a.localhost:${port}`],
		['no port', () => '127.0.0.1'],
		['another port', () => `127.0.0.1:${Number(port) - 1}`],
		['all addresses', () => `0.0.0.0:${port}`],
		['a user', () => `rebound.example.com@127.0.0.1:${port}`],
	];

	it.each(foreign)('reads nothing: %s', async (_case, host) => {
		for (const path of reading) {
			const answer = await ask(sandbox, { path, headers: { ...key(), host: host() } });
			expect(answer.status).toBe(403);
			expect(answer.text).not.toContain(secret);
			expect(answer.text).not.toContain(sandbox.apiKey);
		}
		expect(sandbox.requests).toEqual([]);
	});

	it.each(foreign)('changes nothing: %s', async (_case, host) => {
		const headers = { ...json, ...key(), host: host(), origin: `http://${host()}` };
		for (const path of ['/sandbox/reset', '/console/contacts', '/v1/contacts']) {
			const body = '{"phone":"+34612345678"}';
			expect((await ask(sandbox, { method: 'POST', path, headers, body })).status).toBe(403);
		}
		const path = '/console/failures';
		expect((await ask(sandbox, { method: 'DELETE', path, headers })).status).toBe(403);
		expect(sandbox.store.contacts.size).toBe(1);
	});

	it('reads nothing without a name, as HTTP once was', async () => {
		const socket = net.connect(Number(port), '127.0.0.1');
		socket.end('GET /sandbox/state HTTP/1.0\r\n\r\n');
		const [answer] = (await once(socket, 'data')) as [Buffer];
		expect(String(answer)).toMatch(/^HTTP\/1\.1 403 /);
	});

	it('is told what to do, should it be one of ours', async () => {
		const { text } = await ask(sandbox, { headers: { host: 'crm.example.com' } });
		expect(JSON.parse(text)).toEqual({
			detail:
				"'crm.example.com' is not a name of this sandbox; to make it one, start with --allow-host crm.example.com",
		});
	});

	it('is let in when the sandbox was told of it, as it was told', async () => {
		const allowedHosts = ['Crm.example.com', 'host.docker.internal:8787'];
		const known = await startSandbox({ allowedHosts });
		const statusOf = async (headers: http.OutgoingHttpHeaders) =>
			(await ask(known, { path: '/sandbox/state', headers })).status;
		expect(await statusOf({ host: 'crm.example.com' })).toBe(200);
		// a tunnel speaks https to the browser, and http to us
		expect(await statusOf({ host: 'CRM.example.com', origin: 'https://crm.example.com' })).toBe(
			200,
		);
		expect(await statusOf({ host: 'host.docker.internal:8787' })).toBe(200);
		expect(await statusOf({ host: 'host.docker.internal:8788' })).toBe(403);
		expect(await statusOf({ host: 'crm.example.com:8787' })).toBe(403);
		expect(await statusOf({ host: 'a.crm.example.com' })).toBe(403);
		await known.close();
	});
});

it.each(['127.0.0.1', 'localhost', 'LocalHost', '[::1]'])('is known as %s', async (name) => {
	for (const path of reading.slice(0, -1)) {
		const headers = { ...key(), host: `${name}:${port}` };
		expect((await ask(sandbox, { path, headers })).status).toBe(200);
	}
});

it('is known by the address that it listens on', async () => {
	const other = await startSandbox({ host: '127.0.0.2' });
	expect(new URL(other.url).hostname).toBe('127.0.0.2');
	expect((await ask(other, {})).status).toBe(200);
	await other.close();
});

describe('a page of another origin', () => {
	const origins: Array<[string, () => string]> = [
		['another website', () => 'https://other.example.com'],
		['another port of this machine', () => `http://127.0.0.1:${Number(port) - 1}`],
		['another name of this machine', () => `http://localhost:${port}`],
		['a file or a sandboxed frame', () => 'null'],
		['nothing', () => ''],
	];

	it.each(origins)('reads and changes nothing: %s', async (_case, origin) => {
		for (const path of reading) {
			const headers = { ...key(), origin: origin() };
			expect((await ask(sandbox, { path, headers })).status).toBe(403);
		}
		for (const path of ['/sandbox/reset', '/sandbox/fail', '/v1/contacts']) {
			const headers = { ...json, ...key(), origin: origin() };
			const body = '{"phone":"+34612345678","kind":{"status":500}}';
			expect((await ask(sandbox, { method: 'POST', path, headers, body })).status).toBe(403);
		}
		expect(sandbox.store.contacts.size).toBe(1);
		expect((await call(sandbox, 'GET', '/v1/workspace')).status).toBe(200);
	});

	it('is never told that it may', async () => {
		const headers = {
			origin: 'https://other.example.com',
			'access-control-request-method': 'POST',
			'access-control-request-headers': 'content-type',
		};
		const answer = await ask(sandbox, { method: 'OPTIONS', path: '/sandbox/reset', headers });
		expect(answer.status).toBe(403);
		expect(answer.headers['access-control-allow-origin']).toBeUndefined();
	});

	it('cannot even load what needs no origin, such as a script or a picture', async () => {
		for (const path of ['/', '/console/state', '/sandbox/state', '/sandbox/requests']) {
			expect((await ask(sandbox, { path })).headers).toMatchObject({
				'cross-origin-resource-policy': 'same-origin',
				'x-content-type-options': 'nosniff',
			});
		}
	});
});

it('lets its own page do what it does', async () => {
	const headers = { ...json, origin: sandbox.url };
	const fail = { method: 'POST', path: '/sandbox/fail', headers, body: '{"kind":{"status":500}}' };
	expect((await ask(sandbox, fail)).status).toBe(200);
	const callOff = { method: 'DELETE', path: '/console/failures', headers };
	expect((await ask(sandbox, callOff)).status).toBe(200);
	const state = { path: '/console/state', headers: { 'sec-fetch-site': 'same-origin' } };
	expect((await ask(sandbox, state)).text).toContain(sandbox.apiKey);
});

describe('what a page may send without asking: a body that is not JSON', () => {
	const types: Array<[string, http.OutgoingHttpHeaders]> = [
		['none', {}],
		['text', { 'content-type': 'text/plain;charset=UTF-8' }],
		['text that mentions JSON', { 'content-type': 'text/plain; application/json' }],
		['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
		['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
		['another kind of JSON', { 'content-type': 'application/json-patch+json' }],
	];
	const bodies = [undefined, '{"phone":"+34612345678","text":"Hi","kind":{"status":500}}'];

	it.each(types)('does nothing: %s', async (_case, headers) => {
		const paths = ['reset', 'fail', 'inbound-message', 'opt-out', 'form'].map(
			(name) => `/sandbox/${name}`,
		);
		for (const body of bodies) {
			for (const path of [...paths, '/console/contacts']) {
				const { status, text } = await ask(sandbox, { method: 'POST', path, headers, body });
				expect({ path, status, text }).toEqual({
					path,
					status: 422,
					text: '{"detail":"body must be JSON, sent as application/json"}',
				});
			}
		}
		sandbox.fail({ kind: { status: 500 } });
		const path = '/console/failures';
		expect((await ask(sandbox, { method: 'DELETE', path, headers })).status).toBe(422);
		expect((await call(sandbox, 'GET', '/v1/tags')).status).toBe(500);
		expect(sandbox.store.contacts.size).toBe(1);
	});

	it.each(types)(
		'is refused by the API too, whatever the endpoint reads: %s',
		async (_case, type) => {
			const [{ id }] = sandbox.store.contacts.values();
			const headers = { ...key(), ...type };
			const body = '{"phone":"+34612345678"}';
			for (const [method, path] of [
				['POST', '/v1/contacts'],
				['PATCH', `/v1/contacts/${id}`],
				['DELETE', `/v1/contacts/${id}`],
			]) {
				expect((await ask(sandbox, { method, path, headers, body })).status).toBe(422);
			}
			expect(sandbox.store.contacts.size).toBe(1);
			const erase = { method: 'DELETE', path: `/v1/contacts/${id}`, headers: key() };
			expect((await ask(sandbox, erase)).status).toBe(204);
		},
	);
});

it('takes what a fault is to strike as text, not as a pattern that may never end', async () => {
	// a pattern that tries 2 ** 30 ways, half a minute, before it finds that none fits
	const endless = '(a+)+$';
	const path = `/v1/contacts/${'a'.repeat(30)}!`;
	const fault = { match: { path: endless }, kind: { status: 503 } };
	expect((await call(sandbox, 'POST', '/sandbox/fail', fault)).status).toBe(200);
	const signal = AbortSignal.timeout(10_000);
	const response = await fetch(sandbox.url + path, { headers: key(), signal });
	expect(response.status).toBe(404);

	sandbox.clearFaults();
	await call(sandbox, 'POST', '/sandbox/fail', { ...fault, match: { path: '/work' } });
	expect((await call(sandbox, 'GET', '/v1/tags')).status).toBe(200);
	expect((await call(sandbox, 'GET', '/v1/workspace')).status).toBe(503);
});
