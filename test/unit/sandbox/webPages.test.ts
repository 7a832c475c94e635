import { startSandbox, type Sandbox } from '../../../tools/sandbox';
import { http, net, once } from '../../../tools/support/platform';
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
const changing: Array<[method: string, path: string]> = [
	...['reset', 'fail', 'inbound-message', 'opt-out', 'form'].map((name): [string, string] => [
		'POST',
		`/sandbox/${name}`,
	]),
	['POST', '/console/contacts'],
	['DELETE', '/console/failures'],
	['POST', '/v1/contacts'],
];
const body = '{"phone":"+34612345678","text":"Hi","kind":{"status":500}}';

/** Expects that every request with these headers is refused, and changes nothing. */
async function expectClosed(headers: http.OutgoingHttpHeaders) {
	for (const path of reading) {
		const answer = await ask(sandbox, { path, headers: { ...key(), ...headers } });
		expect([path, answer.status]).toEqual([path, 403]);
		expect(answer.text).not.toContain(secret);
		expect(answer.text).not.toContain(sandbox.apiKey);
		expect(answer.headers['access-control-allow-origin']).toBeUndefined();
	}
	for (const [method, path] of changing) {
		const all = { ...json, ...key(), ...headers };
		expect([path, (await ask(sandbox, { method, path, headers: all, body })).status]).toEqual([
			path,
			403,
		]);
	}
	expect(sandbox.requests).toEqual([]);
	expect(sandbox.store.contacts.size).toBe(1);
}

it.each<[string, () => string]>([
	['another name', () => `rebound.example.com:${port}`],
	['a name that starts like ours', () => `localhost.example.com:${port}`],
	['a name that ends like ours', () => `a.localhost:${port}`],
	['no port', () => '127.0.0.1'],
	['another port', () => `127.0.0.1:${Number(port) - 1}`],
	['all addresses', () => `0.0.0.0:${port}`],
	['a user', () => `rebound.example.com@127.0.0.1:${port}`],
])('refuses a host name that a page points to this machine: %s', async (_case, host) => {
	await expectClosed({ host: host() });
	await expectClosed({ host: host(), origin: `http://${host()}` });
});

it.each<[string, () => string]>([
	['another website', () => 'https://other.example.com'],
	['another port of this machine', () => `http://127.0.0.1:${Number(port) - 1}`],
	['another name of this machine', () => `http://localhost:${port}`],
	['a file or a sandboxed frame', () => 'null'],
	['nothing', () => ''],
])('refuses a page of another origin: %s', async (_case, origin) => {
	await expectClosed({ origin: origin() });
	const asking = { origin: origin(), 'access-control-request-method': 'POST' };
	const answer = await ask(sandbox, { method: 'OPTIONS', path: '/sandbox/reset', headers: asking });
	expect(answer.status).toBe(403);
	expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});

it('no page can load anything here as a script or a picture', async () => {
	for (const path of ['/', '/console/state', '/sandbox/state', '/sandbox/requests']) {
		expect((await ask(sandbox, { path })).headers).toMatchObject({
			'cross-origin-resource-policy': 'same-origin',
			'x-content-type-options': 'nosniff',
		});
	}
});

it('refuses a request without a host', async () => {
	const socket = net.connect(Number(port), '127.0.0.1');
	socket.end('GET /sandbox/state HTTP/1.0\r\n\r\n');
	const [answer] = (await once(socket, 'data')) as [Buffer];
	expect(String(answer)).toMatch(/^HTTP\/1\.1 403 /);
});

it.each<[string, http.OutgoingHttpHeaders]>([
	['none', {}],
	['text', { 'content-type': 'text/plain;charset=UTF-8' }],
	['text that mentions JSON', { 'content-type': 'text/plain; application/json' }],
	['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
	['another kind of JSON', { 'content-type': 'application/json-patch+json' }],
])('refuses a body that is not JSON: %s', async (...row) => {
	const [, headers] = row;
	const [{ id }] = sandbox.store.contacts.values();
	sandbox.fail({ match: { path: '/v1/tags' }, kind: { status: 500 } });
	for (const [method, path] of [...changing, ['PATCH', `/v1/contacts/${id}`]]) {
		const all = { ...key(), ...headers };
		const { status } = await ask(sandbox, { method, path, headers: all, body });
		expect([path, status]).toEqual([path, 422]);
	}
	expect(sandbox.store.contacts.size).toBe(1);
	expect((await call(sandbox, 'GET', '/v1/tags')).status).toBe(500);
});

it('accepts the names of this machine, and the address it listens on', async () => {
	for (const name of ['127.0.0.1', 'localhost', 'LocalHost', '[::1]']) {
		const headers = { ...key(), host: `${name}:${port}` };
		expect((await ask(sandbox, { path: '/sandbox/state', headers })).status).toBe(200);
	}
	const other = await startSandbox({ host: '127.0.0.2' });
	expect(new URL(other.url).hostname).toBe('127.0.0.2');
	expect((await ask(other, {})).status).toBe(200);
	await other.close();
});

it('accepts the names it was started with, and says how to add one', async () => {
	const { text } = await ask(sandbox, { headers: { host: 'crm.example.com' } });
	expect(text).toContain('to make it one, start with --allow-host crm.example.com');
	const allowedHosts = ['Crm.example.com', 'host.docker.internal:8787'];
	const known = await startSandbox({ allowedHosts });
	const statusOf = async (headers: http.OutgoingHttpHeaders) =>
		(await ask(known, { path: '/sandbox/state', headers })).status;
	expect(await statusOf({ host: 'crm.example.com' })).toBe(200);
	// a tunnel speaks https to the browser, and http to us
	expect(await statusOf({ host: 'CRM.example.com', origin: 'https://crm.example.com' })).toBe(200);
	expect(await statusOf({ host: 'host.docker.internal:8787' })).toBe(200);
	for (const host of ['host.docker.internal:8788', 'crm.example.com:8787', 'a.crm.example.com']) {
		expect(await statusOf({ host })).toBe(403);
	}
	await known.close();
});

it('accepts its own page', async () => {
	const headers = { ...json, origin: sandbox.url };
	const fail = { method: 'POST', path: '/sandbox/fail', headers, body };
	expect((await ask(sandbox, fail)).status).toBe(200);
	const callOff = { method: 'DELETE', path: '/console/failures', headers };
	expect((await ask(sandbox, callOff)).status).toBe(200);
	const state = { path: '/console/state', headers: { 'sec-fetch-site': 'same-origin' } };
	expect((await ask(sandbox, state)).text).toContain(sandbox.apiKey);
});

it('reads the path of a fault as text, not as a pattern', async () => {
	// as a pattern, it would try 2 ** 30 ways, for half a minute, before it finds no match
	const fault = { match: { path: '(a+)+$' }, kind: { status: 503 } };
	expect((await call(sandbox, 'POST', '/sandbox/fail', fault)).status).toBe(200);
	const path = `/v1/contacts/${'a'.repeat(30)}!`;
	expect((await call(sandbox, 'GET', path)).status).toBe(404);
	sandbox.clearFaults();
	await call(sandbox, 'POST', '/sandbox/fail', { ...fault, match: { path: '/work' } });
	expect((await call(sandbox, 'GET', '/v1/tags')).status).toBe(200);
	expect((await call(sandbox, 'GET', '/v1/workspace')).status).toBe(503);
});
