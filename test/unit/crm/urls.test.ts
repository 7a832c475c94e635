import * as fc from 'fast-check';

import { readBaseUrl } from '../../../nodes/WorkspaceCrm/crm/urls';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { thrownBy } from '../../support/thrownBy';

/** Parts of a path, none of which is just the version. */
const prefix = fc
	.array(fc.constantFrom('crm', 'api', 'v2', 'v10', 'xv1', 'v1x', 'a-b'), { maxLength: 3 })
	.map((segments) => segments.map((segment) => `/${segment}`).join(''));

test('the base URL keeps origin and path, without version and trailing slashes', () => {
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
		{ numRuns: 300 },
	);
});

test.each([
	['HTTPS://CRM.Example.COM', 'https://crm.example.com'],
	['https://crm.example.com:443/', 'https://crm.example.com'],
	['https://crm.example.com/V1', 'https://crm.example.com/V1'],
	['https://crm.example.com/v1/x', 'https://crm.example.com/v1/x'],
	['https://crm.example.com/v1/contacts', 'https://crm.example.com/v1/contacts'],
	['https://crm.example.com/a/../v1', 'https://crm.example.com'],
	['https://8.8.8.8', 'https://8.8.8.8'],
	// Plain http is fine where the key stays on this machine or its network.
	['http://10.1.2.3/v1', 'http://10.1.2.3'],
	['http://host.docker.internal:3000', 'http://host.docker.internal:3000'],
])('%s is %s', (text, expected) => {
	expect(readBaseUrl(text)).toBe(expected);
});

test.each<[string, unknown[]]>([
	['is empty', ['', '  ', '\n', undefined, null, 5, {}, true]],
	[
		'unencrypted',
		['http://crm.example.com', 'http://8.8.8.8', 'http://0x8.8.8.8', 'http://172.32.0.1'],
	],
	[
		'not a web address',
		[
			...['crm.example.com', '/v1', 'https://', 'https://a b', 'localhost:3000', 'ws://h'],
			...['ftp://crm.example.com', 'javascript:alert(1)', 'https://[::1', 'http://256.1.1.1'],
		],
	],
	[
		'must not contain',
		[
			...['https://user:key@h.example', 'https://:key@h.example', 'http://127.0.0.1@evil.example'],
			...['https://crm.example.com?key=1', 'https://crm.example.com/#/v1'],
		],
	],
])('a base URL is refused, with what to do: %s', (message, texts) => {
	for (const text of texts) {
		const problem = thrownBy(InputProblem, () => readBaseUrl(text));
		expect(problem.message).toContain(message);
		expect(problem.description).toContain('In the credential');
	}
});

test.each([
	['crm.example.com', 'https://crm.example.com'],
	['crm.example.com:8443/crm/v1', 'https://crm.example.com:8443/crm/v1'],
	['localhost:3000', 'http://localhost:3000'],
	['10.1.2.3', 'http://10.1.2.3'],
])('of %s, only the scheme is missing', (typed, whole) => {
	const { description } = thrownBy(InputProblem, () => readBaseUrl(typed));
	const [scheme] = whole.split('//');
	expect(description).toBe(`In the credential, put ${scheme}// in front: ${whole}`);
	expect(readBaseUrl(whole)).toMatch(/^https?:/);
});

test('reads a host name with an umlaut after thousands of requests, once Node has optimised the parsing', () => {
	for (let call = 0; call < 20_000; call += 1) readBaseUrl('https://crm.example.com');
	expect(readBaseUrl('https://bücher.example')).toBe('https://xn--bcher-kva.example');
});

test('reads a long base URL in the time that its length takes', () => {
	const text = `https://crm.example.com/${'/'.repeat(1_000_000)}x`;
	const startMs = performance.now();
	expect(readBaseUrl(text)).toBe(text);
	expect(performance.now() - startMs).toBeLessThan(2_000);
});
