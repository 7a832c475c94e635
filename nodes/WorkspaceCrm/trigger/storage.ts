import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Clock } from '../n8n/clock';
import { isJsonObject, type JsonObject } from '../domain/json';
import { saveWhenAsked, staticDataKey } from '../n8n/staticData';
import { isTestRun } from '../n8n/webhook';
import { Deduplication } from './deduplication';
import { LogLimit } from '../webhooks/logLimit';

/** The subscription that the node has made. */
interface StoredSubscription {
	id: string;
	/** Empty once the subscription is deleted, or was to be. */
	secret: string;
	/** As it was sent; the service may write it in another way. */
	url: string;
	events: string[];
	/** Milliseconds since 1970, and later than in the subscription that this one replaced. */
	storedAtMs: number;
}

/** What n8n keeps for the node between its runs, in the static data of the workflow. */
type Stored = {
	subscription?: StoredSubscription;
	/** Keys of deliveries. */
	deliveries: string;
};

/** Of many deliveries at once, those in flight save for the ones before them. */
const MIN_BETWEEN_SAVES_MS = 250;

type TriggerContext = IHookFunctions | IWebhookFunctions;

/**
 * What this process knows of one trigger node: the newest of what it has stored and what it has read.
 *
 * n8n loads the static data of a workflow for each delivery, each publishing, each run and each
 * poller, and saves it whole, often much later, so a save can bring back something older. While the
 * process lives that does no harm: what is known here stays known, and the next delivery saves it
 * again.
 */
export class TriggerMemory {
	readonly deduplication = new Deduplication();

	/** Where n8n keeps it in the static data of the workflow. */
	slot = '';

	/** The newest that is known; `replaceSubscription` sets another one. */
	subscription?: StoredSubscription;

	/** What the database holds, as far as this process can tell. */
	private saved?: Stored;

	private savedAtMs = -Infinity;

	constructor(private readonly clock: Clock) {}

	replaceSubscription(subscription: Omit<StoredSubscription, 'storedAtMs'>): void {
		const afterMs = (this.subscription?.storedAtMs ?? 0) + 1;
		this.subscription = { ...subscription, storedAtMs: Math.max(this.clock.now(), afterMs) };
	}

	/** Takes over what is newer in what n8n has just loaded. */
	absorb(loaded: unknown): void {
		this.saved = readStored(loaded);
		const { subscription, deliveries } = this.saved;
		if (subscription && subscription.storedAtMs > (this.subscription?.storedAtMs ?? 0)) {
			this.subscription = { ...subscription, events: [...subscription.events] };
		}
		this.deduplication.absorb(deliveries, this.clock.elapsedMs());
	}

	/** Without a subscription, no delivery can come again, and their keys would only take space. */
	toStored(): Stored {
		const deliveries = this.subscription?.secret ? this.deduplication.toStored() : '';
		return { subscription: this.subscription, deliveries };
	}

	/** Whether something is known that the database does not hold, and that can wait no longer. */
	get needsSave(): boolean {
		const { subscription, deliveries } = this.toStored();
		if (subscription?.storedAtMs !== this.saved?.subscription?.storedAtMs) return true;
		const isSoon = this.clock.elapsedMs() - this.savedAtMs < MIN_BETWEEN_SAVES_MS;
		return deliveries !== this.saved?.deliveries && !(isSoon && this.deduplication.isBusy);
	}

	/** What is to be saved now, which counts as saved from now on. */
	toSave(): Stored {
		this.saved = this.toStored();
		this.savedAtMs = this.clock.elapsedMs();
		return this.saved;
	}
}

/** By the ids of workflows, and in there by the ids of their trigger nodes. */
export class TriggerMemories extends Map<string, Map<string, TriggerMemory>> {
	/** For what all of them write into n8n's log. */
	readonly logLimit = new LogLimit();
}

/** Shared by all workflows in this process. */
export const processMemories = new TriggerMemories();

/**
 * What is known of the node, with what n8n has loaded for the context. A test run has static data of
 * its own, and shares no memory with what is published.
 */
export function memoryOf(
	context: TriggerContext,
	memories: TriggerMemories,
	clock: Clock,
): TriggerMemory {
	const { id, name } = context.getNode();
	const isTest = isTestRun(context);
	const ofWorkflow = isTest ? new Map<string, TriggerMemory>() : memoriesOf(context, memories);
	const memory = ofWorkflow.get(id) ?? new TriggerMemory(clock);
	ofWorkflow.set(id, memory);
	memory.slot = staticDataKey(name);
	memory.absorb(context.getWorkflowStaticData('node'));
	return memory;
}

function memoriesOf(
	context: TriggerContext,
	memories: TriggerMemories,
): Map<string, TriggerMemory> {
	const { id = '' } = context.getWorkflow();
	const ofWorkflow = memories.get(id) ?? new Map<string, TriggerMemory>();
	memories.set(id, ofWorkflow);
	return ofWorkflow;
}

/** Puts what is known into what n8n saves after publishing and unpublishing. */
export function store(context: IHookFunctions, memory: TriggerMemory): void {
	Object.assign(context.getWorkflowStaticData('node'), memory.toStored());
}

/**
 * Static data that was loaded longer ago is not saved by a delivery: others may have changed it
 * meanwhile. After ten seconds the service takes a delivery for failed and repeats it (API reference,
 * delivery), and then the repeat saves.
 */
const MAX_LOADED_MS = 10_000;

/**
 * Has n8n save what is known when it has started the workflow for a delivery, or answers it without:
 * the newest of all triggers of the workflow, so that none brings back what it has loaded of another.
 *
 * @param loadedAtMs when n8n loaded the static data, by `elapsedMs` of the clock
 * @param onLook called when n8n looks, which it does only once the workflow has been started
 */
export function saveAfterDelivery(
	context: IWebhookFunctions,
	memories: TriggerMemories,
	clock: Clock,
	loadedAtMs: number,
	onLook = () => {},
): void {
	const known = memoriesOf(context, memories);
	saveWhenAsked(context, (staticData) => {
		for (const memory of known.values()) memory.absorb(staticData[memory.slot]);
		let isSaving = false;
		return () => {
			onLook();
			const isStale = clock.elapsedMs() - loadedAtMs > MAX_LOADED_MS;
			if (isStale || ![...known.values()].some(({ needsSave }) => needsSave)) return isSaving;
			for (const memory of known.values()) staticData[memory.slot] = { ...memory.toSave() };
			isSaving = true;
			return isSaving;
		};
	});
}

/** Puts the newest that is known of a workflow's triggers into static data that another node saves. */
export function refreshTriggers(
	workflowId: string,
	staticData: IDataObject,
	memories: TriggerMemories = processMemories,
): void {
	for (const memory of memories.get(workflowId)?.values() ?? []) {
		memory.absorb(staticData[memory.slot]);
		staticData[memory.slot] = { ...memory.toStored() };
	}
}

function readStored(value: unknown): Stored {
	const { subscription, deliveries } = isJsonObject(value) ? value : ({} as JsonObject);
	return {
		deliveries: typeof deliveries === 'string' ? deliveries : '',
		...(isSubscription(subscription) && { subscription }),
	};
}

function isSubscription(value: unknown): value is StoredSubscription {
	if (!isJsonObject(value)) return false;
	const { id, secret, url, events, storedAtMs } = value;
	const areTexts = [id, secret, url].every((text) => typeof text === 'string');
	return areTexts && Array.isArray(events) && Number.isSafeInteger(storedAtMs);
}
