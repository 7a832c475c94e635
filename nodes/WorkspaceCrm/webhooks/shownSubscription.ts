import { readSubscription, type WireRecord } from '../api/types';
import { readWaitUrl, withoutQuery } from './waitUrl';

/**
 * A subscription as it may be stored and shown: without the secret, which lets its holder forge
 * deliveries; and if it belongs to a wait, with what is known of that, and without n8n's signature.
 */
export function shownSubscription(subscription: WireRecord): WireRecord {
	const shown = { ...subscription };
	delete shown.secret;
	const { url, createdAt } = readSubscription(subscription);
	const wait = readWaitUrl(url);
	if (!wait) return shown;
	const { executionId: execution_id, untilMs } = wait;
	const until = new Date(untilMs).toISOString();
	return { ...shown, url: withoutQuery(url), wait: { execution_id, since: createdAt, until } };
}
