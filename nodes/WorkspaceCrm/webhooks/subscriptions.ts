import type { Api } from '../api/client';
import { unlessGone } from '../api/crmError';
import { endpoints } from '../api/endpoints';
import { readSubscription, type Subscription, type WireRecord } from '../api/types';
import { readWaitUrl, withoutQuery } from './waitUrl';

export async function listSubscriptions(api: Api): Promise<Subscription[]> {
	return (await api.list(endpoints.getSubscriptions())).map(readSubscription);
}

/** Deletes a subscription; treats 404 as success. */
export async function deleteSubscription(api: Api, id: string): Promise<void> {
	await api.send(endpoints.deleteSubscription(id)).catch(unlessGone);
}

/**
 * The form of a subscription that is safe to output: without the secret, which lets its holder forge
 * deliveries. For a wait, it adds the execution and its times, and removes n8n's signature from the URL.
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
