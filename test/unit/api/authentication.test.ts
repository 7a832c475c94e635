import * as fc from 'fast-check';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { authenticate, type RequestOptions } from '../../../nodes/WorkspaceCrm/api/authentication';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { thrownBy } from '../../support/thrownBy';
import { anyCharacter } from '../../support/anyCharacter';

const ORIGIN = 'https://crm.example.com';
const TAGS = `${ORIGIN}/v1/tags`;

function sent(options: RequestOptions, more: ICredentialDataDecryptedObject = {}) {
	return authenticate({ baseUrl: ORIGIN, apiKey: 'secret', ...more }, options);
}

const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
	sendCredentialsOnCrossOriginRedirect: false,
};

describe('a request to the service', () => {
	it.each([
		['of the newer helper', { url: TAGS }],
		['of the older helper', { uri: TAGS }],
		['of the older helper, for the next page', { url: TAGS, uri: `${ORIGIN}/v1/contacts` }],
		['relative to a base URL', { url: '/v1/tags', baseURL: ORIGIN }],
		['relative to a base URL with a slash', { url: 'v1/tags', baseURL: `${ORIGIN}/` }],
		['relative to the credential', { url: '/v1/tags' }],
		['in other letters', { url: 'HTTPS://CRM.Example.COM/v1/tags' }],
		['with the usual port', { uri: 'https://crm.example.com:443/v1/tags' }],
		['with dots', { uri: `${ORIGIN}/v2/../v1/./tags` }],
		['with backslashes', { uri: 'https:\\\\crm.example.com\\v1\\tags' }],
		['with line breaks', { uri: 'https://crm.exa\nmple.com/v1/\ttags' }],
	])('%s is sent to the address that was checked, and to no other', (_form, options) => {
		const { url, uri, baseURL } = sent(options);
		expect({ url, uri, baseURL }).toEqual({ url: TAGS, uri: undefined, baseURL: undefined });
	});

	it('keeps all other options, and the object that it was given stays as it was', () => {
		const options = { uri: TAGS, method: 'POST', body: { a: 1 }, headers: { Accept: 'text/*' } };
		const before = structuredClone(options);
		expect(sent(options)).toEqual({
			...NO_REDIRECTS,
			useStream: false,
			method: 'POST',
			body: { a: 1 },
			url: TAGS,
			headers: { Accept: 'text/*', Authorization: 'Bearer secret' },
		});
		expect(options).toEqual(before);
	});

	it('keeps its query', () => {
		expect(sent({ uri: `${TAGS}?q=a%20b&q=c` }).url).toBe(`${TAGS}?q=a%20b&q=c`);
	});

	it('follows no redirect, whatever was set', () => {
		const set = {
			disableFollowRedirect: false,
			followRedirect: true,
			followAllRedirects: true,
			maxRedirects: 21,
			sendCredentialsOnCrossOriginRedirect: true,
		};
		expect(sent({ uri: TAGS, ...set })).toMatchObject(NO_REDIRECTS);
	});

	it.each([
		[{ useStream: true }, false],
		[{ useStream: true, simple: true }, false],
		[{ useStream: true, simple: false }, true],
		[{ simple: false }, undefined],
	])('is answered by a stream only where pagination may need it: %j', (options, expected) => {
		expect(sent({ uri: TAGS, ...options }).useStream).toBe(expected);
	});

	it('has no sign-in but the key', () => {
		const { auth } = sent({ uri: TAGS, auth: { user: 'me', pass: 'mine' } } as RequestOptions);
		expect(auth).toBeUndefined();
	});

	it.each(['GET', 'get', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', '', undefined])(
		'has the method %p',
		(method) => expect(sent({ uri: TAGS, method }).method).toBe(method),
	);

	it.each([
		['no proxy', { proxy: '' }],
		['certificates checked', { rejectUnauthorized: true, skipSslCertificateValidation: false }],
		['a client certificate', { agentOptions: { cert: 'a', key: 'b', passphrase: 'c' } }],
	])('may have %s', (_what, options) => {
		expect(sent({ uri: TAGS, ...options })).toMatchObject({ url: TAGS, ...options });
	});
});

describe('headers', () => {
	it.each([
		['bearer', { Authorization: 'Bearer secret' }],
		['', { Authorization: 'Bearer secret' }],
		['xApiKey', { 'X-API-Key': 'secret' }],
	])('have the key as chosen, once, in whatever letters it was set: %s', (authHeader, expected) => {
		const headers = {
			authorization: 'a',
			AUTHORIZATION: ['b'],
			'x-Api-kEy': 'c',
			' X-API-Key ': 1,
		};
		expect(sent({ uri: TAGS, headers }, { authHeader }).headers).toEqual(expected);
	});

	it('have the key without blanks around it', () => {
		expect(sent({ uri: TAGS }, { apiKey: ' secret\n' }).headers).toEqual({
			Authorization: 'Bearer secret',
		});
	});

	const steering = [
		...['Host', 'Connection', 'Proxy-Connection', 'Keep-Alive', 'TE', 'Trailer'],
		...['Transfer-Encoding', 'Upgrade'],
	];
	it.each(steering)('cannot be set where they steer the connection: %s', (name) => {
		fc.assert(
			fc.property(
				fc.mixedCase(fc.constant(name)),
				fc.constantFrom('', ' ', '\t', '\u00a0'),
				fc.constantFrom<unknown>('evil.example', ['evil.example'], ['crm.example.com', 'evil'], 1),
				(mixed, blank, value) => {
					const headers = { Accept: '*/*', [`${blank}${mixed}${blank}`]: value };
					const set = () => sent({ uri: TAGS, headers });
					expect(set).toThrow(InputProblem);
					expect(set).toThrow(`The header ${mixed} cannot be set`);
				},
			),
			{ numRuns: 50 },
		);
	});

	it.each([
		[ORIGIN, 'crm.example.com'],
		['http://127.0.0.1:3000', '127.0.0.1:3000'],
	])('may name the host that the request goes to: %s', (baseUrl, host) => {
		const { headers } = sent({ uri: `${baseUrl}/v1/tags`, headers: { Host: host } }, { baseUrl });
		expect(headers).toEqual({ Authorization: 'Bearer secret' });
	});

	it.each(steering.slice(1))('cannot steer by that name, under another: %s', (name) => {
		const headers = { [name]: 'crm.example.com' };
		expect(() => sent({ uri: TAGS, headers })).toThrow(`The header ${name} cannot be set`);
	});

	it('may have names that only hold one of those', () => {
		const headers = {
			'X-Forwarded-Host': 'a',
			'Host-Name': 'b',
			'X-Authorization': 'c',
			'X-API-Key-Id': 'd',
		};
		expect(sent({ uri: TAGS, headers }).headers).toEqual({
			...headers,
			Authorization: 'Bearer secret',
		});
	});

	it('are never objects, whose fields would become headers of their own', () => {
		const headers = {
			common: { Host: 'evil.example' },
			get: { toString: () => 'b' },
			n: null,
			d: 5,
		};
		expect(sent({ uri: TAGS, headers }).headers).toEqual({
			common: '[object Object]',
			get: 'b',
			n: null,
			d: 5,
			Authorization: 'Bearer secret',
		});
		const list = [{ Host: 'evil.example' }, 1];
		expect(sent({ uri: TAGS, headers: { common: list } }).headers).toMatchObject({
			common: ['[object Object]', '1'],
		});
	});
});

describe('a request is refused', () => {
	const PROXY = /^The API key is not sent through a proxy/;
	const CHECKED = /^The API key is only sent where the certificate is checked/;
	const TRUSTED = /^The API key is only sent where n8n itself trusts the certificate/;
	const METHOD = /^The API key is not sent with the method/;

	it.each<[string, RequestOptions, RegExp]>([
		['a proxy', { proxy: 'http://evil.example:3128' }, PROXY],
		['a proxy as an object', { proxy: { host: 'evil.example', port: 3128 } }, PROXY],
		['certificates off, older helper', { rejectUnauthorized: false }, CHECKED],
		['certificates off, newer helper', { skipSslCertificateValidation: true }, CHECKED],
		...[
			'ca',
			'lookup',
			'host',
			'socketPath',
			'servername',
			'rejectUnauthorized',
			'Cert',
			'pubkey',
			'certs',
		].map((name): [string, RequestOptions, RegExp] => [
			`its own ${name}`,
			{ agentOptions: { cert: 'a', [name]: 'x' } },
			TRUSTED,
		]),
		...['TRACE', 'CONNECT', 'COPY', 'TARGET', 'GET ', 'POST\n', ['GET'], { a: 1 }, 7].map(
			(method): [string, RequestOptions, RegExp] => [
				`the method ${JSON.stringify(method)}`,
				{ method },
				METHOD,
			],
		),
	])('with %s', (_what, options, message) => {
		for (const target of [{ url: TAGS }, { uri: TAGS }]) {
			expect(() => sent({ ...target, ...options })).toThrow(InputProblem);
			expect(() => sent({ ...target, ...options })).toThrow(message);
		}
	});

	const AUTHORITY =
		'The administrator of n8n can add a certificate authority with NODE_EXTRA_CA_CERTS.';
	it.each<[string, RequestOptions, string]>([
		[
			'a proxy',
			{ proxy: 'http://evil.example:3128' },
			'Remove the option Proxy. The administrator of n8n can set a proxy for all nodes with HTTPS_PROXY.',
		],
		['certificates off', { rejectUnauthorized: false }, `Turn off Ignore SSL Issues. ${AUTHORITY}`],
		[
			'its own authority',
			{ agentOptions: { ca: 'x' } },
			`In the credential for SSL certificates, leave CA empty. ${AUTHORITY}`,
		],
		[
			'another method',
			{ method: 'TRACE' },
			'Choose GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.',
		],
		['no URL', { url: undefined }, `Enter one that begins with ${ORIGIN}/`],
		['a user name', { url: 'https://me@crm.example.com/v1' }, 'Remove what stands before the @.'],
		['a header', { headers: { Host: 'evil.example' } }, 'Remove it. n8n sets it by itself.'],
	])('with %s, and what to do about it', (_what, options, remedy) => {
		const send = () => sent({ url: TAGS, ...options });
		expect(thrownBy(InputProblem, send).remedy).toBe(remedy);
	});

	it.each([
		'https://evil.example/v1/tags',
		'https://crm.example.com.evil.example/v1',
		'https://crm.example.com./v1',
		'https://crm.example.com@evil.example/v1',
		'https://crm.example.com\\@evil.example/../..//evil',
		'https://crm.example.com:8443/v1',
		'http://crm.example.com/v1',
		'//evil.example/v1',
		'\\\\evil.example/v1',
		'/\t/evil.example/v1',
		'http:evil.example/v1',
		' https://evil.example',
		'h\nttps://evil.example',
		'https:evil.example',
		'https:/evil.example',
		'https://еvil.example',
		'ftp://crm.example.com/v1',
		'blob:https://crm.example.com/v1',
		'data:text/plain,x',
		'javascript:alert(1)',
	])('to another place than the service: %j', (text) => {
		for (const options of [{ url: text }, { uri: text }, { url: text, uri: TAGS }]) {
			const result = outcome(options);
			if (result instanceof InputProblem) expect(result.message).toMatch(/only sent to|cannot be/);
			else expect(new URL(result).origin).toBe(ORIGIN);
		}
	});

	it('to another host without slashes, which a browser would take for a path', () => {
		const baseUrl = 'http://127.0.0.1:3000';
		expect(() => sent({ uri: 'http:evil.example/x' }, { baseUrl })).toThrow(
			/not to http:\/\/evil\.example\/x$/,
		);
	});

	it('to another host, with what to do', () => {
		expect(() => sent({ uri: 'https://evil.example/x?token=1' })).toThrow(
			expect.objectContaining({
				message:
					'The API key is only sent to https://crm.example.com, the base URL in the credential, not to https://evil.example/x',
				remedy: 'Check the URL of the request.',
			}),
		);
	});

	it.each([
		{ url: '/v1/tags', baseURL: 'https://evil.example' },
		{ url: 'v1/tags', baseURL: `${ORIGIN}.evil.example` },
		{ url: '@evil.example', baseURL: ORIGIN },
		{ url: '.evil.example', baseURL: ORIGIN },
	])('to another host by the base URL: %j', (options) => {
		const result = outcome(options);
		if (!(result instanceof InputProblem)) expect(new URL(result).origin).toBe(ORIGIN);
		else expect(result.message).toMatch(/not to https:\/\/(evil|crm\.example\.com\.evil)\.example/);
	});

	it.each(['https://me@crm.example.com/v1', 'https://me:pass@crm.example.com/v1'])(
		'with a user name: %s',
		(uri) => expect(() => sent({ uri })).toThrow(/must not contain a user name/),
	);

	it.each([undefined, null, 5, {}, [TAGS], new URL(TAGS), { toString: () => TAGS }, 'https://'])(
		'when its URL is no text that can be read: %p',
		(uri) => expect(() => sent({ uri })).toThrow('The URL of the request cannot be read'),
	);

	it.each([
		['http to a public host', 'http://crm.example.com', /^The base URL starts with http:/],
		['an empty base URL', '', /^The base URL is empty/],
	])('for %s', (_what, baseUrl, message) => {
		expect(() => sent({ uri: 'http://crm.example.com/v1' }, { baseUrl })).toThrow(message);
	});
});

test('a base URL without a path has all paths of its host below it', () => {
	const url = `${ORIGIN}/v1/tags/..%2fb`;
	expect(sent({ url }).url).toBe(url);
});

describe('a base URL with a path', () => {
	const credential = { baseUrl: `${ORIGIN}/crm/v1/` };

	it.each([
		['/v1/tags', undefined],
		['v1/tags', undefined],
		[`${ORIGIN}/crm/v1/tags`, undefined],
		[`${ORIGIN}/other/%2e%2e/crm/v1/tags`, undefined],
		['/v1/tags', `${ORIGIN}/crm`],
	])('%s is below it', (url, baseURL) => {
		expect(sent({ url, baseURL }, credential).url).toBe(`${ORIGIN}/crm/v1/tags`);
	});

	it.each(['a%2Fb', '..a', 'a..', '...', 'a%2F..b', '100%25', '%252e'])(
		'the name %s may stand in a path',
		(name) => {
			const url = `${ORIGIN}/crm/v1/tags/${name}`;
			expect(sent({ url }, credential).url).toBe(url);
		},
	);

	it.each([
		ORIGIN,
		`${ORIGIN}/`,
		`${ORIGIN}/crmx`,
		`${ORIGIN}/CRM/v1`,
		`${ORIGIN}/v1/tags`,
		`${ORIGIN}/crm/../v1`,
		`${ORIGIN}/crm/%2e%2E/v1`,
		`${ORIGIN}/crm/.%2e/v1`,
		`${ORIGIN}\\crm\\..\\v1`,
		`${ORIGIN}/crm/..%2fv1`,
		`${ORIGIN}/crm/..%5Cv1`,
		`${ORIGIN}/crm/%2e%2e%2fv1`,
		`${ORIGIN}/crm/a%2f..%2f..%2fv1`,
		`${ORIGIN}/crm/%252e%252e/v1`,
		`${ORIGIN}/crm/..%25252fv1`,
		`${ORIGIN}/crm/..;/v1`,
		`${ORIGIN}/crm/..;a=b/v1`,
		`${ORIGIN}/crm/%2e%2e%3b/v1`,
		`${ORIGIN}/crm/a%2f..`,
		'../v1',
		'//crm/v1',
		'/\\v1',
	])('%s is not', (url) => {
		expect(() => sent({ url }, credential)).toThrow(
			/^The API key is only sent to https:\/\/crm\.example\.com\/crm, the base URL in the credential, not to /,
		);
	});
});

function outcome(
	options: RequestOptions,
	credential?: ICredentialDataDecryptedObject,
): string | InputProblem {
	try {
		return sent(options, credential).url;
	} catch (error) {
		expect(error).toBeInstanceOf(InputProblem);
		return error as InputProblem;
	}
}

describe('whatever text stands for the URL', () => {
	const bases = [
		...[ORIGIN, `${ORIGIN}/crm`, 'https://crm.example.com:8443', 'http://127.0.0.1:3000'],
		...['https://bücher.example', 'http://[::1]:3000/a/b', 'http://localhost'],
	];
	const parts = [
		...[
			'http:',
			'https:',
			'HTTPS:',
			'hTTp:',
			'ftp:',
			'blob:',
			'data:',
			'/',
			'//',
			'///',
			'\\',
			'\\\\',
		],
		...[
			'crm.example.com',
			'CRM.EXAMPLE.COM',
			'crm。example．com',
			'ⓒrm.example.com',
			'evil.example',
		],
		...['localhost', '127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]'],
		...['bücher.example', 'xn--bcher-kva.example', 'crm\u00ad.example.com', 'crm.example.com.'],
		...[
			':443',
			':80',
			':3000',
			':8443',
			':',
			'@',
			'me@',
			'me:pass@',
			'.',
			'..',
			'%2e',
			'%2E%2e',
			'%2f',
		],
		...[
			'%5c',
			'%40',
			'%00',
			'%',
			'\t',
			'\n',
			'\r',
			' ',
			'\u0000',
			'\u00a0',
			'\ufeff',
			'?',
			'#',
			';',
		],
		...['v1', 'crm', 'a', 'b', '=', '&', '[', ']', '\ud800', '💥'],
	];
	const odd = fc.array(fc.constantFrom(...parts), { maxLength: 9 }).map((each) => each.join(''));
	const text = fc.oneof(
		{ weight: 5, arbitrary: odd },
		fc.string({ unit: anyCharacter }),
		fc.webUrl(),
	);
	const behind = fc.tuple(fc.constantFrom(...bases), odd).map(([base, more]) => `${base}${more}`);
	const form = fc.constantFrom('url', 'uri');

	it('it is refused, or what is sent goes to the service', () => {
		let sentCount = 0;
		let refusedCount = 0;
		fc.assert(
			fc.property(
				fc.constantFrom(...bases),
				fc.oneof(text, behind),
				fc.option(fc.oneof(fc.constantFrom(...bases), text), { nil: undefined, freq: 2 }),
				form,
				(baseUrl, value, baseURL, name) => {
					const result = outcome({ [name]: value, baseURL }, { baseUrl });
					if (result instanceof InputProblem) {
						refusedCount += 1;
						return;
					}
					sentCount += 1;
					const base = new URL(baseUrl);
					const url = new URL(result);
					expect([url.origin, url.username, url.password]).toEqual([base.origin, '', '']);
					expect(`${url.pathname}/`.startsWith(base.pathname)).toBe(true);
					// Whoever reads it again reads the same, also when it decodes the path before.
					expect(url.href).toBe(result);
					if (base.pathname !== '/') {
						const decoded = new URL(decodedPath(url.pathname), base).pathname;
						expect(`${decoded}/`.startsWith(base.pathname)).toBe(true);
					}
				},
			),
			{ numRuns: 10_000 },
		);
		expect(sentCount).toBeGreaterThan(refusedCount / 10);
	});

	/** As a careless server reads it: `%252e` is a dot to it, and so is what is left of it. */
	function decodedPath(path: string): string {
		const once = path.replace(/%([0-7][0-9a-f])/gi, (_all, hex: string) =>
			/^(25|2e|2f|5c)$/i.test(hex) ? String.fromCharCode(parseInt(hex, 16)) : `%${hex}`,
		);
		return once === path ? path : decodedPath(once);
	}

	it('every name that is encoded as one segment is sent as it is', () => {
		fc.assert(
			fc.property(fc.constantFrom(...bases), fc.string({ unit: 'grapheme' }), (baseUrl, name) => {
				const path = `/v1/tags/x${encodeURIComponent(name)}`;
				const { href } = new URL(baseUrl);
				const url = `${href.replace(/\/$/, '')}${path}`;
				const result = outcome({ url }, { baseUrl });
				if (result instanceof InputProblem) expect(path).toMatch(/%2F\.\.|%5C\.\./);
				else expect(result).toBe(url);
			}),
			{ numRuns: 1_000 },
		);
	});
});
