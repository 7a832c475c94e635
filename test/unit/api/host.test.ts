import * as fc from 'fast-check';

import { isPrivateHost } from '../../../nodes/WorkspaceCrm/api/host';
import { isPublicHttpsUrl } from '../../../nodes/WorkspaceCrm/api/publicUrl';

const byte = fc.nat(255);
const group = fc.nat(0xffff);

/** The networks that RFC 1122, 1918, 3927 and 4193 keep off the internet, as [address, bits]. */
const PRIVATE_V4: Array<[number[], number]> = [
	[[0, 0, 0, 0], 8],
	[[10, 0, 0, 0], 8],
	[[127, 0, 0, 0], 8],
	[[169, 254, 0, 0], 16],
	[[172, 16, 0, 0], 12],
	[[192, 168, 0, 0], 16],
];

function bits(values: number[], width: number): string {
	return values.map((value) => value.toString(2).padStart(width, '0')).join('');
}

function isInPrivateV4(octets: number[]): boolean {
	return PRIVATE_V4.some(([network, length]) =>
		bits(octets, 8).startsWith(bits(network, 8).slice(0, length)),
	);
}

/** Any IPv4 address, and often one at the edge of a private network. */
const octets = fc.oneof(
	fc.tuple(byte, byte, byte, byte),
	fc.tuple(
		fc.constantFrom(0, 1, 9, 10, 11, 126, 127, 128, 169, 172, 192),
		fc.constantFrom(0, 15, 16, 31, 32, 167, 168, 169, 253, 254, 255),
		byte,
		byte,
	),
);

/** Ways in which browsers and curl let an IPv4 address be written. */
const spellings: Array<(octets: number[]) => string> = [
	(each) => each.join('.'),
	(each) => each.map((octet) => `0x${octet.toString(16)}`).join('.'),
	(each) => each.map((octet) => `0${octet.toString(8)}`).join('.'),
	([a, b, c, d]) => String(((a * 256 + b) * 256 + c) * 256 + d),
	([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
	([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
	(each) => `${each.join('.')}.`,
	(each) => `[::ffff:${each.join('.')}]`,
	([a, b, c, d]) => `[0:0:0:0:0:FFFF:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`,
];

function hostname(host: string): string {
	return new URL(`http://${host}`).hostname;
}

describe('whether a host is private', () => {
	it('depends on the network of its IPv4 address, however that is written', () => {
		fc.assert(
			fc.property(octets, fc.constantFrom(...spellings), (address, spell) => {
				expect(isPrivateHost(hostname(spell(address)))).toBe(isInPrivateV4(address));
			}),
			{ numRuns: 2_000 },
		);
	});

	it.each([
		...['172.15.0.1', '172.32.0.1', '169.253.0.1', '168.254.0.1', '192.167.0.1', '191.168.0.1'],
		...['172.16.0.1', '172.31.0.1', '169.254.0.1', '192.168.0.1'],
	])('depends on where that network begins and ends: %s', (host) => {
		expect(isPrivateHost(host)).toBe(isInPrivateV4(host.split('.').map(Number)));
	});

	it('depends on the network of its IPv6 address: fc00::/7, fe80::/10, ::1 and ::', () => {
		const first = fc.oneof(
			group,
			fc.constantFrom(
				0xfb,
				0xfc,
				0xfd,
				0xfe8,
				0xfc00,
				0xfdff,
				0xfe00,
				0xfe7f,
				0xfe80,
				0xfebf,
				0xfec0,
			),
		);
		fc.assert(
			fc.property(first, fc.array(group, { minLength: 7, maxLength: 7 }), (start, rest) => {
				fc.pre(start !== 0);
				const address = [start, ...rest].map((each) => each.toString(16)).join(':');
				const binary = bits([start], 16);
				const isPrivate = binary.startsWith('1111110') || binary.startsWith('1111111010');
				expect(isPrivateHost(hostname(`[${address}]`))).toBe(isPrivate);
				expect(isPrivateHost(hostname(`[${start.toString(16)}::1]`))).toBe(isPrivate);
			}),
			{ numRuns: 500 },
		);
		expect(['[::1]', '[::]', '[::2]'].map((host) => isPrivateHost(hostname(host)))).toEqual([
			...[true, true, false],
		]);
	});

	it.each(['[1::ffff:7f00:1]', '[::ffff:7f00:1:2]', '[::ffff:0:7f00:1]', '[64:ff9b::7f00:1]'])(
		'is false of an IPv6 address that only looks as if it held a private IPv4 one: %s',
		(host) => {
			expect(isPrivateHost(hostname(host))).toBe(false);
		},
	);

	it.each([
		...['localhost', 'localhost.', 'a.b.localhost', 'crm', 'printer.local', 'db.corp.internal'],
		...['LOCALHOST', 'crm.', 'db.corp.internal.'],
	])('is true of a name that is never public: %s', (host) => {
		expect(isPrivateHost(hostname(host))).toBe(true);
	});

	it.each([
		...['example.com', 'example.com.', 'localhost.example.com', 'mylocalhost.com', 'a.xlocal'],
		...['a.internals', 'local.example', '10.example.com', '127.0.0.1.nip.io'],
	])('is false of any other name: %s', (host) => {
		expect(isPrivateHost(hostname(host))).toBe(false);
	});
});

describe('whether the service can deliver to a URL', () => {
	it('is as true of an address with an umlaut when Node has optimised the parsing', () => {
		for (let call = 0; call < 20_000; call += 1) isPublicHttpsUrl('https://n8n.example.com');
		expect(isPublicHttpsUrl('https://bücher.example')).toBe(true);
	});

	it.each([
		...['https://n8n.example.com/webhook/1', 'HTTPS://n8n.example.com:8443', 'https://8.8.8.8/x'],
		...['https://[2001:db8::1]/x', 'https://n8n.example.com/webhook?x=1#y'],
	])('is true of a public https address: %s', (text) => {
		expect(isPublicHttpsUrl(text)).toBe(true);
	});

	it.each([
		...[
			'http://n8n.example.com/webhook/1',
			'ftp://n8n.example.com',
			'n8n.example.com',
			'',
			'https://',
		],
		...['https://localhost:5678/webhook/1', 'https://n8n/webhook', 'https://192.168.1.5/webhook'],
		...[
			'https://0.0.0.0:5678',
			'https://[::1]',
			'https://[::]',
			'https://0x7f.1',
			'https://2130706433',
		],
	])('is false of %j', (text) => {
		expect(isPublicHttpsUrl(text)).toBe(false);
	});
});
