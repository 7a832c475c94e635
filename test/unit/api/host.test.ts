import * as fc from 'fast-check';

import { isPrivateHost } from '../../../nodes/WorkspaceCrm/api/host';
import { isPublicHttpsUrl } from '../../../nodes/WorkspaceCrm/api/publicUrl';

const byte = fc.nat(255);

/** Any IPv4 address, and often one at the edge of a private network (RFC 1122, 1918, 3927). */
const octets = fc.oneof(
	fc.tuple(byte, byte, byte, byte),
	fc.tuple(
		fc.constantFrom(0, 1, 9, 10, 11, 126, 127, 128, 169, 172, 192),
		fc.constantFrom(0, 15, 16, 31, 32, 167, 168, 169, 253, 254, 255),
		byte,
		byte,
	),
);

function isInPrivateV4([a, b]: number[]): boolean {
	const isLinkLocal = a === 169 && b === 254;
	return [0, 10, 127].includes(a) || isLinkLocal || `${a}.${b}` === '192.168' || isIn172(a, b);
}

const isIn172 = (a: number, b: number) => a === 172 && b >> 4 === 1;

/** Ways in which browsers and curl let an IPv4 address be written. */
const spellings: Array<(octets: number[]) => string> = [
	(each) => each.join('.'),
	(each) => each.map((octet) => `0x${octet.toString(16)}`).join('.'),
	(each) => each.map((octet) => `0${octet.toString(8)}`).join('.'),
	([a, b, c, d]) => String(((a * 256 + b) * 256 + c) * 256 + d),
	([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
	(each) => `${each.join('.')}.`,
	(each) => `[::ffff:${each.join('.')}]`,
];

const isPrivate = (host: string) => isPrivateHost(new URL(`http://${host}`).hostname);

test('an IPv4 address is private by its network, however it is written', () => {
	fc.assert(
		fc.property(octets, fc.constantFrom(...spellings), (address, spell) => {
			expect(isPrivate(spell(address))).toBe(isInPrivateV4(address));
		}),
		{ numRuns: 1_000 },
	);
});

test.each([
	...['[::1]', '[::]', '[fc00::1]', '[fdff::1]', '[fe80::1]', '[febf::1]'],
	...['localhost', 'localhost.', 'a.b.localhost', 'crm', 'printer.local', 'db.corp.internal.'],
])('%s is private', (host) => {
	expect(isPrivate(host)).toBe(true);
	expect(isPublicHttpsUrl(`https://${host}:5678/webhook/1`)).toBe(false);
});

test.each([
	...['[::2]', '[fbff::1]', '[fe00::1]', '[fe7f::1]', '[fec0::1]', '[fc::1]', '[2001:db8::1]'],
	// These only look as if they held a private IPv4 address.
	...['[1::ffff:7f00:1]', '[::ffff:7f00:1:2]', '[64:ff9b::7f00:1]', '127.0.0.1.nip.io'],
	...['example.com', 'localhost.example.com', 'mylocalhost.com', 'a.xlocal', 'bücher.example'],
])('%s is public', (host) => {
	expect(isPrivate(host)).toBe(false);
	expect(isPublicHttpsUrl(`https://${host}:8443/webhook?x=1#y`)).toBe(true);
});

test.each(['http://n8n.example.com', 'ftp://n8n.example.com', 'n8n.example.com', '', 'https://'])(
	'the service cannot deliver to %j',
	(text) => {
		expect(isPublicHttpsUrl(text)).toBe(false);
	},
);
