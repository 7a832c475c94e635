import type { IPollFunctions } from 'n8n-workflow';

import type { Clock } from '../api/clock';
import { isJsonObject } from '../domain/json';
import { savedWith, staticDataKey } from '../n8n/polling';
import { refreshTriggers } from '../trigger/storage';
import { digest, type ContactMap } from './comparison';
import type { Watched } from './watched';

/**
 * The list that the next poll compares with, as stored in n8n's static data. A type, because n8n's
 * IDataObject accepts no interface.
 */
export type Baseline = {
	/** From `baselineKey`. */
	key: string;
	/** Milliseconds since 1970, always later than in the baseline before. */
	storedAtMs: number;
	/** From `packContacts`. */
	contacts: string;
};

/** The memory of this process about a node. */
export interface NodeMemory {
	baseline?: Baseline;
	/** When the poll that stored the baseline returned events, by `Clock.elapsedMs`; undefined if it returned none. */
	eventsAtMs?: number;
	/** `Api.accountId`, and the workspace's ID for it: a key always belongs to the same workspace. */
	accountId?: string;
	workspaceId?: string;
	/** Polls in a row without a complete list. */
	failures: number;
	isPolling: boolean;
}

/** Keyed by workflow ID and node ID, separated by a space. */
export class PollMemory extends Map<string, NodeMemory> {
	nodeOf(context: IPollFunctions, nodeId = context.getNode().id): NodeMemory {
		const key = `${context.getWorkflow().id} ${nodeId}`;
		const node = this.get(key) ?? { failures: 0, isPolling: false };
		this.set(key, node);
		return node;
	}
}

/** A poll of one node. */
export interface PollContext {
	context: IPollFunctions;
	memory: PollMemory;
	clock: Clock;
}

/** Shared by all workflows in this process. */
export const processPollMemory = new PollMemory();

/**
 * Identifies the node, workspace and settings of a baseline: copies, imports and renamed nodes carry
 * static data along, and a credential may get the key of another workspace.
 */
export function baselineKey(
	context: IPollFunctions,
	{ workspaceId }: NodeMemory,
	{ list, fields, hasTags }: Watched,
): string {
	const { id: workflowId } = context.getWorkflow();
	const owner = [context.getInstanceId(), workflowId, context.getNode().id, workspaceId];
	return digest({ owner, list, fields, hasTags });
}

/**
 * One string, because n8n wraps and copies each object in static data: 150 ms for 10,000 contacts, 2 ms
 * as a string.
 */
export function packContacts(contacts: ContactMap): string {
	const entries = [...contacts].map(([id, { misses, snapshot }]) => {
		return `${encodeURIComponent(id)}:${misses}${snapshot}`;
	});
	return entries.join(';');
}

export function unpackContacts(text: string): ContactMap {
	const entries = [...text.matchAll(/([^:;]+):(\d)([^;]*)/g)];
	return new Map(
		entries.map(([, id = '', misses, snapshot = '']) => {
			return [decodeURIComponent(id), { misses: Number(misses), snapshot }];
		}),
	);
}

/** How long n8n may take to save the events of a poll and their baseline. */
const SAVED_WITHIN_MS = 30_000;

/**
 * Returns the newest baseline with this key, even under a former name of the node. Memory counts, because
 * n8n saves a poll without events only with a later one, and a run may save older static data. With
 * durable cursors, n8n saves the events of a poll and its baseline, or drops both: then static data counts
 * after 30 seconds, and the next poll repeats the events. Overdue polls of n8n's durable scheduler read
 * their cursor before the previous poll has saved its own (`PollTriggerTaskHandler`, seen in 2.41).
 *
 * @returns `saving` if n8n may still be saving the newest one
 */
export function loadBaseline(
	{ context, memory, clock }: PollContext,
	key: string,
): Baseline | 'saving' | undefined {
	const workflow = savedWith(context);
	const all = Object.values(workflow?.staticData ?? {});
	const [saved] = [context.getWorkflowStaticData('node'), ...all]
		.flatMap((data) => readBaseline(data) ?? [])
		.filter((baseline) => baseline.key === key)
		.sort((a, b) => b.storedAtMs - a.storedAtMs);
	const { baseline: remembered, eventsAtMs } = memory.nodeOf(context);
	if (remembered?.key !== key || (saved && saved.storedAtMs >= remembered.storedAtMs)) return saved;
	if (workflow || eventsAtMs === undefined || !saved) return remembered;
	return clock.elapsedMs() - eventsAtMs < SAVED_WITHIN_MS ? 'saving' : saved;
}

/** Stores a baseline in memory and in static data, unless static data already has the same. */
export function storeBaseline(
	{ context, memory, clock }: PollContext,
	{ key, contacts }: Pick<Baseline, 'key' | 'contacts'>,
	gaveEvents: boolean,
): void {
	const staticData = context.getWorkflowStaticData('node');
	const node = memory.nodeOf(context);
	const saved = readBaseline(staticData);
	const newestMs = Math.max(saved?.storedAtMs ?? 0, node.baseline?.storedAtMs ?? 0);
	const isNewest = saved?.storedAtMs === newestMs;
	// With durable cursors, n8n writes changed static data after each poll.
	if (!isNewest || saved.key !== key || saved.contacts !== contacts) {
		node.baseline = { key, storedAtMs: Math.max(clock.now(), newestMs + 1), contacts };
		node.eventsAtMs = gaveEvents ? clock.elapsedMs() : undefined;
		staticData.baseline = node.baseline;
	}
	refreshOthers(context, memory);
}

/**
 * n8n saves the static data of all nodes of the workflow, as loaded when this node was published. So
 * first update the other nodes from memory, and remove what renamed or deleted nodes left.
 */
function refreshOthers(context: IPollFunctions, memory: PollMemory): void {
	const workflow = savedWith(context);
	if (!workflow) return;
	const { staticData, nodes } = workflow;
	const slots = Object.values(nodes).map(({ name }) => staticDataKey(name));
	for (const [slot, data] of Object.entries(staticData)) {
		if (!slots.includes(slot) && readBaseline(data)) delete staticData[slot];
	}
	for (const { id, name } of Object.values(nodes)) {
		const slot = staticDataKey(name);
		const { baseline } = memory.nodeOf(context, id);
		const savedAtMs = readBaseline(staticData[slot])?.storedAtMs ?? 0;
		if (baseline && baseline.storedAtMs > savedAtMs) staticData[slot] = { baseline };
	}
	refreshTriggers(context.getWorkflow().id ?? '', staticData);
}

/** Reads the baseline from the static data of a node; undefined if there is none. */
function readBaseline(data: unknown): Baseline | undefined {
	const baseline = isJsonObject(data) ? data.baseline : undefined;
	const isReadable = isJsonObject(baseline) && typeof baseline.contacts === 'string';
	return isReadable ? (baseline as Baseline) : undefined;
}
