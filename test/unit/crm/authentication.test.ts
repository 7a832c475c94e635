import fc from 'fast-check';

import { authenticate, type RequestOptions } from '../../../nodes/WorkspaceCrm/crm/apiKey';

const BASE = 'https://crm.example.com/api';
const TAGS = `${BASE}/v1/tags`;
const credential = { baseUrl: `${BASE}/`, apiKey: ' secret-key ', authHeader: 'bearer' };
const sent = (options: RequestOptions) => authenticate(credential, options);

test("replaces the workflow's headers that hold a key, and keeps the others", () => {
	expect(sent({ url: TAGS, headers: { 'X-Trace': '1', Authorization: 'mine' } }).headers).toEqual({
		'X-Trace': '1',
		Authorization: 'Bearer secret-key',
	});
});

test.each<[string, RequestOptions]>([
	['a whole URL', { url: TAGS }],
	['the older name', { uri: TAGS }],
	['a path', { url: '/v1/tags' }],
	['a path without a slash', { url: 'v1/tags' }],
	['a path behind a base URL', { url: '/v1/tags', baseURL: BASE }],
])('accepts %s, and gives n8n only the checked URL', (_name, options) => {
	expect(sent(options)).toMatchObject({ url: TAGS, uri: undefined, baseURL: undefined });
});

test.each([
	'https://evil.example/v1/tags',
	'http://crm.example.com/api/v1/tags',
	'https://crm.example.com/v1/tags',
	'https://crm.example.com/api-of-others/v1/tags',
	'https://crm.example.com/api/../v1/tags',
	'https://crm.example.com/api/%2e%2e/v1/tags',
	'https://crm.example.com.evil.example/api/v1',
	'https://crm.example.com:8443/api/v1',
	'https://crm.example.com@evil.example/api',
	'//evil.example/api/v1',
	'https:evil.example/api',
	'https://',
])('the key is not sent to %s', (url) => {
	for (const options of [{ url }, { uri: url }, { url: '/v1/tags', baseURL: url }]) {
		expect(() => sent(options)).toThrow(
			/^The API key is only sent to https:\/\/crm\.example\.com\/api/,
		);
	}
});

test('the key is not sent to a host whose name starts with that of the base URL', () => {
	const baseUrl = 'https://crm.example.com';
	for (const url of [`${baseUrl}.evil.example/v1/tags`, `${baseUrl}:8443/v1/tags`]) {
		expect(() => authenticate({ ...credential, baseUrl }, { url })).toThrow(
			'The API key is only sent to https://crm.example.com, ',
		);
	}
});

test("the key is not sent through a workflow's proxy", () => {
	for (const proxy of ['http://evil.example', { host: 'evil.example', port: 1 }]) {
		expect(() => sent({ url: TAGS, proxy })).toThrow('The API key is not sent through a proxy');
	}
});

test.each(['Host', 'host', 'HOST', 'hOsT', ' Host '])(
	'the key is not sent with a header %j, which could name another site of the server',
	(name) => {
		for (const value of ['evil.example', 'crm.example.com', '']) {
			const headers = { 'X-Trace': '1', [name]: value };
			expect(() => sent({ url: TAGS, headers })).toThrow(
				"The API key is not sent with a header 'Host'",
			);
		}
	},
);

test('headers whose names only contain "host" stay', () => {
	const headers = { 'X-Forwarded-Host': 'a.example', Hostname: 'b' };
	expect(sent({ url: TAGS, headers }).headers).toMatchObject(headers);
});

test.each<[string, RequestOptions]>([
	['Ignore SSL Issues', { rejectUnauthorized: false }],
	["Ignore SSL Issues in n8n's newer helper", { skipSslCertificateValidation: true }],
	['a certificate authority of its own', { agentOptions: { ca: 'PEM' } }],
	['an agent that checks nothing', { agentOptions: { rejectUnauthorized: false } }],
])('the key is not sent with %s', (_name, options) => {
	expect(() => sent({ url: TAGS, ...options })).toThrow(
		'The API key is only sent where n8n itself trusts the certificate',
	);
});

test('a client certificate and checks that are turned on change nothing', () => {
	const agentOptions = { cert: 'PEM', key: 'PEM', passphrase: 'x' };
	const options = { rejectUnauthorized: true, skipSslCertificateValidation: false, agentOptions };
	expect(sent({ url: TAGS, ...options })).toMatchObject({ agentOptions, url: TAGS });
});

test('follows no redirect, whatever is set', () => {
	const set = { followRedirect: true, followAllRedirects: true, maxRedirects: 21 };
	expect(sent({ url: TAGS, ...set })).toMatchObject({
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
		maxRedirects: 0,
		sendCredentialsOnCrossOriginRedirect: false,
	});
});

test.each([
	[{ useStream: true }, false],
	[{ useStream: true, simple: false }, true],
])('streams only if pagination needs it: %j', (options, expected) => {
	expect(sent({ url: TAGS, ...options }).useStream).toBe(expected);
});

test('refuses a key that no header can hold', () => {
	expect(() => authenticate({ ...credential, apiKey: 'key\u200b' }, { url: TAGS })).toThrow(
		'The API key contains a character that cannot be sent',
	);
});

test('every URL is refused or lies below the base URL', () => {
	const part = fc.constantFrom(
		...['https:', '//', '/', '\\', '@', ':', '..', '.', '%2e', '%2f', '?', '#', ' ', '\t'],
		...['crm.example.com', 'evil.example', 'api', 'v1'],
	);
	const texts = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(''));
	fc.assert(
		fc.property(texts, fc.option(texts, { nil: undefined }), (url, baseURL) => {
			let target: string;
			try {
				target = sent({ url, baseURL }).url;
			} catch {
				return;
			}
			const { origin, pathname } = new URL(target);
			expect(origin).toBe('https://crm.example.com');
			expect(`${pathname}/`.startsWith('/api/')).toBe(true);
		}),
		{ numRuns: 2_000 },
	);
});
