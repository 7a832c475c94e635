import type { IHookFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { SUBSCRIPTION_CONFLICT } from '../api/errors';
import { processRuntime, type Runtime } from '../api/runtime';
import type { Subscription } from '../api/types';
import { plainText } from '../domain/text';
import type { Clock } from '../n8n/clock';
import { waitingBaseUrl } from '../n8n/waitingExecution';
import { toNodeError, toTriggerError } from '../operations/nodeErrors';
import { createSubscription, deleteLeftovers } from '../webhooks/createSubscription';
import { deleteOverdueWaits } from '../webhooks/overdueWaits';
import {
	assertRoomLeft,
	deleteSubscription,
	isTo,
	listSubscriptions,
} from '../webhooks/remoteSubscriptions';
import { readDesiredSubscription } from './desiredSubscription';
import { memoryOf, processMemories, type TriggerMemories, type TriggerMemory } from './storage';

/**
 * n8n 2.41 gives up on a publishing after 84 seconds and drops what is stored
 * (`WorkflowPublicationOutboxConsumer`: 0.7 of a lease of 120 seconds). Until then it may ask six times:
 * to unpublish the node as it was, then up to five times to publish it. All of that shares one deadline,
 * which leaves time to clean up.
 */
const GIVEN_UP_AFTER_MS = 84_000;
const PUBLISHING_MS = 48_000;
const UNPUBLISHING_MS = 10_000;

function deadlineOf(memory: TriggerMemory, clock: Clock, maxMs = PUBLISHING_MS): AbortSignal {
	const nowMs = clock.elapsedMs();
	if (nowMs - memory.publishingSinceMs > GIVEN_UP_AFTER_MS) memory.publishingSinceMs = nowMs;
	const leftMs = memory.publishingSinceMs + PUBLISHING_MS - nowMs;
	return clock.signalAfter(Math.max(0, Math.min(leftMs, maxMs)));
}

/**
 * Whether the service has exactly the subscription that this node needs. Changes nothing: older
 * versions of n8n ask at every start. A list that cannot be read is no reason to subscribe anew.
 *
 * @throws NodeError when the node is not set up as it should be
 */
export async function isSubscribed(
	context: IHookFunctions,
	runtime: Runtime = processRuntime,
	memories: TriggerMemories = processMemories,
): Promise<boolean> {
	const { url, events } = readDesiredSubscription(context);
	const memory = memoryOf(context, memories, runtime.clock);
	const { subscription: own } = memory;
	if (!own?.secret || own.url !== url || !isSameSet(own.events, events)) return false;

	const deadline = deadlineOf(memory, runtime.clock);
	const listing = createTriggerApi(context, runtime, deadline).then(listSubscriptions);
	const all = await listing.catch(() => undefined);
	memory.publishingSinceMs = -Infinity;
	if (!all) return true;
	const found = all.find(({ id }) => id === own.id);
	const isSame = found?.isActive !== false && isSameSet(found?.events ?? own.events, events);
	const others = all.filter((each) => each !== found && !own.othersIds.includes(each.id));
	return found !== undefined && isSame && !others.some((other) => isTo(other, url));
}

/**
 * Subscribes our URL to the chosen events, in place of any earlier subscription, and stores the
 * secret that its deliveries are signed with.
 *
 * @throws NodeError when there is no subscription now, or one that may be left says so
 */
export async function subscribe(
	context: IHookFunctions,
	runtime: Runtime = processRuntime,
	memories: TriggerMemories = processMemories,
): Promise<void> {
	const { clock } = runtime;
	const desired = readDesiredSubscription(context);
	const { url } = desired;
	const memory = memoryOf(context, memories, clock);
	const deadline = deadlineOf(memory, clock);
	const explain = (error: unknown, isClean: boolean) => {
		const failure = deadline.aborted || !(error instanceof CrmError) ? tooLate() : error;
		return isClean ? failure : failure.withContext(LEFT);
	};
	try {
		const api = await createTriggerApi(context, runtime, deadline);
		const workspace = await workspaceOf(api);
		const { others, othersIds } = await deleteEarlier(context, api, memory, { url, workspace });
		const left = await deleteOverdueWaits(api, others, waitingBaseUrl(context), clock.now());
		assertRoomLeft(left, url, 'Then publish again.');
		const cleanUp = async (id?: string) =>
			await deleteLeftovers(context, runtime, { url, id, othersIds });
		const request = { ...desired, texts: TEXTS, cleanUp, explain };
		const { id, secret } = await createSubscription(api, request);
		memory.store(context, { id, secret, ...desired, workspace, othersIds });
		memory.publishingSinceMs = -Infinity;
	} catch (error) {
		const isLate = deadline.aborted && !(error instanceof CrmError);
		throw toTriggerError(context.getNode(), isLate ? tooLate() : error);
	}
}

/**
 * Deletes the subscription. What stands in the way of that must not keep a workflow from being
 * unpublished, so it is only logged. A node that has never subscribed has nothing to delete: its URL may
 * be that of another workflow.
 */
export async function unsubscribe(
	context: IHookFunctions,
	runtime: Runtime = processRuntime,
	memories: TriggerMemories = processMemories,
): Promise<boolean> {
	const memory = memoryOf(context, memories, runtime.clock);
	const { subscription: own, foreign } = memory;
	if (foreign) warnOfOther(context, foreign);
	if (!own?.id) return true;
	// From now on, its deliveries are refused.
	memory.store(context);
	const deadline = deadlineOf(memory, runtime.clock, UNPUBLISHING_MS);
	try {
		const api = await createTriggerApi(context, runtime, deadline);
		if ((await workspaceOf(api)) !== own.workspace) warnOfOther(context, own);
		else await deleteSubscription(api, own.id);
		memory.publishingSinceMs = -Infinity;
		return true;
	} catch (error) {
		const failure = deadline.aborted ? tooLate() : error;
		const { message, description } = toNodeError(context.getNode(), failure);
		context.logger.warn(
			`Workspace CRM: The webhook subscription ${named(own)} could not be deleted: ${message}. ${description} Publish the workflow again to delete it; until then, its deliveries are refused.`,
		);
		return false;
	}
}

/**
 * Deletes the subscription of this node, and all others to its URL but those of somebody else. What was
 * made for another n8n, workflow, node or workspace is left, and named in n8n's log: a copy of a
 * workflow must not delete the subscription of the original.
 */
async function deleteEarlier(
	context: IHookFunctions,
	api: Api,
	{ subscription: own, foreign }: TriggerMemory,
	{ url, workspace }: { url: string; workspace: string },
): Promise<{ others: Subscription[]; othersIds: string[] }> {
	const isOurs = own?.workspace === workspace;
	const notOurs = [foreign, isOurs ? undefined : own].flatMap((each) => (each?.id ? each : []));
	for (const each of notOurs) warnOfOther(context, each);
	if (own?.id && isOurs) await deleteSubscription(api, own.id);
	const othersIds = [...(own?.othersIds ?? []), ...notOurs.map(({ id }) => id)];
	const all = (await listSubscriptions(api)).filter(({ id }) => id !== own?.id);
	const ours = all.filter((each) => isTo(each, url) && !othersIds.includes(each.id));
	for (const { id } of ours) await deleteSubscription(api, id);
	return { others: all.filter((each) => !ours.includes(each)), othersIds };
}

/** Base URL and ID of the workspace that the credential's key belongs to. */
async function workspaceOf(api: Api): Promise<string> {
	return `${api.baseUrl} ${await api.workspaceId()}`;
}

async function createTriggerApi(
	context: IHookFunctions,
	runtime: Runtime,
	signal: AbortSignal,
): Promise<Api> {
	return await createApi(context, { effect: 'once', runtime, maxWaitMs: PUBLISHING_MS, signal });
}

function warnOfOther(context: IHookFunctions, other: { id: string; url: string }): void {
	if (!other.id) return;
	context.logger.warn(
		`Workspace CRM: The webhook subscription ${named(other)} is left, because it was made by another n8n, workflow or node, or in another workspace. If nothing uses it any more, delete it with Subscription > Delete in the Workspace CRM node.`,
	);
}

const named = ({ id, url }: { id: string; url: string }) => `${plainText(id, 100)} to ${url}`;

function tooLate(): CrmError {
	return new CrmError(
		'The service took too long to answer',
		'Publish again in a few minutes. If this happens again, ask the provider of the service.',
	);
}

function isSameSet(events: readonly string[], desired: readonly string[]): boolean {
	const isIn = (list: readonly string[]) => (event: string) => list.includes(event);
	return desired.every(isIn(events)) && events.every(isIn(desired));
}

const LEFT =
	'A subscription may be left at the service. It starts nothing, because its deliveries are refused. Publish again to delete it.';

const TEXTS = {
	conflict: SUBSCRIPTION_CONFLICT,
	unclear: [
		'The service did not confirm the webhook subscription',
		'Publish the workflow again in a few minutes.',
	],
} as const;
