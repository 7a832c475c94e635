import * as fc from 'fast-check';

import { readBaseUrl } from '../../../nodes/WorkspaceCrm/api/baseUrl';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';

/** Parts of a path, none of which is just the version. */
const prefix = fc
	.array(fc.constantFrom('crm', 'api', 'v2', 'v10', 'xv1', 'v1x', 'a-b'), { maxLength: 3 })
	.map((segments) => segments.map((segment) => `/${segment}`).join(''));

describe('the base URL', () => {
	it('keeps origin and path, without the version and without slashes at the end', () => {
		fc.assert(
			fc.property(
				fc.constantFrom('https://crm.example.com', 'https://h:8443', 'http://localhost:3000'),
				prefix,
				fc.constantFrom('', '/', '//', '///'),
				fc.constantFrom('', 'v1', 'v1/', 'v1//'),
				fc.constantFrom('', ' ', '\n'),
				(origin, path, slashes, version, blank) => {
					const end = version === '' ? slashes : `${slashes || '/'}${version}`;
					expect(readBaseUrl(`${blank}${origin}${path}${end}${blank}`)).toBe(`${origin}${path}`);
				},
			),
			{ numRuns: 500 },
		);
	});

	it('is the same when it is read again, unless it has the version twice', () => {
		fc.assert(
			fc.property(fc.webUrl({ validSchemes: ['https'], withFragments: false }), (text) => {
				const once = readBaseUrl(text);
				expect(once).not.toMatch(/\/$/);
				fc.pre(!once.endsWith('/v1'));
				expect(readBaseUrl(once)).toBe(once);
			}),
		);
	});

	it.each([
		['HTTPS://CRM.Example.COM', 'https://crm.example.com'],
		['https://crm.example.com:443/', 'https://crm.example.com'],
		['https://crm.example.com/V1', 'https://crm.example.com/V1'],
		['https://crm.example.com/v1/x', 'https://crm.example.com/v1/x'],
		['https://crm.example.com/a/../v1', 'https://crm.example.com'],
		['https://bücher.example', 'https://xn--bcher-kva.example'],
		['https://8.8.8.8', 'https://8.8.8.8'],
	])('%s is %s', (text, expected) => {
		expect(readBaseUrl(text)).toBe(expected);
	});

	it.each([
		'http://localhost:3000',
		'http://crm.localhost',
		'http://127.0.0.1',
		'http://127.8.9.10:80',
		'http://10.1.2.3',
		'http://172.16.0.1',
		'http://172.31.255.255',
		'http://192.168.1.1',
		'http://169.254.1.1',
		'http://[::1]:3000',
		'http://[fd00::1]',
		'http://[fe80::1]',
		'http://[::ffff:127.0.0.1]',
		'http://[::ffff:192.168.1.1]',
		'http://2130706433',
		'http://0x7f.1',
		'http://127.1',
		'http://0177.0.0.1',
		'http://crm',
		'http://crm.local',
		'http://crm.internal',
		'http://host.docker.internal:3000',
	])('may be plain http where the key stays on this machine or its network: %s', (text) => {
		expect(readBaseUrl(`${text}/v1`)).toBe(new URL(text).origin);
	});

	it.each([
		'http://crm.example.com',
		'http://8.8.8.8',
		'http://134744072',
		'http://0x8.8.8.8',
		'http://010.8.8.8',
		'http://172.15.0.1',
		'http://172.32.0.1',
		'http://192.169.0.1',
		'http://11.0.0.1',
		'http://[2001:db8::1]',
		'http://[::ffff:8.8.8.8]',
		'http://[fc::1]',
		'http://localhost.example.com',
		'http://127.0.0.1.example.com',
		'http://10.0.0.1.example.com',
	])('is refused as plain http where the key would cross the internet: %s', (text) => {
		const read = () => readBaseUrl(text);
		expect(read).toThrow(InputProblem);
		expect(read).toThrow('unencrypted');
		expect(readBaseUrl(text.replace('http:', 'https:'))).toMatch(/^https:/);
	});

	it.each(['', '  ', '\n', undefined, null, 5, {}, true])('is refused when blank: %p', (value) => {
		expect(() => readBaseUrl(value)).toThrow(InputProblem);
		expect(() => readBaseUrl(value)).toThrow('is empty');
	});

	it.each([
		...[
			'crm.example.com',
			'crm.example.com:8080',
			'/v1',
			'https://',
			'https://a b',
			'localhost:3000',
		],
		...['ftp://crm.example.com', 'file:///etc', 'javascript:alert(1)', 'ws://h', 'https://[::1'],
		'xhttps://crm.example.com',
		'http://256.1.1.1',
	])('is refused when it is no web address: %s', (text) => {
		expect(() => readBaseUrl(text)).toThrow(InputProblem);
		expect(() => readBaseUrl(text)).toThrow('not a web address');
	});

	it.each([
		...[
			'https://user@crm.example.com',
			'https://user:key@crm.example.com',
			'https://:key@h.example',
		],
		...[
			'https://crm.example.com?key=1',
			'https://crm.example.com/#/v1',
			'https://h.example/v1?x#y',
		],
		'http://127.0.0.1@evil.example',
	])('is refused when something is hidden in it: %s', (text) => {
		expect(() => readBaseUrl(text)).toThrow(InputProblem);
		expect(() => readBaseUrl(text)).toThrow('must not contain');
	});

	it('with an umlaut is as good after thousands of requests, when Node has optimised the parsing', () => {
		for (let call = 0; call < 20_000; call += 1) readBaseUrl('https://crm.example.com');
		expect(readBaseUrl('https://bücher.example')).toBe('https://xn--bcher-kva.example');
	});

	it('always comes with what to do when it is refused', () => {
		for (const text of ['', 'x', 'http://8.8.8.8', 'https://u@h']) {
			expect(() => readBaseUrl(text)).toThrow(
				expect.objectContaining({ remedy: expect.stringContaining('In the credential') }),
			);
		}
	});
});
