import { createApi } from '../n8n/connect';
import type { RequestContext } from '../n8n/n8nTransport';
import type { Api } from '../crm/client';
import { endpoints } from '../crm/endpoints';
import { CrmError, SUBSCRIPTION_CONFLICT, TRY_AGAIN, unlessNotFound } from '../crm/crmError';
import type { Runtime } from '../crm/connection';
import { readSubscription, type Subscription, type WireRecord } from '../crm/records';
import { isPublicHttpsUrl, parseUrl } from '../crm/urls';
import { InputProblem, rethrow } from '../domain/inputProblem';
import { plainText } from '../domain/text';
import { ANSWERED_PAUSES_MIN, CLEAN_UP_MS } from '../domain/timeLimits';
import { textOf, toNodeError } from '../operations/nodeErrors';
import { isLongOver, readWaitUrl, withoutQuery } from './waitUrl';

/**
 * Whose subscription it is, and whether it may go. Three rules:
 * - In a list, which shows only the workspace of the key: what goes to our URL is ours.
 * - In such a list, a wait that `waitUrl` calls over: for anybody at this address, long over; for another question to
 *   the same contact, ended in this n8n (`askAndWait`).
 * - By an ID that a node has kept: what belongs to the workspace of the node's key. For an ID of another workspace,
 *   the service would answer 204, as for one that is gone (API reference, errors). It stays, and n8n's log names it.
 *
 * Subscription > Delete is the only other place that deletes subscriptions.
 */

/** A subscription whose ID a node has kept. */
export interface KeptSubscription {
	id: string;
	/** The ID of the workspace. */
	workspace: string;
}

/** What n8n's log says about a subscription that stays. */
export interface LogTexts {
	/** Which one it is, after its ID. */
	what: string;
	/** What to do if it belongs to another URL or workspace. */
	ifOther: string;
	/** What to do if the service refuses to delete it. */
	ifRefused: string;
}

/** Adds a line to n8n's log about a subscription. */
function warnOf({ logger }: RequestContext, id: string, what: string): void {
	logger.warn(`Workspace CRM: The webhook subscription ${plainText(id, 100)} ${what}`);
}

/** Logs that a subscription stays, because another URL or workspace may still use it. */
export function warnOfOther(context: RequestContext, id: string, { what, ifOther }: LogTexts) {
	warnOf(context, id, `${what} was not deleted, because ${ANOTHER}. ${ifOther}`);
}

const ANOTHER = 'this node now has another URL or another workspace';

/** Deletes a subscription that one of the rules above has judged. One that is gone already is fine. */
export async function deleteSubscription(
	api: Api,
	{ id }: Pick<Subscription, 'id'>,
): Promise<void> {
	await api.send(endpoints.deleteSubscription(id)).catch(unlessNotFound);
}

/**
 * Deletes a kept subscription in the background, with the credential as it is then; by default, tries for an hour.
 * Logs it if it stays. Never throws.
 *
 * @returns whether it is gone
 */
export async function deleteInBackground(
	context: RequestContext,
	runtime: Runtime,
	kept: KeptSubscription,
	texts: LogTexts,
	pausesMin = ANSWERED_PAUSES_MIN,
): Promise<boolean> {
	const { clock } = runtime;
	for (const minutes of pausesMin) {
		if (minutes > 0) await clock.sleep(minutes * 60_000);
		try {
			const signal = clock.signalAfter(CLEAN_UP_MS);
			const api = await createApi(context, { runtime, maxWaitMs: CLEAN_UP_MS, signal });
			const isOurs = (await api.workspaceId()) === kept.workspace;
			if (isOurs) await deleteSubscription(api, kept);
			else warnOfOther(context, kept.id, texts);
			return isOurs;
		} catch (error) {
			const isLast = minutes === pausesMin.at(-1);
			if (minutes === 0 || isLast) warnOfRefused(context, kept.id, error, texts, isLast);
		}
	}
	return false;
}

function warnOfRefused(
	context: RequestContext,
	id: string,
	error: unknown,
	{ what, ifRefused }: LogTexts,
	isLast: boolean,
): void {
	const reason = textOf(toNodeError(context.getNode(), error), isLast ? ifRefused : TRIES_AGAIN);
	warnOf(context, id, `${what} could not be deleted: ${reason}`);
}

const TRIES_AGAIN = 'n8n tries again for an hour.';

export async function listSubscriptions(api: Api): Promise<Subscription[]> {
	return (await api.list(endpoints.getSubscriptions())).map(readSubscription);
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
	/** The failure if the time is over before the answer has arrived. */
	tooLate?: CrmError;
	/** Called before each try. */
	onSend?: () => void;
	/**
	 * By ID, subscriptions of the same node that stay, if there is room. The one to miss least comes last. What has to
	 * go is taken out.
	 */
	spared?: Map<string, unknown>;
}

/**
 * Creates a subscription, once it has deleted what is ours and outdated. If the result is unusable or unknown,
 * deletes it again.
 *
 * @throws the failure; its text says so if a subscription may be left
 */
export async function requestSubscription(
	context: RequestContext,
	api: Api,
	wanted: WantedSubscription,
): Promise<Subscription> {
	const listed = await listSubscriptions(api);
	const nowMs = api.clock.now();
	const outdated = listed.filter((each) => isOutdated(each, wanted, nowMs));
	for (const each of outdated) await deleteSubscription(api, each);
	const others = listed.filter((each) => !outdated.includes(each));
	const { spared = new Map<string, unknown>() } = wanted;
	const makeRoom = async (): Promise<boolean> => {
		const id = [...spared.keys()].find((key) => others.some((each) => each.id === key));
		if (id === undefined) return false;
		await deleteSubscription(api, { id });
		spared.delete(id);
		warnOf(context, id, NO_ROOM);
		return true;
	};
	const active = others.filter(({ isActive }) => isActive);
	if (active.length >= MAX_ACTIVE && !(await makeRoom())) throw noRoom(active, wanted.url);
	for (;;) {
		try {
			return await create(api, wanted);
		} catch (error) {
			// A service may allow one subscription for a URL, or fewer than 20.
			const isConflict = error instanceof CrmError && error.failure.status === 409;
			if (!isConflict || !(await makeRoom())) return rethrow(error);
		}
	}
}

async function create(api: Api, wanted: WantedSubscription): Promise<Subscription> {
	const { url, events, onSend } = wanted;
	let made: Subscription | undefined;
	try {
		const answer = await api.sendForRecord(endpoints.createSubscription(), {
			body: { url, events },
			onSend,
			advice: { 409: SUBSCRIPTION_CONFLICT },
			unclear: ['The service did not confirm the webhook subscription', TRY_AGAIN],
		});
		made = readSubscription(answer);
		assertUsable(made, wanted);
		return made;
	} catch (error) {
		const isNotMade = !made && error instanceof CrmError && !error.failure.mayHaveHappened;
		if (isNotMade) return rethrow(error);
		const failure = error instanceof CrmError ? error : (wanted.tooLate ?? error);
		return await cleanUp(api, wanted, failure, made?.id);
	}
}

/** Whether two URLs agree, as a whole or in a part, however the service writes them. */
function isSame(part: 'href' | 'origin' | 'pathname', url: string, ourUrl: string): boolean {
	const ours = parseUrl(ourUrl)?.[part];
	return ours !== undefined && parseUrl(url)?.[part] === ours;
}

/** Whether a subscription goes to our URL, and is not spared. */
function isUnused({ id, url }: Subscription, { url: ourUrl, spared }: WantedSubscription): boolean {
	return isSame('href', url, ourUrl) && !spared?.has(id);
}

/**
 * Whether nothing uses a subscription of ours, or it belongs to a wait of this n8n that is long over: if nobody
 * replies, or the execution is stopped or crashes, n8n does not call us to clean up.
 */
function isOutdated(listed: Subscription, wanted: WantedSubscription, nowMs: number): boolean {
	const isOver = isSame('origin', listed.url, wanted.url) && isLongOver(listed.url, nowMs);
	return isOver || isUnused(listed, wanted);
}

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
const MAX_ACTIVE = 20;

/** The error if the limit is reached. It names the subscriptions of this n8n, as the service does not. */
function noRoom(active: readonly Subscription[], ourUrl: string): CrmError {
	// The same path at another origin: as before a change of n8n's address.
	const isOurs = ({ url }: Subscription) =>
		isSame('origin', url, ourUrl) || isSame('pathname', url, ourUrl);
	const here = active.filter(isOurs).map(placeOf);
	return new CrmError(
		`The workspace has ${active.length} webhook subscriptions, and the service allows ${MAX_ACTIVE}`,
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node. ${here.length} of them belong to this n8n${here.length > 0 ? `, now or under a former address: ${here.join(', ')}` : ''}.`,
	);
}

const NO_ROOM =
	'was deleted before the new one was created, because there was no room for both. Events of this moment may be lost.';

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
	const isRightUrl = url === '' || isSame('href', url, wanted.url);
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
 * Deletes what was created, by its ID if that is known, else by the URL. If it finds none, the service may still
 * create it.
 *
 * @throws the failure; its text says so if the subscription may be left
 */
export async function cleanUp(
	api: Api,
	wanted: WantedSubscription,
	failure: unknown,
	id?: string,
): Promise<never> {
	const cleaning = api.within(CLEAN_UP_MS);
	const findMade = async () =>
		id ? [{ id }] : (await listSubscriptions(cleaning)).filter((each) => isUnused(each, wanted));
	const deleteMade = async () => {
		const made = await findMade();
		for (const each of made) await deleteSubscription(cleaning, each);
		return made.length > 0;
	};
	const isClean = await deleteMade().catch(() => false);
	if (isClean || !(failure instanceof CrmError)) throw failure;
	throw failure.withContext(wanted.ifLeft);
}
