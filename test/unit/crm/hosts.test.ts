import * as fc from 'fast-check';
import * as ipaddr from 'ipaddr.js';

import { isPublicHttpsUrl, readBaseUrl } from '../../../nodes/WorkspaceCrm/crm/urls';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';

type Place = 'own network' | 'elsewhere';

/** Where the nodes take a host to be: they accept plain http for one's own network, and https to deliver to. */
function placeOf(host: string): Place {
	let isOwn = true;
	try {
		readBaseUrl(`http://${host}`);
	} catch (error) {
		expect((error as InputProblem).message).toContain('unencrypted');
		isOwn = false;
	}
	expect(isPublicHttpsUrl(`https://${host}:8443/hook?a=b`)).toBe(!isOwn);
	return isOwn ? 'own network' : 'elsewhere';
}

const OWN = ['unspecified', 'private', 'loopback', 'linkLocal', 'carrierGradeNat', 'uniqueLocal'];

/** The same by a library's table of the registries. */
function expectedOf(address: ipaddr.IPv4 | ipaddr.IPv6): Place {
	const isMapped = address.range() === 'ipv4Mapped';
	const whole = isMapped ? ipaddr.process(address.toString()) : address;
	return OWN.includes(whole.range()) ? 'own network' : 'elsewhere';
}

const RANGES = [
	...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
	...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
	...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
	...['224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32', '8.8.8.0/24', '0.0.0.0/0'],
];

const RANGES_6 = [
	...['::/128', '::1/128', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64'],
	...['100:0:0:1::/64', '2001::/23', '2001::/32', '2001:2::/48', '2001:3::/32', '2001:4:112::/48'],
	...['2001:10::/28', '2001:20::/28', '2001:30::/28', '2001:db8::/32', '2002::/16', '3fff::/20'],
	...['2620:4f:8000::/48', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
	...['2a00:1450::/32', '2000::/3', '::/0'],
	// Addresses that hold an IPv4 address.
	...['::ffff:a00:0/104', '::ffff:6440:0/106', '64:ff9b::a00:0/104', '64:ff9b::c0a8:0/112'],
	...['2002:a00::/24', '2002:c0a8::/32', '2002:808::/32'],
];

/** An address in a range, at one of its ends, or just outside of it. */
const address = fc
	.tuple(
		fc.constantFrom(...RANGES, ...RANGES_6),
		fc.constantFrom<'below' | 'first' | 'any' | 'last' | 'above'>(
			...(['below', 'first', 'any', 'last', 'above'] as const),
		),
		fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
	)
	.map(([range, at, seed]) => {
		const [base, bits] = ipaddr.parseCIDR(range);
		const bytes = base.toByteArray();
		const total = BigInt(bytes.length * 8);
		const first = BigInt(`0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`);
		const size = 2n ** (total - BigInt(bits));
		const last = first + size - 1n;
		const place = {
			below: first - 1n,
			first,
			any: first + (seed % size),
			last,
			above: last + 1n,
		}[at];
		const value = (place + 2n ** total) % 2n ** total;
		const hex = value.toString(16).padStart(bytes.length * 2, '0');
		return ipaddr.fromByteArray([...Buffer.from(hex, 'hex')]);
	});

/** The ways to write an address in a URL. */
const spellings = (given: ipaddr.IPv4 | ipaddr.IPv6): string[] => {
	if (given instanceof ipaddr.IPv6) {
		const groups = given.parts.map((part) => part.toString(16));
		const whole = groups.map((group) => group.padStart(4, '0').toUpperCase()).join(':');
		const mixed = `${groups.slice(0, 6).join(':')}:${given.toByteArray().slice(12).join('.')}`;
		return [given.toString(), whole, mixed].map((text) => `[${text}]`);
	}
	const [a, b, c, d] = given.octets;
	const whole = ((a * 256 + b) * 256 + c) * 256 + d;
	return [
		...[given.toString(), `${given.toString()}.`, String(whole), `0x${whole.toString(16)}`],
		...[`${a}.${b}.${c * 256 + d}`, `0${a.toString(8)}.0x${b.toString(16)}.${c}.${d}`],
	];
};

test('knows where an address is, however it is written, as the registries of IANA say', () => {
	const spelt = fc.tuple(address, fc.nat()).map(([given, index]) => {
		const all = spellings(given);
		return { given, text: all[index % all.length] };
	});
	fc.assert(
		fc.property(spelt, ({ given, text }) => {
			expect([text, placeOf(text)]).toEqual([text, expectedOf(given)]);
		}),
		{ numRuns: 5_000 },
	);
});

test.each<[Place, string[]]>([
	[
		'own network',
		[
			...['100.101.102.103', '[::ffff:192.168.0.5]', '[::ffff:7f00:1]', '[::]', '[fd00::1]'],
			...[
				'crm',
				'CRM',
				'localhost',
				'localhost.',
				'a.localhost',
				'crm.local',
				'crm.lan',
				'crm.LAN.',
			],
			...['nas.home.arpa', 'crm.home', 'crm.corp', 'crm.mail', 'crm.internal', 'crm.intranet'],
			...['crm.private', 'crm.test', 'crm.default.svc', 'crm.default.svc.cluster.local'],
			...['crm。lan', 'ＣＲＭ．lan', 'bücher.lan', 'a_b.lan'],
		],
	],
	[
		'elsewhere',
		[
			...['crm.example.com', 'crm.example.com.', 'arpa.com', 'xlan.de', 'lan.de', 'notlocal.org'],
			...['home.arpa.com', '8.8.8.8.nip.io', 'bücher.de', '[2a00:1450::1]', '[::ffff:8.8.8.8]'],
			// These lead nowhere, which is the service's to find out.
			...[
				'192.0.2.1',
				'203.0.113.7',
				'198.18.0.1',
				'255.255.255.255',
				'[2001:db8::1]',
				'[fec0::1]',
			],
			...['[ff02::1]', '[64:ff9b::192.168.0.5]', '[2002:c0a8:5::1]', 'crm.example', 'a.invalid'],
			// Not names: one part of them is empty.
			...['a.alt', 'x.onion', 'a..lan', 'localhost..', '.lan', 'a..com', '10.0.0.1..'],
		],
	],
])('%s: %j', (place, hosts) => {
	expect(hosts.map((host) => `${host}: ${placeOf(host)}`)).toEqual(
		hosts.map((host) => `${host}: ${place}`),
	);
});
