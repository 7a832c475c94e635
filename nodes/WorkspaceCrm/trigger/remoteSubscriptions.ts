import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { SUBSCRIPTION_CONFLICT } from '../api/errors';
import { path } from '../api/path';
import { readSubscription, type Subscription } from '../api/types';
import { parseUrl } from '../api/url';
import { InputProblem } from '../domain/problem';
import type { StoredSubscription } from './storage';

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
const MAX_SUBSCRIPTIONS = 20;

export async function listSubscriptions(api: Api): Promise<Subscription[]> {
	const list = { path: path`/v1/subscriptions`, isPaged: false, maxRecords: Infinity };
	return (await api.list(list)).map(readSubscription);
}

/** Deletes what is ours: the stored subscription, and all to our URL, now and when it was stored. */
export async function deleteOurs(
	api: Api,
	stored: Pick<StoredSubscription, 'id' | 'url'> | undefined,
	url: string,
): Promise<{ removed: number; others: Subscription[] }> {
	if (stored?.id) await deleteSubscription(api, stored.id);
	const all = (await listSubscriptions(api)).filter(({ id }) => id !== stored?.id);
	const ours = all.filter((each) => isTo(each, url) || isTo(each, stored?.url ?? url));
	for (const { id } of ours) await deleteSubscription(api, id);
	return { removed: ours.length, others: all.filter((each) => !ours.includes(each)) };
}

/** Whether a subscription is to a URL, in whatever way the service writes it. */
export function isTo(subscription: Subscription, url: string): boolean {
	const href = parseUrl(url)?.href;
	return href !== undefined && parseUrl(subscription.url)?.href === href;
}

async function deleteSubscription(api: Api, id: string): Promise<void> {
	await api.send({ method: 'DELETE', path: path`/v1/subscriptions/${id}` });
}

/**
 * @throws CrmError when the service refuses, or answers without what deliveries are checked with
 */
export async function createSubscription(
	api: Api,
	url: string,
	events: string[],
): Promise<{ id: string; secret: string }> {
	const answer = await api.sendForRecord({
		method: 'POST',
		path: path`/v1/subscriptions`,
		body: { url, events },
		advice: { 409: SUBSCRIPTION_CONFLICT },
		unclear: [
			'The service did not confirm the webhook subscription',
			'Publish the workflow again in a few minutes.',
		],
	});
	const { id, secret } = readSubscription(answer);
	if (id !== '' && secret !== '') return { id, secret };
	throw new CrmError(
		'The service created the webhook subscription without an ID or a signing secret',
		'Without an ID and a signing secret, n8n cannot tell genuine deliveries from forged ones, so the trigger does not use this subscription. Publish again. If this happens again, report it to the provider of the service.',
		{ mayHaveHappened: true },
	);
}

/** Names the subscriptions if no more are allowed, because the service only says that none are left. */
export function assertRoomLeft(others: Subscription[], url: string): void {
	if (others.length < MAX_SUBSCRIPTIONS) return;
	const { origin } = new URL(url);
	const here = others.filter((other) => other.url.startsWith(`${origin}/`));
	const list = here.map((other) => `${other.url} (${other.id})`).join(', ');
	throw new InputProblem(
		`The workspace has ${others.length} webhook subscriptions, and the service allows ${MAX_SUBSCRIPTIONS}`,
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node, and publish again. ${here.length} of them point at this n8n${list && `: ${list}`}.`,
	);
}
