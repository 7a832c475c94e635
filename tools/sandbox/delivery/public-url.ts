import { parseUrl } from '../../../nodes/WorkspaceCrm/crm/urls';
import { net } from '../../support/platform';

const privateRanges = new net.BlockList();
for (const [network, prefix] of [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
	['172.16.0.0', 12],
	['192.168.0.0', 16],
] as const) {
	privateRanges.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
	['::', 127],
	['fc00::', 7],
	['fe80::', 10],
] as const) {
	privateRanges.addSubnet(network, prefix, 'ipv6');
}

/** Names that only mean something inside one network. */
const localSuffix = /\.(localhost|local|internal|lan|home\.arpa)$/;

/** Whether `text` is an https address that a service on the internet could reach. */
export function isPublicHttpsUrl(text: string): boolean {
	const url = parseUrl(text);
	if (url?.protocol !== 'https:') return false;
	const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
	const family = net.isIP(host);
	if (family !== 0) return !privateRanges.check(host, family === 6 ? 'ipv6' : 'ipv4');
	return host.includes('.') && !localSuffix.test(host);
}
