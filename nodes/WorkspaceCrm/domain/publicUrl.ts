import { isPrivateHost } from './host';

/**
 * Whether the service can deliver events to a URL: "Public https endpoint that receives
 * deliveries" (API reference, webhook subscription).
 */
export function isPublicHttpsUrl(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const url = new URL(text);
	return url.protocol === 'https:' && !isPrivateHost(url.hostname);
}
