/**
 * Whether a host is on the internet or on our own network. Some are neither, such as addresses for
 * documentation: nothing can be delivered there, and the key should not be sent there unencrypted.
 *
 * Addresses as in IANA's special-purpose registries (RFC 6890, of which RFC 8190 is the latest form).
 */

/** An IPv4 address and the IPv6 address that stands for it are the same host (RFC 4291, 2.5.5.2). */
const MAPPED = '0'.repeat(80) + '1'.repeat(16);

/** Only this machine or its own network reaches these. */
const OWN_NETWORK = [
	'0.0.0.0/8', // RFC 791
	'10.0.0.0/8', // RFC 1918
	'100.64.0.0/10', // RFC 6598; also used by VPNs
	'127.0.0.0/8', // RFC 1122
	'169.254.0.0/16', // RFC 3927
	'172.16.0.0/12', // RFC 1918
	'192.168.0.0/16', // RFC 1918
	'::/127', // RFC 4291
	'fc00::/7', // RFC 4193
	'fe80::/10', // RFC 4291
].map(toPrefix);

/** Nobody has a web server at these. */
const NOBODY = [
	'192.0.0.0/24', // RFC 6890
	'192.0.2.0/24', // RFC 5737
	'192.88.99.0/24', // RFC 7526
	'198.18.0.0/15', // RFC 2544
	'198.51.100.0/24', // RFC 5737
	'203.0.113.0/24', // RFC 5737
	'224.0.0.0/3', // RFC 5771 and RFC 1112
	'2001::/23', // RFC 2928
	'2001:db8::/32', // RFC 3849
	'3fff::/20', // RFC 9637
].map(toPrefix);

/** IPv4, and what IANA has given out of IPv6 (its registry of global unicast addresses). */
const GIVEN_OUT = [MAPPED, toPrefix('2000::/3')];

/** These hold the IPv4 address that they lead to, in the bits from the second number on. */
const CARRIERS = [
	{ prefix: toPrefix('64:ff9b::/96'), at: 96 }, // RFC 6052
	{ prefix: toPrefix('2002::/16'), at: 16 }, // RFC 3056
];

/** Names that only a network's own DNS knows: RFC 6761, RFC 6762 (with appendix G), RFC 8375, ICANN, Kubernetes. */
const OWN_NAMES = [
	...['corp', 'home', 'home.arpa', 'internal', 'intranet', 'lan', 'local', 'localhost', 'mail'],
	...['private', 'svc', 'test'],
];

/** Names that no DNS knows: RFC 6761, RFC 7686, RFC 9476. */
const NO_NAMES = ['alt', 'example', 'invalid', 'onion'];

/** Whether only this machine or its own network can reach a host. */
export function isOnOwnNetwork(url: URL): boolean {
	const { bits, name } = readHost(url);
	if (bits !== undefined) return startsWithAny(bits, OWN_NETWORK);
	// A name without a dot is never public.
	return isName(name) && (!name.includes('.') || endsWithAny(name, OWN_NAMES));
}

/** Whether anybody on the internet can reach a host. */
export function isPublic(url: URL): boolean {
	const { bits, name } = readHost(url);
	if (bits === undefined) {
		return isName(name) && !isOnOwnNetwork(url) && !endsWithAny(name, NO_NAMES);
	}
	const carrier = CARRIERS.find(({ prefix }) => bits.startsWith(prefix));
	const target = carrier ? MAPPED + bits.slice(carrier.at, carrier.at + 32) : bits;
	return startsWithAny(target, GIVEN_OUT) && !startsWithAny(target, [...OWN_NETWORK, ...NOBODY]);
}

/** The bits of an address, or a name. URLs have normalized both, e.g. `0x7f.1` and `ＬＯＣＡＬＨＯＳＴ`. */
function readHost({ hostname }: URL): { bits?: string; name: string } {
	const isAddress = hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);
	const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
	return isAddress ? { bits: toBits(hostname.replace(/[[\]]/g, '')), name } : { name };
}

/** @param address as URLs write it: IPv4 with four decimal numbers, IPv6 with hexadecimal ones only */
function toBits(address: string): string {
	if (address.includes('.')) return MAPPED + joinBits(address.split('.').map(Number), 8);
	const [left = [], right = []] = address
		.split('::')
		.map((side) => side.split(':').filter(Boolean));
	const zeros = Array<string>(8 - left.length - right.length).fill('0');
	return joinBits(
		[...left, ...zeros, ...right].map((group) => parseInt(group, 16)),
		16,
	);
}

function joinBits(numbers: number[], bitsEach: number): string {
	return numbers.map((each) => each.toString(2).padStart(bitsEach, '0')).join('');
}

/** @param range such as `10.0.0.0/8` */
function toPrefix(range: string): string {
	const [address = '', length] = range.split('/');
	return toBits(address).slice(0, Number(length) + (address.includes('.') ? MAPPED.length : 0));
}

function isName(name: string): boolean {
	return !name.split('.').includes('');
}

function startsWithAny(bits: string, prefixes: string[]): boolean {
	return prefixes.some((prefix) => bits.startsWith(prefix));
}

function endsWithAny(name: string, endings: string[]): boolean {
	return endings.some((ending) => `.${name}`.endsWith(`.${ending}`));
}
