import type { Api } from '../api/client';
import { unlessGone } from '../api/crmError';
import { readSubscription, type Subscription } from '../api/types';
import { path, parseUrl } from '../api/urls';
import { InputProblem } from '../domain/problem';
import { readWaitUrl } from './waitUrl';

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
const MAX_ACTIVE = 20;

export async function listSubscriptions(api: Api): Promise<Subscription[]> {
	const list = { path: path`/v1/subscriptions`, isPaged: false, maxRecords: Infinity };
	return (await api.list(list)).map(readSubscription);
}

/** Whether a subscription is to a URL, in whatever way the service writes it. */
export function isTo(subscription: Pick<Subscription, 'url'>, url: string): boolean {
	const href = parseUrl(url)?.href;
	return href !== undefined && parseUrl(subscription.url)?.href === href;
}

/** Deletes a subscription; treats 404 as success. */
export async function deleteSubscription(api: Api, id: string): Promise<void> {
	await api.send({ method: 'DELETE', path: path`/v1/subscriptions/${id}` }).catch(unlessGone);
}

/** Whether one more subscription is allowed. */
export function hasRoom(subscriptions: readonly Subscription[]): boolean {
	return subscriptions.filter(({ isActive }) => isActive).length < MAX_ACTIVE;
}

/**
 * Names the subscriptions of this n8n if no more are allowed; the service does not.
 *
 * @param url of something in this n8n
 * @param next what to do once there is room, as a sentence
 * @throws InputProblem in this case
 */
export function assertRoomLeft(
	subscriptions: readonly Subscription[],
	url: string,
	next: string,
): void {
	if (hasRoom(subscriptions)) return;
	const active = subscriptions.filter(({ isActive }) => isActive);
	const { origin } = new URL(url);
	const here = active.filter((other) => parseUrl(other.url)?.origin === origin);
	const waits = here.flatMap((other) => readWaitUrl(other.url) ?? []);
	const triggers = here.filter((other) => !readWaitUrl(other.url));
	const triggerList = triggers.map((other) => `${other.url} (${other.id})`).join(', ');
	const waitList = waits
		.map((wait) => `execution ${wait.executionId} until ${new Date(wait.untilMs).toISOString()}`)
		.join(', ');
	const texts = [
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node. ${next}`,
		`${triggers.length} of them point at triggers of this n8n${triggerList && `: ${triggerList}`}.`,
		waitList &&
			`${waits.length} of them belong to executions of this n8n that wait for a reply: ${waitList}. They go when the reply comes, or some minutes after that time.`,
	];
	throw new InputProblem(
		`The workspace has ${active.length} webhook subscriptions, and the service allows ${MAX_ACTIVE}`,
		texts.filter((text) => text).join(' '),
	);
}
