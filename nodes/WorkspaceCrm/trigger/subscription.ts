import type { IDataObject, IHookFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/api';
import { CrmError } from '../api/errors';
import { processRuntime, type Runtime } from '../api/runtime';
import type { Patience } from '../api/budget';
import { InputProblem } from '../domain/problem';
import { path } from '../domain/path';
import { isPublicHttpsUrl } from '../domain/publicUrl';
import { toNodeError } from '../operations/errors';
import { readEvents } from './parameters';
import { readSubscription, storeSubscription } from './storage';

/** "At most 20 active subscriptions per workspace" (API reference, limits). */
const MAX_SUBSCRIPTIONS = 20;

/** Publishing and unpublishing would rather say that the limit is used up than hang for minutes. */
const PATIENCE: Patience = { maxTurnWaitMs: 120_000, maxRefusalWaitMs: 60_000 };

/**
 * Whether the service has exactly the subscription that this node needs. Changes nothing: n8n asks
 * at every start. Only subscriptions to our very URL are ours; all others are somebody else's.
 */
export async function isSubscribed(
	context: IHookFunctions,
	runtime: Runtime = processRuntime,
): Promise<boolean> {
	try {
		const { url, events } = readWanted(context);
		const stored = readSubscription(context, url);
		const all = await listAll(await openApi(context, runtime));
		const ours = all.filter((subscription) => subscription.url === url);
		const [only] = ours;
		return (
			ours.length === 1 &&
			only.active !== false &&
			isSameSet(only.events, events) &&
			String(only.id) === stored?.id &&
			stored.secret !== ''
		);
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/**
 * Subscribes our URL to the chosen events, in place of everything that was subscribed to it, and
 * stores the secret that its deliveries are signed with.
 */
export async function subscribe(
	context: IHookFunctions,
	runtime: Runtime = processRuntime,
): Promise<void> {
	try {
		const { url, events } = readWanted(context);
		const api = await openApi(context, runtime);
		storeSubscription(context, url, undefined);
		const others = await removeAll(api, url);
		assertRoom(others, url);

		const { id, secret } = await create(api, url, events);
		storeSubscription(context, url, { id, secret, events });
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/**
 * Removes the subscription of our URL. What stands in the way of that must not keep a workflow from
 * being unpublished, so it is only logged; publishing again cleans up.
 */
export async function unsubscribe(
	context: IHookFunctions,
	runtime: Runtime = processRuntime,
): Promise<boolean> {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const stored = readSubscription(context, url);
	storeSubscription(context, url, undefined);
	if (!isPublicHttpsUrl(url)) return true;
	try {
		const api = await openApi(context, runtime);
		if (stored) await remove(api, stored.id);
		else await removeAll(api, url);
		return true;
	} catch (error) {
		const { message, description } = toNodeError(context.getNode(), error);
		context.logger.warn(
			`Workspace CRM: the webhook subscription ${stored?.id ?? ''} to ${url} could not be deleted: ${message}. ${description} Publishing the workflow again cleans it up; until then, deliveries to it are refused.`,
		);
		return false;
	}
}

async function openApi(context: IHookFunctions, runtime: Runtime): Promise<Api> {
	return await createApi(context, runtime, PATIENCE);
}

/**
 * The URL that n8n takes deliveries at.
 *
 * @throws InputProblem when the service could not reach it
 */
function ownUrl(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (isPublicHttpsUrl(url)) return url;
	throw new InputProblem(
		`The service cannot reach this n8n: its webhook URL is ${url}, which is not a public https address`,
		'Set the environment variable WEBHOOK_URL of n8n (in newer versions also N8N_WEBHOOK_URL) to the https address under which it can be reached from the internet, restart n8n, and publish again. To try things out on your own machine, use a tunnel.',
	);
}

/**
 * What is to be subscribed to what.
 *
 * @throws InputProblem when deliveries could not get here, or not be checked
 */
function readWanted(context: IHookFunctions): { url: string; events: string[] } {
	assertKept(context);
	return { url: ownUrl(context), events: readEvents(context) };
}

/** n8n keeps nothing for workflows of longer IDs, in silence (`isWorkflowIdValid`, seen in 2.41). */
const MAX_WORKFLOW_ID_CHARACTERS = 21;

/**
 * @throws InputProblem when n8n would forget the secret that deliveries are checked with
 */
function assertKept(context: IHookFunctions): void {
	const { id = '' } = context.getWorkflow();
	if (context.getMode() === 'manual' || id.length <= MAX_WORKFLOW_ID_CHARACTERS) return;
	throw new InputProblem(
		`The ID of this workflow has ${id.length} characters, and n8n stores no data for workflows with more than ${MAX_WORKFLOW_ID_CHARACTERS}`,
		'Copy all nodes into a new workflow, and publish that one. n8n gives it an ID that fits.',
	);
}

async function listAll(api: Api): Promise<IDataObject[]> {
	return await api.list({ path: path`/v1/subscriptions`, isPaged: false, wanted: Infinity });
}

/** Removes everything that is subscribed to our URL; gives the subscriptions of others. */
async function removeAll(api: Api, url: string): Promise<IDataObject[]> {
	const all = await listAll(api);
	for (const { id } of all.filter((subscription) => subscription.url === url)) {
		await remove(api, String(id));
	}
	return all.filter((subscription) => subscription.url !== url);
}

async function remove(api: Api, id: string): Promise<void> {
	await api.send({ method: 'DELETE', path: path`/v1/subscriptions/${id}`, repeatable: true });
}

/**
 * @throws CrmError when the service refuses, or answers without what deliveries are checked with
 */
async function create(
	api: Api,
	url: string,
	events: string[],
): Promise<{ id: string; secret: string }> {
	const request = { path: path`/v1/subscriptions`, body: { url, events }, repeatable: false };
	const creating = api.sendForRecord({ method: 'POST', ...request }).then(readIdAndSecret);
	return await creating.catch(async (error: unknown) => {
		// It may exist all the same, and without its secret it is of no use to anyone.
		// What stands in the way of that is not the user's problem; publishing again cleans up.
		if (error instanceof CrmError && error.mayHaveHappened)
			await removeAll(api, url).catch(() => {});
		return await Promise.reject(error);
	});
}

function readIdAndSecret({ id, secret }: IDataObject): { id: string; secret: string } {
	const isFilled = (value: unknown) =>
		typeof value === 'number' || (typeof value === 'string' && value !== '');
	if (isFilled(id) && isFilled(secret)) return { id: String(id), secret: String(secret) };
	throw missingSecret();
}

function missingSecret(): CrmError {
	return new CrmError(
		'The service created the webhook subscription without an ID or a signing secret',
		'Without them deliveries cannot be told from forged ones, so it was removed again. Publish once more; if it stays so, report it to the provider of the service.',
		{ mayHaveHappened: true },
	);
}

/** Says who holds the places when there is none left, because the service only says that. */
function assertRoom(others: IDataObject[], url: string): void {
	if (others.length < MAX_SUBSCRIPTIONS) return;
	const { origin } = new URL(url);
	const here = others.filter((other) => String(other.url).startsWith(`${origin}/`));
	const list = here.map((other) => `${other.url} (${other.id})`).join(', ');
	throw new InputProblem(
		`The workspace has ${others.length} webhook subscriptions, and the service allows ${MAX_SUBSCRIPTIONS}`,
		`Delete one that is no longer needed, with the operation Subscription > Delete of the Workspace CRM node, and publish again. ${here.length} of them point at this n8n${list && `: ${list}`}.`,
	);
}

function isSameSet(events: unknown, wanted: string[]): boolean {
	if (!Array.isArray(events) || new Set(events).size !== new Set(wanted).size) return false;
	return wanted.every((event) => events.includes(event));
}
