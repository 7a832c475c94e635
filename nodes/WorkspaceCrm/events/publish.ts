import type { IHookFunctions, NodeError } from 'n8n-workflow';

import { createApi, processRuntime } from '../n8n/connect';
import type { Api } from '../crm/client';
import { CrmError } from '../crm/crmError';
import type { Runtime } from '../crm/connection';
import { PUBLISHING_GRACE_MS, PUBLISHING_STEP_MS } from '../domain/timeLimits';
import { assertKept, processData } from '../n8n/staticData';
import { isTestRun, markTestRun, publishingOf } from '../n8n/webhook';
import { toTriggerError } from '../operations/nodeErrors';
import {
	assertReachable,
	deleteInBackground,
	requestSubscription,
	listSubscriptions,
	warnOfOther,
} from './subscriptions';
import { readSettings } from './filters';
import {
	ACCEPTED_MS,
	isAccepted,
	isCurrent,
	refusedMs,
	retired,
	TriggerData,
	type Departure,
	type OwnSubscription,
} from './triggerData';

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

/** n8n's pause between two tries to publish is at most eight seconds. */
const UNPUBLISHED_AFTER_MS = 20_000;

/**
 * What n8n refuses while it publishes, the service sends again after about a minute. If publishing has failed before,
 * the next try may be as far away as the first one is past: the pauses double (API reference, delivery).
 */
const REPLACED_AFTER_MS = 2 * 60_000;

/** By then, all tries to publish have ended. */
const FAILED_AFTER_MS = PUBLISHING_STEP_MS + UNPUBLISHED_AFTER_MS;

/** What n8n does with a node at the moment: it publishes or unpublishes it. */
interface Step {
	context: IHookFunctions;
	runtime: Runtime;
	data: TriggerData;
	/** The node's URL. */
	url: string;
}

/** Publishings whose `create` has failed: n8n then calls `delete`, too. */
const failed = new WeakSet<object>();

/**
 * Subscribes our URL to the chosen events, and stores the signing secret. For a changed trigger, n8n calls
 * `delete` and then this: if the earlier subscription delivers the events, it stays, and otherwise it goes once
 * the new one is there. Older versions of n8n call this at every start.
 *
 * @throws NodeError if the trigger receives no events now; the text says so if a subscription may be left
 */
export async function subscribe(
	context: IHookFunctions,
	runtime = processRuntime,
	known = processData,
): Promise<void> {
	const data = known.of(context, TriggerData, runtime.clock);
	const step = { context, runtime, data, url: urlOf(context) };
	const earlier = postpone(step);
	try {
		assertKept(context);
		assertReachable(step.url);
		const { events } = readSettings(context);
		const act = async (api: Api) => await publish(step, api, earlier, events);
		await beforeDeadline(context, runtime, act);
	} catch (error) {
		failed.add(publishingOf(context));
		throw toPublishError(step, error, earlier);
	} finally {
		markTestRun(context);
	}
}

const urlOf = (context: IHookFunctions) => context.getNodeWebhookUrl('default') ?? '';

/** Whether the node stays published. Who publishes after a pause may have unpublished because of the secret. */
const isChange = (context: IHookFunctions) => context.getActivationMode() !== 'activate';

/** Puts off the deletion of the earlier subscription to our URL to when it must go if publishing fails. */
function postpone(step: Step): Departure | undefined {
	const { context, data, url } = step;
	const list = data.subscriptions(context);
	const own = list.at(-1);
	if (own?.url !== url) return undefined;
	const isPaused = !isCurrent(own) && !isChange(context);
	if (isPaused)
		data.store(context, { list: list.map((each) => ({ ...each, acceptedUntilMs: 0 })) });
	const earlier = data.leaving.get(own.id) ?? { own, context };
	// For a change, not before the service has dropped what n8n refused first.
	void deleteLater(step, earlier, isChange(context) ? ACCEPTED_MS : FAILED_AFTER_MS);
	return earlier;
}

async function publish(
	step: Step,
	api: Api,
	found: Departure | undefined,
	events: string[],
): Promise<void> {
	const { context, runtime, data, url } = step;
	if (found && (await isInPlace(step, api, found.own, events))) {
		data.leaving.delete(found.own.id);
		const before = data.subscriptions(context).slice(0, -1);
		return data.store(context, { list: [...before, found.own] });
	}
	const workspace = await api.workspaceId();
	const earlier = found?.own.workspace === workspace ? found : undefined;
	if (!earlier) leaveOther(step, found);
	const replaced = isChange(context) ? earlier : undefined;
	const { id, secret } = await requestSubscription(context, api, {
		url,
		events,
		ifLeft: IF_LEFT,
		tooLate: TOO_LATE,
		spared: replaced && data.leaving,
	});
	const nowMs = runtime.clock.now();
	const before = replaced ? retired(data.subscriptions(context), nowMs) : [];
	const accepted = before.filter((each) => isAccepted(each, nowMs));
	data.store(context, { list: [...accepted, { id, secret, url, workspace, events }] });
	const last = accepted.at(-1);
	const refused = last ? refusedMs(last, nowMs) : 0;
	if (replaced) void deleteLater(step, replaced, REPLACED_AFTER_MS + refused);
	// It was deleted with all others to our URL.
	else if (earlier) data.leaving.delete(earlier.own.id);
}

/**
 * Whether the earlier subscription still exists and delivers the events. If the list cannot be read, assume that
 * it is as it was created.
 */
async function isInPlace(
	{ context, runtime, data }: Step,
	api: Api,
	own: OwnSubscription,
	wanted: string[],
): Promise<boolean> {
	const stored = data.subscriptions(context).at(-1);
	// What another process has retired, it deletes.
	if (!isCurrent(own) || !stored || !isAccepted(stored, runtime.clock.now())) return false;
	if (!isCurrent(stored) && own.workspace !== (await api.workspaceId())) return false;
	const all = await listSubscriptions(api).catch(() => undefined);
	const found = all?.find(({ id }) => id === own.id);
	// An import changes events without telling the node.
	const { isActive = !all, events = own.events } = found ?? {};
	const isExact = events.length === wanted.length;
	return (
		isActive && (isCurrent(stored) || isExact) && wanted.every((event) => events.includes(event))
	);
}

/**
 * Leaves the newest subscription alone if it goes to another URL, with a warning in n8n's log: a copy of a workflow
 * carries the ID along, even into another n8n with the same IDs, and must not delete the subscription of the
 * original. One to our URL, in another workspace, goes only with the credential that it was created with.
 */
function leaveOther({ context, runtime, data }: Step, found: Departure | undefined): void {
	const other = data.subscriptions(context).at(-1);
	if (found && data.leaving.delete(found.own.id)) void deleteNow(runtime, found);
	else if (other) warnOfOther(context, other.id, textsOf(other));
}

function toPublishError({ context, data }: Step, error: unknown, earlier?: Departure): NodeError {
	const nodeError = toTriggerError(context.getNode(), error);
	if (!isChange(context) || context.getMode() === 'manual') return nodeError;
	// Another process may have deleted what it has retired.
	const isKept = earlier && isCurrent(earlier.own) && data.leaving.has(earlier.own.id);
	nodeError.message = [NO_EVENTS, ...(isKept ? [KEPT] : []), nodeError.message].join(' ');
	return nodeError;
}

/**
 * Schedules the deletion of the subscription: `create` may follow, and needs it. Never throws, so that the
 * workflow can always be unpublished. A node that has never subscribed deletes nothing: its URL may belong to
 * another workflow.
 */
export async function unsubscribe(
	context: IHookFunctions,
	runtime = processRuntime,
	known = processData,
): Promise<void> {
	const isTest = isTestRun(context);
	const data = known.of(context, TriggerData, runtime.clock);
	const step = { context, runtime, data, url: urlOf(context) };
	// Before it counts as ours: n8n may not say that this is the end of a test.
	const saved = data.readIn(context.getWorkflowStaticData('node'))?.list.at(-1);
	const isOther = saved && saved.url !== step.url;
	const own = isOther ? saved : data.subscriptions(context).at(-1);
	if (!own) return;
	if (own.url !== step.url) return warnOfOther(context, own.id, textsOf(own));
	const departure = data.leaving.get(own.id) ?? { own, context };
	// Its deliveries are refused until the workflow is published again.
	const list = retired(data.subscriptions(context), runtime.clock.now());
	data.store(context, { list });
	if (isTest) await deleteNow(runtime, departure, [0], 'The next test deletes it.');
	else if (!failed.has(publishingOf(context)))
		void deleteLater(step, departure, UNPUBLISHED_AFTER_MS);
}

/** Deletes a subscription after the delay, unless that is cancelled or scheduled anew. */
async function deleteLater(
	{ runtime, data }: Step,
	{ own, context }: Departure,
	delayMs: number,
): Promise<void> {
	const departure = { own, context };
	data.leaving.set(own.id, departure);
	await runtime.clock.sleep(delayMs);
	if (data.leaving.get(own.id) !== departure) return;
	data.leaving.delete(own.id);
	await deleteNow(runtime, departure);
}

async function deleteNow(
	runtime: Runtime,
	{ own, context }: Departure,
	pausesMin?: number[],
	ifRefused = IF_REFUSED,
): Promise<void> {
	await deleteInBackground(context, runtime, own, { ...textsOf(own), ifRefused }, pausesMin);
}

const textsOf = ({ url }: OwnSubscription) => ({
	what: `to ${url}`,
	ifOther:
		'If nothing uses it any more, delete it with Subscription > Delete in the Workspace CRM node.',
	ifRefused: IF_REFUSED,
});

const IF_REFUSED =
	'Publish the workflow again to delete it; until then, its deliveries are refused.';

const NO_EVENTS = 'This trigger receives no events now: publish again.';

const KEPT =
	'Within ten minutes, that loses no event that was chosen before: the CRM sends again what n8n refuses now.';

const TOO_LATE = new CrmError(
	'The service took too long to answer',
	'Publish again in a few minutes. If this happens again, ask the provider of the service.',
);

const IF_LEFT =
	'The service may still have a subscription. Its deliveries are refused, so it starts nothing. Publish again to delete it.';
