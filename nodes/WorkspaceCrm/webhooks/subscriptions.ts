import type { Api } from '../api/client';
import { CrmError, unlessGone } from '../api/crmError';
import { readSubscription, type Subscription, type WireRecord } from '../api/types';
import { parseUrl, path } from '../api/urls';
import { isLongOver, readWaitUrl, withoutQuery } from './waitUrl';

export async function listSubscriptions(api: Api): Promise<Subscription[]> {
	const list = { path: path`/v1/subscriptions`, isPaged: false, maxRecords: Infinity };
	return (await api.list(list)).map(readSubscription);
}

/** A URL of ours that a subscription goes to. */
export interface Target {
	url: string;
	/** The IDs of subscriptions to the same URL that are not ours, and must stay. */
	othersIds?: readonly string[];
}

/** Whether a subscription is ours, and goes to our URL, however the service writes it. */
export function isOurs(
	{ id, url }: Pick<Subscription, 'id' | 'url'>,
	{ url: ourUrl, othersIds = [] }: Target,
): boolean {
	const href = parseUrl(ourUrl)?.href;
	return href !== undefined && parseUrl(url)?.href === href && !othersIds.includes(id);
}

/** Deletes a subscription; treats 404 as success. */
export async function deleteSubscription(api: Api, id: string): Promise<void> {
	await api.send({ method: 'DELETE', path: path`/v1/subscriptions/${id}` }).catch(unlessGone);
}

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
const MAX_ACTIVE = 20;

/**
 * Makes room for a subscription: deletes ours to the same URL, and those of this n8n's waits that are
 * long over. If nobody replies, or the execution is stopped or crashes, n8n does not call us to clean up.
 *
 * @throws CrmError if the limit is reached; it names the subscriptions of this n8n, as the service does not
 */
export async function makeRoom(api: Api, target: Target, nowMs: number): Promise<void> {
	const isHere = (each: Subscription) =>
		parseUrl(each.url)?.origin === parseUrl(target.url)?.origin;
	const isOverdue = (each: Subscription) => isHere(each) && isLongOver(each.url, nowMs);
	const all = await listSubscriptions(api);
	const outdated = all.filter((each) => isOurs(each, target) || isOverdue(each));
	for (const { id } of outdated) await deleteSubscription(api, id);
	const active = all.filter((each) => each.isActive && !outdated.includes(each));
	if (active.length < MAX_ACTIVE) return;
	const here = active.filter(isHere).map(placeOf);
	throw new CrmError(
		`The workspace has ${active.length} webhook subscriptions, and the service allows ${MAX_ACTIVE}`,
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node. ${here.length} of them belong to this n8n${here.length > 0 ? `: ${here.join(', ')}` : ''}.`,
	);
}

/** Describes a subscription, with the ID to delete it by. */
function placeOf({ id, url }: Subscription): string {
	const wait = readWaitUrl(url);
	if (!wait) return `${url} (${id})`;
	const until = new Date(wait.untilMs).toISOString();
	return `execution ${wait.executionId}, which waits for a reply until ${until} (${id})`;
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
