import { createApi } from '../n8n/connect';
import type { RequestContext } from '../n8n/n8nTransport';
import type { Api } from '../crm/client';
import { endpoints } from '../crm/endpoints';
import { unlessNotFound } from '../crm/crmError';
import type { Runtime } from '../crm/connection';
import type { Subscription } from '../crm/records';
import { plainText } from '../domain/text';
import { ANSWERED_PAUSES_MIN, CLEAN_UP_MS } from '../domain/timeLimits';
import { textOf, toNodeError } from '../operations/nodeErrors';

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
