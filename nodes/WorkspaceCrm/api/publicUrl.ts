import { isPrivateHost } from './host';
import { parseUrl } from './url';

/**
 * Whether the service can deliver events to a URL: "Public https endpoint that receives
 * deliveries" (API reference, webhook subscription).
 */
export function isPublicHttpsUrl(text: string): boolean {
	const url = parseUrl(text);
	return url?.protocol === 'https:' && !isPrivateHost(url.hostname);
}
