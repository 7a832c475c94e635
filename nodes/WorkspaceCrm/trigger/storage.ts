import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isJsonObject } from '../domain/json';
import type { Clock } from '../n8n/clock';
import { staticDataKey } from '../n8n/staticData';
import { isTestRun } from '../n8n/webhook';
import { Deliveries } from './deliveries';

/** A subscription that a trigger node has made, as it is stored with the workflow. */
export interface OwnSubscription {
	/** Empty once it is deleted. */
	id: string;
	/** Empty once the workflow is unpublished. */
	secret: string;
	/** As it was sent; the service may write it in another way. */
	url: string;
	/** IDs of the n8n, the workflow and the node that made it: copies of a workflow carry it along. */
	owner: string;
	/** Base URL and ID of the workspace; not the key, which may be rotated. */
	workspace: string;
	/** Subscriptions to the same URL that are not ours, and stay. */
	othersIds: string[];
	/** Milliseconds since 1970, and later than in what this replaced. */
	storedAtMs: number;
}

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
	staticDataKey = '';

	/** The newest that is known of. */
	subscription?: OwnSubscription;

	/** When the last publishing began, and its last part ended, by a clock that never goes back. */
	readonly publishing = { sinceMs: 0, pausedAtMs: -Infinity };

	constructor(private readonly clock: Clock) {
		this.deliveries = new Deliveries(clock);
	}

	/** Takes over what is newer in the static data of the node, as n8n has just loaded it. */
	mergeStored(staticData: unknown): void {
		const stored = isJsonObject(staticData) ? staticData.subscription : undefined;
		if (!isJsonObject(stored)) return;
		const { storedAtMs } = stored as unknown as OwnSubscription;
		if (storedAtMs > (this.subscription?.storedAtMs ?? 0)) {
			this.subscription = copyOf(stored as unknown as OwnSubscription);
		}
	}

	/** Puts a subscription where n8n saves it after publishing. */
	store(context: IHookFunctions, subscription: Omit<OwnSubscription, 'storedAtMs'>): void {
		const { storedAtMs = 0 } = this.subscription ?? {};
		const nextMs = Math.max(this.clock.now(), storedAtMs + 1);
		this.subscription = { ...subscription, storedAtMs: nextMs };
		context.getWorkflowStaticData('node').subscription = copyOf(this.subscription);
	}
}

/** By the ids of workflow and node, with a blank in between. */
export class TriggerMemories extends Map<string, TriggerMemory> {}

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
	const { id, name } = context.getNode();
	const key = `${context.getWorkflow().id} ${id}`;
	const known = isTestRun(context) ? undefined : memories.get(key);
	const memory = known ?? new TriggerMemory(clock);
	if (!isTestRun(context)) memories.set(key, memory);
	memory.staticDataKey = staticDataKey(name);
	memory.mergeStored(context.getWorkflowStaticData('node'));
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
		memory.mergeStored(staticData[memory.staticDataKey]);
		// A node that is not published may be gone, and another one have its name.
		if (!memory.subscription?.secret) continue;
		staticData[memory.staticDataKey] = { subscription: copyOf(memory.subscription) };
	}
}

/** Without the proxies that n8n puts around static data. */
function copyOf(stored: OwnSubscription): OwnSubscription & IDataObject {
	return { ...stored, othersIds: [...stored.othersIds] };
}
