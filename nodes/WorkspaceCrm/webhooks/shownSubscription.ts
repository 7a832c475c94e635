import { readSubscription, type WireRecord } from '../api/types';
import { readWaitUrl, withoutSignature } from './waitUrl';

/**
 * A subscription as it may be stored and shown: without the secret, which lets its holder forge
 * deliveries; and if it belongs to a wait, with what is known of that, and without n8n's signature.
 */
export function shownSubscription(subscription: WireRecord): WireRecord {
	const shown = { ...subscription };
	delete shown.secret;
	const { url } = readSubscription(subscription);
	const wait = readWaitUrl(url);
	if (!wait) return shown;
	const time = (timeMs: number) => new Date(timeMs).toISOString();
	const { executionId, sinceMs, untilMs } = wait;
	return {
		...shown,
		url: withoutSignature(url),
		wait: { execution_id: executionId, since: time(sinceMs), until: time(untilMs) },
	};
}
