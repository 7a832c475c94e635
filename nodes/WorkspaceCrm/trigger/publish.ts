import type { IHookFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { processRuntime, type Runtime } from '../api/connection';
import { PUBLISHING_GRACE_MS, PUBLISHING_STEP_MS } from '../domain/timeLimits';
import { processData } from '../n8n/nodeData';
import { assertKept } from '../n8n/polling';
import { publishingOf } from '../n8n/webhook';
import { textOf, toNodeError, toTriggerError } from '../operations/nodeErrors';
import {
	assertReachable,
	createSubscription,
	deleteSubscription,
	listSubscriptions,
	warnOf,
} from '../webhooks/subscriptions';
import { readSettings } from './filters';
import { formerOf, TriggerData, type OwnSubscription } from './storage';

/** When n8n began with a `publishingOf`, by `Clock.elapsedMs`. */
const begun = new WeakMap<object, number>();

/** Runs one step of a publishing, until its deadline. */
async function beforeDeadline(
	context: IHookFunctions,
	runtime: Runtime,
	act: (api: Api) => Promise<void>,
): Promise<void> {
	const nowMs = runtime.clock.elapsedMs();
	const publishing = publishingOf(context);
	const sinceMs = begun.get(publishing) ?? nowMs;
	begun.set(publishing, sinceMs);
	const maxWaitMs = Math.max(0, sinceMs + PUBLISHING_STEP_MS - nowMs);
	const signal = runtime.clock.signalAfter(maxWaitMs);
	await createApi(context, { runtime, maxWaitMs, signal, graceMs: PUBLISHING_GRACE_MS })
		.then(act)
		.catch((error: unknown) => {
			throw signal.aborted && !(error instanceof CrmError) ? TOO_LATE : error;
		});
}

/**
 * Subscribes our URL to the chosen events, replaces any earlier subscription, and stores its signing
 * secret. Changes nothing if the node already has the right subscription: older versions of n8n call
 * this at every start.
 *
 * @throws NodeError if there is no subscription now; the text says so if one may be left at the service
 */
export async function subscribe(
	context: IHookFunctions,
	runtime = processRuntime,
	known = processData,
): Promise<void> {
	const data = known.of(context, TriggerData, runtime.clock);
	try {
		assertKept(context);
		const url = urlOf(context);
		assertReachable(url);
		const { events } = readSettings(context);
		await beforeDeadline(context, runtime, async (api) => {
			const own = data.load(context);
			if (own?.url === url && (await isInPlace(api, own, events))) return;
			const workspace = await api.workspaceId();
			if (own) await deleteOwn(context, api, own, workspace);
			const wanted = { url, events, ifLeft: IF_LEFT };
			const { id, secret } = await createSubscription(context, runtime, api, wanted);
			// Who publishes after a pause may have unpublished because of the secret.
			const isReplaced = own?.url === url && context.getActivationMode() !== 'activate';
			const former = isReplaced ? formerOf(own, runtime.clock.now()) : [];
			data.store(context, { id, secret, url, workspace, former });
		});
	} catch (error) {
		throw toTriggerError(context.getNode(), error);
	}
}

const urlOf = (context: IHookFunctions) => context.getNodeWebhookUrl('default') ?? '';

/**
 * Whether the subscription of a published node still exists and delivers the events. If the list cannot be
 * read, assume that it does.
 */
async function isInPlace(api: Api, own: OwnSubscription, wanted: string[]): Promise<boolean> {
	if (!own.secret) return false;
	const all = await listSubscriptions(api).catch(() => undefined);
	const found = all?.find(({ id }) => id === own.id);
	// An import changes events without telling the node.
	const { isActive = !all, events = wanted } = found ?? {};
	return isActive && wanted.every((event) => events.includes(event));
}

/**
 * Deletes the stored subscription, if it goes to our URL. Any other stays, with a warning in n8n's log: a copy
 * of a workflow carries the ID along, even into another n8n with the same IDs, and must not delete the
 * subscription of the original.
 */
async function deleteOwn(
	context: IHookFunctions,
	api: Api,
	own: OwnSubscription,
	workspace: string,
): Promise<void> {
	if (!own.id) return;
	const isOurs = own.url === urlOf(context) && own.workspace === workspace;
	if (isOurs) await deleteSubscription(api, own.id);
	else warnOf(context, own.id, `to ${own.url} ${IS_LEFT}`);
}

/**
 * Deletes the subscription. Failures are only logged, so that the workflow can always be unpublished. A
 * node that has never subscribed deletes nothing: its URL may belong to another workflow.
 */
export async function unsubscribe(
	context: IHookFunctions,
	runtime = processRuntime,
	known = processData,
): Promise<void> {
	const data = known.of(context, TriggerData, runtime.clock);
	const own = data.load(context);
	if (!own?.id) return;
	// Without the secret, its deliveries are refused until the workflow is published again.
	const retired = { ...own, secret: '', former: formerOf(own, runtime.clock.now()) };
	data.store(context, retired);
	try {
		await beforeDeadline(context, runtime, async (api) => {
			await deleteOwn(context, api, own, await api.workspaceId());
			data.store(context, { ...retired, id: '' });
		});
	} catch (error) {
		const reason = textOf(toNodeError(context.getNode(), error), REFUSED);
		warnOf(context, own.id, `to ${own.url} could not be deleted: ${reason}`);
	}
}

const IS_LEFT =
	'was not deleted, because this node now has another URL or another workspace. If nothing uses it any more, delete it with Subscription > Delete in the Workspace CRM node.';

const REFUSED = 'Publish the workflow again to delete it; until then, its deliveries are refused.';

const TOO_LATE = new CrmError(
	'The service took too long to answer',
	'Publish again in a few minutes. If this happens again, ask the provider of the service.',
);

const IF_LEFT =
	'The service may still have a subscription. Its deliveries are refused, so it starts nothing. Publish again to delete it.';
