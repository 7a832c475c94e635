import { createApi, type Api } from '../api/client';
import { endpoints } from '../api/endpoints';
import {
	CrmError,
	rethrow,
	SUBSCRIPTION_CONFLICT,
	TRY_AGAIN,
	unlessNotFound,
} from '../api/crmError';
import type { RequestContext, Runtime } from '../api/connection';
import { readSubscription, type Subscription, type WireRecord } from '../api/records';
import { isPublicHttpsUrl, parseUrl } from '../api/urls';
import { InputProblem } from '../domain/problem';
import { plainText } from '../domain/text';
import { CLEAN_UP_MS } from '../domain/timeLimits';
import { isLongOver, readWaitUrl, withoutQuery } from './waitUrl';

export async function listSubscriptions(api: Api): Promise<Subscription[]> {
	return (await api.list(endpoints.getSubscriptions())).map(readSubscription);
}

/** Deletes a subscription; treats 404 as success. */
export async function deleteSubscription(api: Api, id: string): Promise<void> {
	await api.send(endpoints.deleteSubscription(id)).catch(unlessNotFound);
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

/** Adds a line to n8n's log about a subscription that stays at the service. */
export function warnOf({ logger }: RequestContext, id: string, what: string): void {
	logger.warn(`Workspace CRM: The webhook subscription ${plainText(id, 100)} ${what}`);
}

/** @throws InputProblem if the service cannot reach our webhook URL */
export function assertReachable(url: string): void {
	if (isPublicHttpsUrl(url)) return;
	throw new InputProblem(
		"The CRM can't send events to this n8n: its address cannot be reached from the internet",
		`Ask whoever runs n8n to set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to its public https address, and to restart n8n. In queue mode, set it for the workers, too. The webhook URL of n8n is now ${withoutQuery(url)}. To try things out on your own machine, use a tunnel.`,
	);
}

/** A subscription to create. */
interface WantedSubscription {
	/** Only we have subscriptions to this URL. */
	url: string;
	events: string[];
	/** The text for an error that may leave a subscription at the service. */
	ifLeft: string;
}

/**
 * Makes room for a subscription, then creates it. If the result is unusable or unknown, deletes it again.
 *
 * @throws the failure; its text says so if a subscription may be left
 */
export async function createSubscription(
	context: RequestContext,
	runtime: Runtime,
	api: Api,
	wanted: WantedSubscription,
): Promise<Subscription> {
	const { url, events } = wanted;
	await makeRoom(api, url, runtime.clock.now());
	let made: Subscription | undefined;
	try {
		const answer = await api.sendForRecord(endpoints.createSubscription(), {
			body: { url, events },
			advice: { 409: SUBSCRIPTION_CONFLICT },
			unclear: ['The service did not confirm the webhook subscription', TRY_AGAIN],
		});
		made = readSubscription(answer);
		assertUsable(made, wanted);
		return made;
	} catch (error) {
		const isNotMade = !made && error instanceof CrmError && !error.failure.mayHaveHappened;
		return isNotMade ? rethrow(error) : await cleanUp(context, runtime, wanted, error, made?.id);
	}
}

/** Whether both are the same URL, however the service writes it. */
function isSameUrl(url: string, ourUrl: string): boolean {
	const href = parseUrl(ourUrl)?.href;
	return href !== undefined && parseUrl(url)?.href === href;
}

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
const MAX_ACTIVE = 20;

/**
 * Makes room for a subscription: deletes ours to the same URL, and those of this n8n's waits that are
 * long over. If nobody replies, or the execution is stopped or crashes, n8n does not call us to clean up.
 *
 * @throws CrmError if the limit is reached; it names the subscriptions of this n8n, as the service does not
 */
async function makeRoom(api: Api, ourUrl: string, nowMs: number): Promise<void> {
	const { origin, pathname } = parseUrl(ourUrl) ?? {};
	const isHere = ({ url }: Subscription) => parseUrl(url)?.origin === origin;
	// As before a change of n8n's address.
	const isFormer = ({ url }: Subscription) => parseUrl(url)?.pathname === pathname;
	const all = await listSubscriptions(api);
	const outdated = all.filter(
		(each) => isSameUrl(each.url, ourUrl) || (isHere(each) && isLongOver(each.url, nowMs)),
	);
	for (const { id } of outdated) await deleteSubscription(api, id);
	const active = all.filter((each) => each.isActive && !outdated.includes(each));
	if (active.length < MAX_ACTIVE) return;
	const here = active.filter((each) => isHere(each) || isFormer(each)).map(placeOf);
	throw new CrmError(
		`The workspace has ${active.length} webhook subscriptions, and the service allows ${MAX_ACTIVE}`,
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node. ${here.length} of them belong to this n8n${here.length > 0 ? `, now or under a former address: ${here.join(', ')}` : ''}.`,
	);
}

/** Describes a subscription, with the ID to delete it by. */
function placeOf({ id, url }: Subscription): string {
	const wait = readWaitUrl(url);
	if (!wait) return `${url} (${id})`;
	const until = new Date(wait.untilMs).toISOString();
	return `execution ${wait.executionId}, which waits for a reply until ${until} (${id})`;
}

/** @throws CrmError if the subscription cannot deliver the events; missing fields count as right */
function assertUsable(made: Subscription, wanted: WantedSubscription): void {
	const { id, secret, url, events, isActive } = made;
	const isRightUrl = url === '' || isSameUrl(url, wanted.url);
	const isComplete = !events || wanted.events.every((event) => events.includes(event));
	let problem: string | undefined;
	if (!isRightUrl) problem = `It goes to ${withoutQuery(url)}, not to ${withoutQuery(wanted.url)}.`;
	else if (!isActive || !isComplete) problem = 'It is not active, or lacks events.';
	else if (id === '' || secret === '') problem = 'It has no ID or no secret to verify events with.';
	if (problem === undefined) return;
	throw new CrmError(
		'The service created a webhook subscription that cannot deliver the events',
		`${problem} Report this to the provider of the service.`,
	);
}

/**
 * Deletes a subscription after a failure, by its ID if that is known.
 *
 * @throws the failure; its text says so if the subscription may be left
 */
export async function cleanUp(
	context: RequestContext,
	runtime: Runtime,
	wanted: WantedSubscription,
	failure: unknown,
	id?: string,
): Promise<never> {
	const isClean = await deleteLeftovers(context, runtime, { ...wanted, id }).catch(() => false);
	if (isClean || !(failure instanceof CrmError)) throw failure;
	throw failure.withContext(wanted.ifLeft);
}

/**
 * Deletes the subscription with the ID, or else all to the URL, even after Stop. Returns whether it deleted
 * one: if none is found, the service may still create it.
 *
 * @throws the failure if one is left
 */
export async function deleteLeftovers(
	context: RequestContext,
	runtime: Runtime,
	{ id, url = '' }: { id?: string; url?: string },
): Promise<boolean> {
	const signal = runtime.clock.signalAfter(CLEAN_UP_MS);
	const api = await createApi(context, { runtime, maxWaitMs: CLEAN_UP_MS, signal });
	const all = id ? [{ id, url }] : await listSubscriptions(api);
	const ours = all.filter((each) => id || isSameUrl(each.url, url));
	for (const each of ours) await deleteSubscription(api, each.id);
	return ours.length > 0;
}
