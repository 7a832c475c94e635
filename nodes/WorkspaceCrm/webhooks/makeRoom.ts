import type { Api } from '../api/client';
import type { Subscription } from '../api/types';
import { parseUrl } from '../api/urls';
import { InputProblem } from '../domain/problem';
import { deleteSubscription, listSubscriptions } from './subscriptions';
import { isLongOver, readWaitUrl } from './waitUrl';

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
const MAX_ACTIVE = 20;

/**
 * Makes room for one more subscription: deletes those of this n8n's waits that are long over. If nobody
 * replies, or the execution is stopped or crashes, n8n does not call us to clean up.
 *
 * @param url any webhook URL of this n8n
 * @param next the sentence of the error that says what to do once there is room
 * @throws InputProblem if the limit is reached; it names the subscriptions of this n8n, as the service
 * does not
 */
export async function makeRoom(api: Api, url: string, nowMs: number, next: string): Promise<void> {
	const isHere = (each: Subscription) => parseUrl(each.url)?.origin === parseUrl(url)?.origin;
	const isOverdue = (each: Subscription) => isHere(each) && isLongOver(each.url, nowMs);
	const active = (await listSubscriptions(api)).filter(({ isActive }) => isActive);
	const places = MAX_ACTIVE - active.length;
	const deletions = active
		.filter(isOverdue)
		.map(async ({ id }) => await deleteSubscription(api, id));
	const deleted = await Promise.allSettled(deletions);
	if (places + deleted.filter(({ status }) => status === 'fulfilled').length > 0) return;
	const here = active.filter(isHere).map(placeOf);
	throw new InputProblem(
		`The workspace has ${active.length} webhook subscriptions, and the service allows ${MAX_ACTIVE}`,
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node. ${next} ${here.length} of them belong to this n8n${here.length > 0 ? `: ${here.join(', ')}` : ''}.`,
	);
}

/** Describes a subscription, with the ID to delete it by. */
function placeOf({ id, url }: Subscription): string {
	const wait = readWaitUrl(url);
	if (!wait) return `${url} (${id})`;
	const until = new Date(wait.untilMs).toISOString();
	return `execution ${wait.executionId}, which waits for a reply until ${until} (${id})`;
}
