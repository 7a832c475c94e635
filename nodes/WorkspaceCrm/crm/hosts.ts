/** An IPv4 address and the IPv6 address that stands for it are the same host (RFC 4291, 2.5.5.2). */
const MAPPED = '0'.repeat(80) + '1'.repeat(16);

/** Only this machine or its own network reaches these (IANA's special-purpose registries, RFC 6890). */
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

/** Names that only a network's own DNS knows: RFC 6761, RFC 6762 (with appendix G), RFC 8375, ICANN, Kubernetes. */
const OWN_NAMES = [
	...['corp', 'home', 'home.arpa', 'internal', 'intranet', 'lan', 'local', 'localhost', 'mail'],
	...['private', 'svc', 'test'],
];

/**
 * Whether only this machine or its own network can reach a host. Others may lead nowhere, such as addresses for
 * documentation; that is the service's to find out.
 */
export function isOnOwnNetwork(url: URL): boolean {
	const { bits, name } = readHost(url);
	if (bits !== undefined) return OWN_NETWORK.some((prefix) => bits.startsWith(prefix));
	const isName = !name.split('.').includes('');
	// A name without a dot is never public.
	const isOwn =
		!name.includes('.') || OWN_NAMES.some((ending) => `.${name}`.endsWith(`.${ending}`));
	return isName && isOwn;
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
