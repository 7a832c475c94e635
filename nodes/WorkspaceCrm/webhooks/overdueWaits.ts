import type { Api } from '../api/client';
import type { Subscription } from '../api/types';
import { parseUrl } from '../api/urls';
import { deleteSubscription } from './remoteSubscriptions';
import { readWaitUrl, type WaitUrl } from './waitUrl';

/** Until then, n8n may still be about to go on by itself, and the service about to try again. */
export const KEPT_AFTER_END_MS = 10 * 60_000;

/** At a time, so that nobody waits long for it. */
const MAX_DELETIONS = 10;

/**
 * Deletes the subscriptions of this n8n's waits that are long over. Where nobody replies, or the
 * execution is stopped or crashes, n8n calls nothing of ours that could delete them. What cannot be
 * deleted is left for the next time.
 *
 * @param baseUrl where this n8n resumes executions; without it, none can be told to be its own
 * @returns the subscriptions that are left
 */
export async function deleteOverdueWaits(
	api: Api,
	subscriptions: readonly Subscription[],
	baseUrl: string | undefined,
	nowMs: number,
): Promise<Subscription[]> {
	const left: Subscription[] = [];
	let tries = 0;
	for (const subscription of subscriptions) {
		const wait = waitOf(subscription, baseUrl);
		const isOver = wait !== undefined && nowMs > wait.untilMs + KEPT_AFTER_END_MS;
		tries += isOver ? 1 : 0;
		const isDeleted = isOver && tries <= MAX_DELETIONS && (await tryToDelete(api, subscription.id));
		if (!isDeleted) left.push(subscription);
	}
	return left;
}

/** The wait of this n8n that a subscription belongs to. */
export function waitOf({ url }: Subscription, baseUrl = ''): WaitUrl | undefined {
	const [base, own] = [parseUrl(`${baseUrl}/`), parseUrl(url)];
	const isHere = own?.origin === base?.origin && own?.pathname.startsWith(base?.pathname ?? '');
	return base && isHere ? readWaitUrl(url) : undefined;
}

async function tryToDelete(api: Api, id: string): Promise<boolean> {
	return await deleteSubscription(api, id).then(
		() => true,
		() => false,
	);
}
