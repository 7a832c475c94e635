import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isJsonObject } from '../domain/json';
import type { Clock } from '../n8n/clock';
import { staticDataKey } from '../n8n/staticData';
import { isTestRun } from '../n8n/webhook';
import { DeliveryLog } from '../webhooks/deliveryLog';
import { Deliveries } from './deliveries';

/** The n8n, the workflow and the node that have stored something: copies of a workflow carry it along. */
interface Owner {
	instanceId: string;
	workflowId: string;
	nodeId: string;
}

/** The subscription that the node has made. */
export interface OwnSubscription {
	/** Empty once the node has none, and so is the secret. */
	id: string;
	secret: string;
	/** As it was sent; the service may write it in another way. */
	url: string;
	events: string[];
	/** Base URL and ID of the workspace; not the key, which may be rotated. */
	workspace: string;
	/** Subscriptions to the same URL that are not ours, and stay. */
	othersIds: string[];
}

interface Stored extends OwnSubscription, Owner {
	/** Milliseconds since 1970, and later than in what this replaced. */
	storedAtMs: number;
}

const NONE = { id: '', secret: '', url: '', events: [], workspace: '' };

/**
 * What this process knows of one trigger node.
 *
 * n8n loads the static data of a workflow for each publishing, each run and each poller, and saves it
 * whole, often much later, so a save can bring back an older subscription. The newest of what is stored
 * and what is known here counts.
 */
export class TriggerMemory {
	readonly deliveries: Deliveries;

	/** Where n8n keeps the subscription in the static data of the workflow. */
	slot = '';

	/** The newest that is known of this node. */
	subscription?: Stored;

	/** What is stored for the node, but by another n8n, workflow or node. */
	foreign?: Stored;

	/** When the publishing that is under way began, by a clock that never goes back. */
	publishingSinceMs = -Infinity;

	constructor(
		private readonly owner: Owner,
		private readonly clock: Clock,
	) {
		this.deliveries = new Deliveries(clock);
	}

	/** Takes over what is newer in what n8n has just loaded. */
	absorb(stored: unknown): void {
		if (!isStored(stored)) return;
		const { instanceId, workflowId, nodeId } = this.owner;
		const isOwn = stored.instanceId === instanceId && stored.workflowId === workflowId;
		if (!isOwn || stored.nodeId !== nodeId) this.foreign = { ...stored };
		else if (stored.storedAtMs > (this.subscription?.storedAtMs ?? 0)) {
			this.subscription = copyOf(stored);
		}
	}

	/** Sets another subscription, or none, and puts it where n8n saves it after publishing. */
	store(context: IHookFunctions, subscription: Partial<OwnSubscription> = {}): void {
		const { othersIds = [], storedAtMs = 0 } = this.subscription ?? {};
		const nextMs = Math.max(this.clock.now(), storedAtMs + 1);
		const { owner } = this;
		this.subscription = { ...NONE, othersIds, ...subscription, ...owner, storedAtMs: nextMs };
		this.foreign = undefined;
		context.getWorkflowStaticData('node').subscription = copyOf(this.subscription);
	}
}

/** By the ids of workflow and node, with a blank in between. */
export class TriggerMemories extends Map<string, TriggerMemory> {
	readonly log = new DeliveryLog();
}

/** Shared by all workflows in this process. */
export const processMemories = new TriggerMemories();

/**
 * What is known of the node, with what n8n has loaded for the context. A test run has static data of
 * its own, and shares no memory with what is published.
 */
export function memoryOf(
	context: IHookFunctions | IWebhookFunctions,
	memories: TriggerMemories,
	clock: Clock,
): TriggerMemory {
	const { id: workflowId = '' } = context.getWorkflow();
	const { id: nodeId, name } = context.getNode();
	const owner = { instanceId: context.getInstanceId(), workflowId, nodeId };
	const known = isTestRun(context) ? undefined : memories.get(`${workflowId} ${nodeId}`);
	const memory = known ?? new TriggerMemory(owner, clock);
	if (!isTestRun(context)) memories.set(`${workflowId} ${nodeId}`, memory);
	memory.slot = staticDataKey(name);
	memory.absorb(context.getWorkflowStaticData('node').subscription);
	return memory;
}

/** Puts the newest that is known of a workflow's triggers into static data that another node saves. */
export function refreshTriggers(
	workflowId: string,
	staticData: IDataObject,
	memories: TriggerMemories = processMemories,
): void {
	for (const [key, memory] of memories) {
		if (!key.startsWith(`${workflowId} `)) continue;
		const saved = staticData[memory.slot];
		memory.absorb(isJsonObject(saved) ? saved.subscription : undefined);
		// A node that has none may be gone, and another one have its name.
		if (!memory.subscription?.id) continue;
		staticData[memory.slot] = { subscription: copyOf(memory.subscription) };
	}
}

/** Without the proxies that n8n puts around static data. */
function copyOf(stored: Stored): Stored & IDataObject {
	return { ...stored, events: [...stored.events], othersIds: [...stored.othersIds] };
}

function isStored(value: unknown): value is Stored {
	if (!isJsonObject(value)) return false;
	const { id, secret, url, workspace, events, othersIds, storedAtMs } = value;
	const areTexts = [id, secret, url, workspace].every((text) => typeof text === 'string');
	return (
		areTexts && Array.isArray(events) && Array.isArray(othersIds) && Number.isFinite(storedAtMs)
	);
}
