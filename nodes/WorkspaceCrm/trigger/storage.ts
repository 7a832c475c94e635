import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Clock } from '../api/clock';
import { isJsonObject } from '../domain/json';
import { staticDataKey } from '../n8n/polling';
import { isTestRun } from '../n8n/webhook';
import { Deliveries } from './deliveries';

/** The subscription of a trigger node, as stored in the static data of its workflow. */
export interface OwnSubscription {
	/** Empty once it is deleted. */
	id: string;
	/** Empty once the workflow is unpublished. */
	secret: string;
	/** The URL that we sent; the service may write it differently. */
	url: string;
	/** The IDs of the n8n instance, workflow and node that created it: copies of a workflow carry it along. */
	owner: string;
	/** Base URL and ID of the workspace; not the key, which may be rotated. */
	workspace: string;
	/** The IDs of subscriptions to the same URL that are not ours, and must stay. */
	othersIds: string[];
	/** Milliseconds since 1970, always later than in the version before. */
	storedAtMs: number;
}

/**
 * The memory of this process about one trigger node.
 *
 * n8n loads the static data of a workflow for each publishing, run and poller, and saves all of it,
 * often much later. So a save can restore an older subscription. The newest of static data and memory
 * counts.
 */
export class TriggerMemory {
	readonly deliveries: Deliveries;

	/** The key of the node in the static data of the workflow. */
	staticDataKey = '';

	/** The newest known version. */
	subscription?: OwnSubscription;

	/** When the last publishing began, and when its last step ended; by `Clock.elapsedMs`. */
	readonly publishing = { sinceMs: 0, pausedAtMs: -Infinity };

	constructor(private readonly clock: Clock) {
		this.deliveries = new Deliveries(clock);
	}

	/** Takes over the subscription from static data if it is newer. */
	mergeStored(staticData: unknown): void {
		const stored = isJsonObject(staticData) ? staticData.subscription : undefined;
		if (!isJsonObject(stored)) return;
		const { storedAtMs } = stored as unknown as OwnSubscription;
		if (storedAtMs > (this.subscription?.storedAtMs ?? 0)) {
			this.subscription = copyOf(stored as unknown as OwnSubscription);
		}
	}

	/** Stores a subscription in memory and in the static data that n8n saves after publishing. */
	store(context: IHookFunctions, subscription: Omit<OwnSubscription, 'storedAtMs'>): void {
		const { storedAtMs = 0 } = this.subscription ?? {};
		const nextMs = Math.max(this.clock.now(), storedAtMs + 1);
		this.subscription = { ...subscription, storedAtMs: nextMs };
		context.getWorkflowStaticData('node').subscription = copyOf(this.subscription);
	}
}

/** Keyed by workflow ID and node ID, separated by a space. */
export class TriggerMemories extends Map<string, TriggerMemory> {}

/** Shared by all workflows in this process. */
export const processMemories = new TriggerMemories();

/**
 * Returns the memory of the node, merged with its static data. A test run has static data of its own, so
 * it gets a separate memory.
 */
export function memoryOf(
	context: IHookFunctions | IWebhookFunctions,
	memories: TriggerMemories,
	clock: Clock,
): TriggerMemory {
	const { id, name } = context.getNode();
	const key = `${context.getWorkflow().id} ${id}`;
	const known = isTestRun(context) ? new TriggerMemories() : memories;
	const memory = known.get(key) ?? new TriggerMemory(clock);
	known.set(key, memory);
	memory.staticDataKey = staticDataKey(name);
	memory.mergeStored(context.getWorkflowStaticData('node'));
	return memory;
}

/** Updates the subscriptions of a workflow's triggers in static data that another node saves. */
export function refreshTriggers(
	workflowId: string,
	staticData: IDataObject,
	memories: TriggerMemories = processMemories,
): void {
	for (const [key, memory] of memories) {
		if (!key.startsWith(`${workflowId} `)) continue;
		memory.mergeStored(staticData[memory.staticDataKey]);
		// An unpublished node may be deleted, and another node may have its name.
		if (!memory.subscription?.secret) continue;
		staticData[memory.staticDataKey] = { subscription: copyOf(memory.subscription) };
	}
}

/** Copies without the proxies that n8n puts around static data. */
function copyOf(stored: OwnSubscription): OwnSubscription & IDataObject {
	return { ...stored, othersIds: [...stored.othersIds] };
}
