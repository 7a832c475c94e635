const LOCAL_NAMES = /\.(localhost|local|internal)$/;

/**
 * Whether a host can only be reached from this machine or its own network.
 *
 * @param hostname as `new URL(...).hostname` gives it: lower case, numbers in their usual form
 * @see https://www.rfc-editor.org/rfc/rfc6890 and https://www.rfc-editor.org/rfc/rfc4193 for the
 * addresses, https://www.rfc-editor.org/rfc/rfc6761 and https://www.rfc-editor.org/rfc/rfc6762 for
 * the names. `.internal` is reserved by ICANN; a name without a dot is never a public one.
 */
export function isPrivateHost(hostname: string): boolean {
	const host = hostname.replace(/\.$/, '');
	if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));

	const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)?.slice(1).map(Number);
	if (octets) return isPrivateIpv4(octets);

	return !host.includes('.') || LOCAL_NAMES.test(host);
}

function isPrivateIpv4([first, second = 0]: number[]): boolean {
	if (first === 0 || first === 10 || first === 127) return true;
	if (first === 172) return second >= 16 && second <= 31;
	if (first === 192) return second === 168;
	return first === 169 && second === 254;
}

function isPrivateIpv6(address: string): boolean {
	if (address === '::' || address === '::1') return true;
	if (/^(f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/.test(address)) return true;

	// An IPv4 address in IPv6 clothes: ::ffff:7f00:1 is 127.0.0.1.
	const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address);
	if (!mapped) return false;
	const [, high = 0, low = 0] = mapped.map((group) => parseInt(group, 16));
	return isPrivateIpv4([high >> 8, high & 255, low >> 8, low & 255]);
}
