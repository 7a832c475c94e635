import type { IHookFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { processRuntime, type Runtime } from '../api/runtime';
import { plainText } from '../domain/text';
import { assertKept, processData } from '../n8n/nodeData';
import { toNodeError, toTriggerError } from '../operations/nodeErrors';
import { assertReachable, createSubscription } from '../webhooks/createSubscription';
import { deleteSubscription, listSubscriptions } from '../webhooks/subscriptions';
import { readSettings } from './parameters';
import { TriggerData, type OwnSubscription } from './storage';

/**
 * n8n 2.41 gives up on a publishing after 84 seconds and drops its static data
 * (`WorkflowPublicationOutboxConsumer`: 0.7 of a lease of 120 seconds). Until then, it may call us six
 * times: once to unpublish the old version, then up to five times to publish, up to eight seconds apart.
 * All calls share one deadline, which leaves time to clean up.
 */
const PUBLISHING_MS = 48_000;
const LONGEST_PAUSE_MS = 10_000;

/** Runs one step of a publishing, until its deadline. */
async function beforeDeadline(
	context: IHookFunctions,
	runtime: Runtime,
	{ publishing }: TriggerData,
	act: (api: Api) => Promise<void>,
): Promise<void> {
	const { clock } = runtime;
	const nowMs = clock.elapsedMs();
	if (nowMs - publishing.pausedAtMs > LONGEST_PAUSE_MS) publishing.sinceMs = nowMs;
	const leftMs = Math.max(0, publishing.sinceMs + PUBLISHING_MS - nowMs);
	const signal = clock.signalAfter(leftMs);
	const options = { runtime, maxWaitMs: leftMs, signal } as const;
	await createApi(context, options)
		.then(act)
		.catch((error: unknown) => {
			throw signal.aborted && !(error instanceof CrmError) ? tooLate() : error;
		})
		.finally(() => (publishing.pausedAtMs = clock.elapsedMs()));
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
		const { url, events } = readTarget(context);
		await beforeDeadline(context, runtime, data, async (api) => {
			const own = data.load(context);
			if (own?.url === url && (await isInPlace(context, api, own, events))) return;
			const workspace = await workspaceOf(api);
			const othersIds = own ? await deleteOwn(context, api, own, workspace) : [];
			const wanted = { url, events, othersIds, ifLeft: IF_LEFT };
			const { id, secret } = await createSubscription(context, runtime, api, wanted);
			const owner = ownerOf(context);
			data.store(context, { id, secret, url, owner, workspace, othersIds });
		});
		// It is done, so what comes next has time of its own.
		data.publishing.pausedAtMs = -Infinity;
	} catch (error) {
		throw toTriggerError(context.getNode(), error);
	}
}

/**
 * The webhook URL and the chosen events.
 *
 * @throws InputProblem if the service cannot reach the URL, n8n would not store the secret, or the
 * filters are invalid
 */
function readTarget(context: IHookFunctions): { url: string; events: string[] } {
	assertKept(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	assertReachable(url);
	return { url, events: readSettings(context).events };
}

/**
 * Whether the subscription of a published node still exists and delivers the events. If the list cannot be
 * read, assume that it does.
 */
async function isInPlace(
	context: IHookFunctions,
	api: Api,
	own: OwnSubscription,
	wanted: readonly string[],
): Promise<boolean> {
	if (!own.secret || own.owner !== ownerOf(context)) return false;
	const all = await listSubscriptions(api).catch(() => undefined);
	const found = all?.find(({ id }) => id === own.id);
	// An import changes events without telling the node.
	const { isActive = !all, events = wanted } = found ?? {};
	return isActive && wanted.every((event) => events.includes(event));
}

/**
 * Deletes the stored subscription. One of another n8n, workflow, node or workspace stays, with a warning
 * in n8n's log: a copy of a workflow must not delete the subscription of the original.
 *
 * @returns the IDs of the subscriptions to our URL that are not ours
 */
async function deleteOwn(
	context: IHookFunctions,
	api: Api,
	own: OwnSubscription,
	workspace: string,
): Promise<string[]> {
	const { id, othersIds } = own;
	if (!id) return othersIds;
	const isOurs = own.owner === ownerOf(context);
	if (isOurs && own.workspace === workspace) await deleteSubscription(api, id);
	else warn(context, own, IS_LEFT);
	// What we made in another workspace goes as soon as the credential has a key of that one again.
	return isOurs ? othersIds : [...othersIds, id];
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
	// Without the secret, its deliveries are refused from now on.
	data.store(context, { ...own, secret: '' });
	try {
		await beforeDeadline(context, runtime, data, async (api) => {
			const othersIds = await deleteOwn(context, api, own, await workspaceOf(api));
			data.store(context, { ...own, othersIds, id: '', secret: '' });
		});
	} catch (error) {
		const { message, description } = toNodeError(context.getNode(), error);
		warn(context, own, `could not be deleted: ${message}. ${description} ${REFUSED}`);
	}
}

function ownerOf(context: IHookFunctions): string {
	return [context.getInstanceId(), context.getWorkflow().id, context.getNode().id].join(' ');
}

async function workspaceOf(api: Api): Promise<string> {
	return `${api.baseUrl} ${await api.workspaceId()}`;
}

function warn(context: IHookFunctions, { id, url }: OwnSubscription, what: string): void {
	const named = `The webhook subscription ${plainText(id, 100)} to ${url}`;
	context.logger.warn(`Workspace CRM: ${named} ${what}`);
}

const IS_LEFT =
	'was not deleted, because another n8n, workflow or node created it, or it belongs to another workspace. If nothing uses it any more, delete it with Subscription > Delete in the Workspace CRM node.';

const REFUSED = 'Publish the workflow again to delete it; until then, its deliveries are refused.';

function tooLate(): CrmError {
	return new CrmError(
		'The service took too long to answer',
		'Publish again in a few minutes. If this happens again, ask the provider of the service.',
	);
}

const IF_LEFT =
	'The service may still have a subscription. Its deliveries are refused, so it starts nothing. Publish again to delete it.';
