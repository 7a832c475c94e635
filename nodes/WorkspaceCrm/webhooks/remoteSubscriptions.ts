import type { Api } from '../api/client';
import { CrmError, unlessGone } from '../api/crmError';
import type { Advice } from '../api/errors';
import { path, parseUrl } from '../api/urls';
import { readSubscription, type Subscription } from '../api/types';
import { InputProblem } from '../domain/problem';
import { readWaitUrl } from './waitUrl';

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
export const MAX_SUBSCRIPTIONS = 20;

export async function listSubscriptions(api: Api): Promise<Subscription[]> {
	const list = { path: path`/v1/subscriptions`, isPaged: false, maxRecords: Infinity };
	return (await api.list(list)).map(readSubscription);
}

/** Deletes what is ours: the stored subscription, and all to our URL, now and when it was stored. */
export async function deleteOurs(
	api: Api,
	stored: { id: string; url: string } | undefined,
	url: string,
): Promise<{ removed: number; others: Subscription[] }> {
	if (stored?.id) await deleteSubscription(api, stored.id);
	const all = (await listSubscriptions(api)).filter(({ id }) => id !== stored?.id);
	const ours = all.filter((each) => isTo(each, url) || isTo(each, stored?.url ?? url));
	for (const { id } of ours) await deleteSubscription(api, id);
	return { removed: ours.length, others: all.filter((each) => !ours.includes(each)) };
}

/** Whether a subscription is to a URL, in whatever way the service writes it. */
export function isTo(subscription: Pick<Subscription, 'url'>, url: string): boolean {
	const href = parseUrl(url)?.href;
	return href !== undefined && parseUrl(subscription.url)?.href === href;
}

export async function deleteSubscription(api: Api, id: string): Promise<void> {
	await api.send({ method: 'DELETE', path: path`/v1/subscriptions/${id}` });
}

/** The same, where it may be gone already: some services answer 404 then. */
export async function deleteIfThere(api: Api, id: string): Promise<void> {
	await deleteSubscription(api, id).catch(unlessGone);
}

/** @throws CrmError when the service refuses, or answers without what deliveries are checked with */
export async function createSubscription(
	api: Api,
	request: { url: string; events: string[] },
	texts: { conflict: string; unclear: Advice },
): Promise<Subscription> {
	const answer = await api.sendForRecord({
		method: 'POST',
		path: path`/v1/subscriptions`,
		body: request,
		advice: { 409: texts.conflict },
		unclear: texts.unclear,
	});
	const subscription = readSubscription(answer);
	if (subscription.id !== '' && subscription.secret !== '') return subscription;
	throw new CrmError(
		'The service created the webhook subscription without an ID or a signing secret',
		'Without an ID and a signing secret, n8n cannot tell genuine deliveries from forged ones, so this node does not use the subscription. Try again. If this happens again, report it to the provider of the service.',
		{ mayHaveHappened: true },
	);
}

/** The URL of something in this n8n, and what to do once there is room. */
interface Newcomer {
	url: string;
	next: string;
}

/**
 * Names the subscriptions if no more are allowed, because the service only says that none are left.
 *
 * @throws InputProblem in this case
 */
export function assertRoomLeft(others: readonly Subscription[], { url, next }: Newcomer): void {
	if (others.length < MAX_SUBSCRIPTIONS) return;
	const { origin } = new URL(url);
	const here = others.filter((other) => parseUrl(other.url)?.origin === origin);
	const waits = here.flatMap((other) => readWaitUrl(other.url) ?? []);
	const triggers = here.filter((other) => !readWaitUrl(other.url));
	const triggerList = triggers.map((other) => `${other.url} (${other.id})`).join(', ');
	const waitList = waits
		.map((wait) => `execution ${wait.executionId} until ${new Date(wait.untilMs).toISOString()}`)
		.join(', ');
	const texts = [
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node, and ${next}.`,
		`${triggers.length} of them point at triggers of this n8n${triggerList && `: ${triggerList}`}.`,
		waitList &&
			`${waits.length} of them belong to executions of this n8n that wait for a reply: ${waitList}. They go when the reply comes, or some minutes after that time.`,
	];
	throw new InputProblem(
		`The workspace has ${others.length} webhook subscriptions, and the service allows ${MAX_SUBSCRIPTIONS}`,
		texts.filter((text) => text).join(' '),
	);
}
