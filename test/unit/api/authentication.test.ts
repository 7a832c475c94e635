import * as fc from 'fast-check';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { authenticate, type RequestOptions } from '../../../nodes/WorkspaceCrm/api/authentication';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { anyCharacter } from '../../support/anyCharacter';
import { thrownBy } from '../../support/thrownBy';

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
	it.each<RequestOptions>([
		{ url: TAGS },
		{ uri: TAGS },
		{ url: TAGS, uri: `${ORIGIN}/v1/contacts` },
		{ url: 'v1/tags', baseURL: `${ORIGIN}/` },
		{ url: '/v1/tags' },
		{ url: 'HTTPS://CRM.Example.COM:443/v1/tags' },
		{ uri: `${ORIGIN}/v2/../v1/./tags` },
		{ uri: 'https:\\\\crm.example.com\\v1\\tags' },
		{ uri: 'https://crm.exa\nmple.com/v1/\ttags' },
	])('%j is sent to the address that was checked, and to no other', (options) => {
		const { url, uri, baseURL } = sent(options);
		expect({ url, uri, baseURL }).toEqual({ url: TAGS, uri: undefined, baseURL: undefined });
	});

	it('keeps all other options but redirects and another sign-in, in an object of its own', () => {
		const body = { method: 'POST', body: { a: 1 }, rejectUnauthorized: true, proxy: '' };
		const options = { uri: `${TAGS}?q=a%20b&q=c`, ...body, headers: { Accept: 'text/*' } };
		const given = { ...options, maxRedirects: 21, auth: { user: 'me', pass: 'mine' } };
		const before = structuredClone(given);
		expect(sent(given as RequestOptions)).toEqual({
			...NO_REDIRECTS,
			...body,
			useStream: false,
			url: options.uri,
			headers: { Accept: 'text/*', Authorization: 'Bearer secret' },
		});
		expect(given).toEqual(before);
	});

	it.each([
		[{ useStream: true }, false],
		[{ useStream: true, simple: false }, true],
		[{ simple: false }, undefined],
	])('is answered by a stream only where pagination may need it: %j', (options, expected) => {
		expect(sent({ uri: TAGS, ...options }).useStream).toBe(expected);
	});

	it.each([
		['bearer', { Authorization: 'Bearer secret' }],
		['xApiKey', { 'X-API-Key': 'secret' }],
	])('has the key as chosen, once, in whatever letters it was set: %s', (authHeader, expected) => {
		const headers = {
			AUTHORIZATION: ['b'],
			'x-Api-kEy': 'c',
			' X-API-Key ': 1,
			'X-API-Key-Id': 'd',
		};
		expect(sent({ uri: TAGS, headers }, { authHeader, apiKey: ' secret\n' }).headers).toEqual({
			'X-API-Key-Id': 'd',
			...expected,
		});
	});

	it('has no objects as headers, whose fields would become headers of their own', () => {
		const headers = { common: { Host: 'evil.example' }, list: [{ Host: 'evil.example' }, 1] };
		expect(sent({ uri: TAGS, headers }).headers).toMatchObject({
			common: '[object Object]',
			list: ['[object Object]', '1'],
		});
	});
});

describe('a request is refused', () => {
	it.each<[string, object, RegExp]>([
		['through a proxy', { proxy: 'http://evil.example:3128' }, /HTTPS_PROXY/],
		['through a proxy as an object', { proxy: { host: 'evil.example' } }, /HTTPS_PROXY/],
		['with certificates off', { rejectUnauthorized: false }, /Ignore SSL Issues/],
		['with certificates off', { skipSslCertificateValidation: true }, /Ignore SSL Issues/],
		...['ca', 'lookup', 'host', 'socketPath', 'servername', 'Cert'].map(
			(name): [string, object, RegExp] => [
				`with its own ${name}`,
				{ agentOptions: { cert: 'a', [name]: 'x' } },
				/leave CA empty/,
			],
		),
		...['TRACE', 'CONNECT', 'GET ', 'POST\n', ['GET'], 7].map(
			(method): [string, object, RegExp] => [
				`with the method ${JSON.stringify(method)}`,
				{ method },
				/^Choose GET, POST/,
			],
		),
		...['host', 'Connection', 'TE', 'Transfer-Encoding', ' Upgrade\t', 'KEEP-alive'].map(
			(name): [string, object, RegExp] => [
				`with the header ${name}`,
				{ headers: { Accept: '*/*', [name]: 'evil.example' } },
				/^Remove it/,
			],
		),
		['without a URL', { url: undefined }, /^Enter one that begins with/],
		['with a user name', { url: 'https://me@crm.example.com/v1' }, /^Remove what stands before/],
		['to another host', { url: 'https://evil.example/x?token=1' }, /^Check the URL/],
	])('%s, with what to do', (_what, options, remedy) => {
		const problem = thrownBy(InputProblem, () => sent({ url: TAGS, ...options }));
		expect(problem.remedy).toMatch(remedy);
		expect(problem.message).not.toContain('token');
	});

	it('unless the header names the host that it goes to', () => {
		const { headers } = sent({ uri: TAGS, headers: { Host: 'crm.example.com' } });
		expect(headers).toEqual({ Authorization: 'Bearer secret' });
	});

	it.each([null, 5, {}, [TAGS], new URL(TAGS), { toString: () => TAGS }, 'https://'])(
		'when its URL is no text that can be read: %p',
		(uri) => expect(() => sent({ uri })).toThrow('The URL of the request cannot be read'),
	);
});

describe('a base URL with a path', () => {
	const credential = { baseUrl: `${ORIGIN}/crm/v1/` };

	it.each([
		['/v1/tags', undefined],
		['v1/tags', undefined],
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
		...[ORIGIN, `${ORIGIN}/crmx`, `${ORIGIN}/CRM/v1`, `${ORIGIN}/v1/tags`, '../v1', '//crm/v1'],
		...[
			'..',
			'%2e%2E',
			'.%2e',
			'..%2f',
			'..%5C',
			'%252e%252e',
			'..%25252f',
			'..;',
			'%2e%2e%3b',
		].map((up) => `${ORIGIN}/crm/${up}/v1`),
		...[`${ORIGIN}/crm/a%2f..%2f..%2fv1`, `${ORIGIN}/crm/a%2f..`, `${ORIGIN}\\crm\\..\\v1`],
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
		...['http:', 'https:', 'hTTp:', 'ftp:', 'blob:', 'data:', '/', '//', '///', '\\', '\\\\'],
		...['crm.example.com', 'CRM.EXAMPLE.COM', 'crm。example．com', 'ⓒrm.example.com'],
		...['evil.example', 'localhost', '127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::1]'],
		...['[::ffff:127.0.0.1]', 'bücher.example', 'xn--bcher-kva.example', 'crm.example.com.'],
		...['crm\u00ad.example.com', ':443', ':80', ':3000', ':8443', ':', '@', 'me@', 'me:pass@'],
		...['.', '..', '%2e', '%2E%2e', '%2f', '%5c', '%40', '%00', '%', '\t', '\n', '\r', ' '],
		...['\u0000', '\u00a0', '\ufeff', '?', '#', ';', '=', '&', '[', ']', '\ud800', '💥'],
		...['v1', 'crm', 'a', 'b'],
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
			{ numRuns: 5_000 },
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
});
