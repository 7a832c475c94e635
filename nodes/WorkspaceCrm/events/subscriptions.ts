import { createApi } from '../n8n/connect';
import type { RequestContext } from '../n8n/n8nTransport';
import type { Api } from '../crm/client';
import { endpoints } from '../crm/endpoints';
import { CrmError, SUBSCRIPTION_CONFLICT, TRY_AGAIN, unlessNotFound } from '../crm/crmError';
import type { Runtime } from '../crm/connection';
import { readSubscription, type Subscription, type WireRecord } from '../crm/records';
import { isPublicHttpsUrl, parseUrl } from '../crm/urls';
import { InputProblem, rethrow } from '../domain/problem';
import { plainText } from '../domain/text';
import { ANSWERED_PAUSES_MIN, CLEAN_UP_MS } from '../domain/timeLimits';
import { textOf, toNodeError } from '../operations/nodeErrors';
import { isLongOver, readWaitUrl, withoutQuery } from './waitUrl';

/**
 * The only place that deletes subscriptions, apart from Subscription > Delete. A subscription of which we have kept
 * the ID must go to the node's URL, in the workspace of the node's key. Any other stays, and n8n's log names it: for
 * an ID of another workspace, the service would answer 204, as for one that is gone (API reference, errors). In a
 * list, which shows only the workspace of the key, the caller says which are ours.
 */

/** A subscription that a node has created. */
export interface StoredSubscription {
	id: string;
	/** As we sent it; the service may write it differently. */
	url: string;
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
export function warnOf({ logger }: RequestContext, id: string, what: string): void {
	logger.warn(`Workspace CRM: The webhook subscription ${plainText(id, 100)} ${what}`);
}

/** Logs that a subscription stays, because another URL or workspace may still use it. */
export function warnOfOther(context: RequestContext, id: string, { what, ifOther }: LogTexts) {
	warnOf(context, id, `${what} was not deleted, because ${ANOTHER}. ${ifOther}`);
}

const ANOTHER = 'this node now has another URL or another workspace';

/** Deletes those of a list of subscriptions that are ours: the list shows their workspace. Returns them. */
export async function deleteListed(
	api: Api,
	listed: readonly Subscription[],
	isOurs: (subscription: Subscription) => boolean,
): Promise<Subscription[]> {
	const ours = listed.filter(isOurs);
	for (const { id } of ours) await deleteById(api, id);
	return ours;
}

async function deleteById(api: Api, id: string): Promise<void> {
	await api.send(endpoints.deleteSubscription(id)).catch(unlessNotFound);
}

/** A connection for cleaning up, even after Stop. */
export async function cleaningApi(context: RequestContext, runtime: Runtime): Promise<Api> {
	const signal = runtime.clock.signalAfter(CLEAN_UP_MS);
	return await createApi(context, { runtime, maxWaitMs: CLEAN_UP_MS, signal });
}

/**
 * Deletes a stored subscription if it goes to this URL, in the workspace of the credential; logs it otherwise.
 *
 * @returns whether it is gone
 * @throws the failure of a request
 */
export async function deleteStored(
	context: RequestContext,
	runtime: Runtime,
	{ id, url, workspace }: StoredSubscription,
	ourUrl: string,
	texts: LogTexts,
): Promise<boolean> {
	const api = await cleaningApi(context, runtime);
	const isOurs = url === ourUrl && (await api.workspaceId()) === workspace;
	if (isOurs) await deleteById(api, id);
	else warnOfOther(context, id, texts);
	return isOurs;
}

/** Like `deleteStored`, but never throws, and by default tries for an hour, in the background. */
export async function deleteInBackground(
	context: RequestContext,
	runtime: Runtime,
	stored: StoredSubscription,
	ourUrl: string,
	texts: LogTexts,
	pausesMin = ANSWERED_PAUSES_MIN,
): Promise<boolean> {
	for (const minutes of pausesMin) {
		if (minutes > 0) await runtime.clock.sleep(minutes * 60_000);
		try {
			return await deleteStored(context, runtime, stored, ourUrl, texts);
		} catch (error) {
			const isLast = minutes === pausesMin.at(-1);
			if (minutes > 0 && !isLast) continue;
			warnOfRefused(context, stored.id, error, texts, isLast);
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
	/** The ID of the workspace. */
	workspace: string;
	/** The text for an error that may leave a subscription at the service. */
	ifLeft: string;
	/** The failure if the time is over before the answer has arrived. */
	tooLate?: CrmError;
	/** Called before each try. */
	onSend?: () => void;
	/** The subscriptions to the same URL that this one replaces. They stay, if there is room. */
	replaced?: Replaced;
}

export interface Replaced {
	/** The one to miss least comes last. */
	ids: readonly string[];
	/** Called when one had to go first. */
	hasGone: (id: string) => void;
}

/** What creating a subscription needs. */
interface Creation {
	context: RequestContext;
	runtime: Runtime;
	api: Api;
}

/**
 * Makes room for a subscription, then creates it. If the result is unusable or unknown, deletes it again.
 *
 * @throws the failure; its text says so if a subscription may be left
 */
export async function requestSubscription(
	creation: Creation,
	wanted: WantedSubscription,
): Promise<Subscription> {
	const { api, runtime } = creation;
	const listed = await listSubscriptions(api);
	const all = await deleteOutdated(api, listed, wanted, runtime.clock.now());
	await makeRoom(creation, all, wanted);
	let made: Subscription | undefined;
	while (!made) {
		made = await sendCreation(creation, wanted).catch(async (error: unknown) => {
			// A service may allow one subscription for a URL, or fewer than 20.
			const isConflict = error instanceof CrmError && error.failure.status === 409;
			const hasRoom = isConflict && (await deleteReplaced(creation, all, wanted));
			return hasRoom ? undefined : rethrow(error);
		});
	}
	return made;
}

async function sendCreation(creation: Creation, wanted: WantedSubscription): Promise<Subscription> {
	const { url, events, onSend } = wanted;
	let made: Subscription | undefined;
	try {
		const answer = await creation.api.sendForRecord(endpoints.createSubscription(), {
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
		return await cleanUp(creation, wanted, failure, made?.id);
	}
}

/** Whether both are the same URL, however the service writes it. */
function isSameUrl(url: string, ourUrl: string): boolean {
	const href = parseUrl(ourUrl)?.href;
	return href !== undefined && parseUrl(url)?.href === href;
}

/**
 * Deletes our subscriptions to the same URL that nothing uses, and those of this n8n's waits that are long over:
 * if nobody replies, or the execution is stopped or crashes, n8n does not call us to clean up. Returns the others.
 */
async function deleteOutdated(
	api: Api,
	all: readonly Subscription[],
	{ url: ourUrl, replaced }: WantedSubscription,
	nowMs: number,
): Promise<Subscription[]> {
	const isHere = isAt(ourUrl);
	const outdated = await deleteListed(
		api,
		all,
		(each) =>
			(isSameUrl(each.url, ourUrl) && !replaced?.ids.includes(each.id)) ||
			(isHere(each) && isLongOver(each.url, nowMs)),
	);
	return all.filter((each) => !outdated.includes(each));
}

/** Whether a subscription goes to the same n8n. */
function isAt(ourUrl: string) {
	const origin = parseUrl(ourUrl)?.origin;
	return ({ url }: Subscription) => parseUrl(url)?.origin === origin;
}

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
const MAX_ACTIVE = 20;

/**
 * Ensures that there is room for one more subscription. If there is not, a replaced one goes first.
 *
 * @throws CrmError if the limit is reached; it names the subscriptions of this n8n, as the service does not
 */
async function makeRoom(
	creation: Creation,
	all: Subscription[],
	wanted: WantedSubscription,
): Promise<void> {
	const active = all.filter(({ isActive }) => isActive);
	if (active.length < MAX_ACTIVE || (await deleteReplaced(creation, all, wanted))) return;
	const { pathname } = parseUrl(wanted.url) ?? {};
	const isHere = isAt(wanted.url);
	// As before a change of n8n's address.
	const isFormer = ({ url }: Subscription) => parseUrl(url)?.pathname === pathname;
	const here = active.filter((each) => isHere(each) || isFormer(each)).map(placeOf);
	throw new CrmError(
		`The workspace has ${active.length} webhook subscriptions, and the service allows ${MAX_ACTIVE}`,
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node. ${here.length} of them belong to this n8n${here.length > 0 ? `, now or under a former address: ${here.join(', ')}` : ''}.`,
	);
}

/** Deletes one of the replaced subscriptions, as there is no room for it. Returns whether there was one. */
async function deleteReplaced(
	{ context, api }: Creation,
	all: Subscription[],
	{ replaced }: WantedSubscription,
): Promise<boolean> {
	const next = replaced?.ids.find((each) => all.some(({ id }) => id === each));
	const [gone] = await deleteListed(api, all, ({ id }) => id === next);
	if (!gone) return false;
	all.splice(all.indexOf(gone), 1);
	replaced?.hasGone(gone.id);
	warnOf(context, gone.id, NO_ROOM);
	return true;
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
	creation: Creation,
	wanted: WantedSubscription,
	failure: unknown,
	id?: string,
): Promise<never> {
	const isClean = await deleteMade(creation, wanted, id).catch(() => false);
	if (isClean || !(failure instanceof CrmError)) throw failure;
	throw failure.withContext(wanted.ifLeft);
}

/**
 * Deletes what was created, by its ID or else by the URL. Returns whether it deleted anything: if none is found,
 * the service may still create it.
 */
async function deleteMade(
	{ context, runtime }: Creation,
	{ url, workspace, replaced }: WantedSubscription,
	id?: string,
): Promise<boolean> {
	if (id) return await deleteStored(context, runtime, { id, url, workspace }, url, MADE);
	const api = await cleaningApi(context, runtime);
	const ours = await deleteListed(
		api,
		await listSubscriptions(api),
		(each) => !replaced?.ids.includes(each.id) && isSameUrl(each.url, url),
	);
	return ours.length > 0;
}

const MADE = {
	what: 'that was just created',
	ifOther: 'Delete it with Subscription > Delete in the Workspace CRM node.',
	ifRefused: '',
};
