import type { IHookFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { SUBSCRIPTION_CONFLICT } from '../api/errors';
import { processRuntime, type Runtime } from '../api/runtime';
import { plainText } from '../domain/text';
import type { Clock } from '../n8n/clock';
import { waitingBaseUrl } from '../n8n/waitingExecution';
import { toNodeError, toTriggerError } from '../operations/nodeErrors';
import { deleteOverdueWaits } from '../webhooks/overdueWaits';
import { readDesiredSubscription } from './desiredSubscription';
import {
	assertRoomLeft,
	createSubscription,
	deleteOurs,
	isTo,
	listSubscriptions,
} from '../webhooks/remoteSubscriptions';
import { memoryOf, processMemories, store, type TriggerMemories } from './storage';

/**
 * n8n 2.41 gives up on a publishing after 84 seconds and drops what is stored
 * (`WorkflowPublicationOutboxConsumer`: 0.7 of a lease of 120 seconds). To publish a changed node, it
 * unpublishes the node first. So that all of it takes less than 60 seconds:
 */
const UNSUBSCRIBE_MS = 10_000;
const SUBSCRIBE_MS = 38_000;
const CLEAN_UP_MS = 10_000;

const TEXTS = {
	conflict: SUBSCRIPTION_CONFLICT,
	unclear: [
		'The service did not confirm the webhook subscription',
		'Publish the workflow again in a few minutes.',
	],
} as const;

/** A publishing under way: when it is over, and why it failed before. */
interface Publishing {
	deadline: AbortSignal;
	failure?: unknown;
}

/** By the static data that n8n has loaded for a publishing, which all its tries share. */
const publishings = new WeakMap<object, Publishing>();

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
	const { subscription: stored } = memoryOf(context, memories, runtime.clock);
	if (!stored?.secret || stored.url !== url || !isSameSet(stored.events, events)) return false;

	const { deadline } = publishingOf(context, runtime.clock);
	const listing = createTriggerApi(context, runtime, deadline).then(listSubscriptions);
	const all = await listing.catch(() => undefined);
	if (!all) return true;
	const found = all.find(({ id }) => id === stored.id);
	const isSame = found?.isActive !== false && isSameSet(found?.events ?? stored.events, events);
	const hasOthers = all.some((other) => other !== found && isTo(other, url));
	return found !== undefined && isSame && !hasOthers;
}

/**
 * Subscribes our URL to the chosen events, in place of any earlier subscription, and stores the
 * secret that its deliveries are signed with. Only subscriptions with the stored id or with our very
 * URL are ours; all others are somebody else's.
 *
 * @throws NodeError when there is no subscription now, or one that may be left says so
 */
export async function subscribe(
	context: IHookFunctions,
	runtime: Runtime = processRuntime,
	memories: TriggerMemories = processMemories,
): Promise<void> {
	const { clock } = runtime;
	const { url, events } = readDesiredSubscription(context);
	const publishing = publishingOf(context, clock);
	const { deadline } = publishing;
	const memory = memoryOf(context, memories, clock);
	const before = memory.subscription;
	const replace = (id: string, secret: string) => {
		memory.replaceSubscription({ id, secret, url, events });
		store(context, memory);
	};
	// Until there is a new one, only the id of the old one counts, so that it is deleted some day.
	replace(before?.id ?? '', '');

	let isCreating = false;
	try {
		const api = await createTriggerApi(context, runtime, deadline);
		const { others } = await deleteOurs(api, before, url);
		const left = await deleteOverdueWaits(api, others, waitingBaseUrl(context), clock.now());
		assertRoomLeft(left, { url, next: 'publish again' });
		isCreating = true;
		const { id, secret } = await createSubscription(api, { url, events }, TEXTS);
		replace(id, secret);
	} catch (error) {
		const isLate = deadline.aborted;
		publishing.failure = isLate ? (publishing.failure ?? tooLate()) : error;
		const mayExist = isLate || (error instanceof CrmError && error.mayHaveHappened);
		if (isCreating && mayExist && !(await isCleanedUp(context, runtime, url))) {
			publishing.failure = withSubscriptionLeft(publishing.failure);
		}
		throw toTriggerError(context.getNode(), publishing.failure);
	}
}

/**
 * Deletes the subscription. What stands in the way of that must not keep a workflow from being
 * unpublished, so it is only logged, and publishing again deletes it. A node that has never
 * subscribed has nothing to delete: its URL may be that of another workflow.
 */
export async function unsubscribe(
	context: IHookFunctions,
	runtime: Runtime = processRuntime,
	memories: TriggerMemories = processMemories,
): Promise<boolean> {
	const { clock } = runtime;
	const memory = memoryOf(context, memories, clock);
	const { subscription } = memory;
	// After a publishing that failed, n8n asks for what has been done already.
	const isDone = publishings.get(context.getWorkflowStaticData('node'))?.failure !== undefined;
	if (!subscription?.id || isDone) return true;
	const { id, url } = subscription;
	const forget = (leftId: string) => {
		memory.replaceSubscription({ id: leftId, secret: '', url, events: [] });
		store(context, memory);
	};
	forget(id);
	const deadline = clock.signalAfter(UNSUBSCRIBE_MS);
	try {
		const api = await createTriggerApi(context, runtime, deadline);
		await deleteOurs(api, subscription, context.getNodeWebhookUrl('default') ?? '');
		forget('');
		return true;
	} catch (error) {
		const failure = deadline.aborted ? tooLate() : error;
		const { message, description } = toNodeError(context.getNode(), failure);
		context.logger.warn(
			`Workspace CRM: the webhook subscription ${plainText(id, 100)} to ${url} could not be deleted: ${message}. ${description} Publish the workflow again to delete it; until then, its deliveries are refused.`,
		);
		return false;
	}
}

async function createTriggerApi(
	context: IHookFunctions,
	runtime: Runtime,
	signal: AbortSignal,
): Promise<Api> {
	return await createApi(context, { effect: 'once', runtime, maxWaitMs: SUBSCRIBE_MS, signal });
}

/** When a publishing began with checking what exists, creating goes on in the same time. */
function publishingOf(context: IHookFunctions, clock: Clock): Publishing {
	const staticData = context.getWorkflowStaticData('node');
	const publishing = publishings.get(staticData) ?? { deadline: clock.signalAfter(SUBSCRIBE_MS) };
	publishings.set(staticData, publishing);
	return publishing;
}

function tooLate(): CrmError {
	return new CrmError(
		'The service took too long to answer',
		'Publish again in a few minutes. If this happens again, ask the provider of the service.',
	);
}

/**
 * Removes a subscription that was made, or may have been, but whose secret is not known. Returns
 * whether it was found; if not, the service may still be making it.
 */
async function isCleanedUp(
	context: IHookFunctions,
	runtime: Runtime,
	url: string,
): Promise<boolean> {
	const signal = runtime.clock.signalAfter(CLEAN_UP_MS);
	return await createTriggerApi(context, runtime, signal)
		.then(async (api) => (await deleteOurs(api, undefined, url)).removed > 0)
		.catch(() => false);
}

function withSubscriptionLeft(failure: unknown): unknown {
	if (!(failure instanceof CrmError)) return failure;
	return failure.withContext(
		'A subscription may be left at the service. It starts nothing, because its deliveries are refused. Publish again to delete it.',
	);
}

function isSameSet(events: readonly string[], desired: readonly string[]): boolean {
	if (new Set(events).size !== new Set(desired).size) return false;
	return desired.every((event) => events.includes(event));
}
