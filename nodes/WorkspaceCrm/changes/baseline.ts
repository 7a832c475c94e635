import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { isJsonObject } from '../domain/json';
import type { Clock } from '../n8n/clock';
import { savedWith, staticDataKey } from '../n8n/staticData';
import { refreshTriggers } from '../trigger/storage';

/** What the next list is compared with, in n8n's static data. A type, because n8n takes no interface. */
export type StoredBaseline = {
	instanceId: string;
	workflowId: string;
	nodeId: string;
	workspaceId: string;
	/** Digest of what is watched. */
	watched: string;
	/** Milliseconds since 1970, and later than in the baseline that it replaced. */
	storedAtMs: number;
	/** From `packContacts`. */
	contacts: string;
};

/**
 * - `listed`: in the last complete list.
 * - `missing`: not in it.
 * - `hidden`: not in it, but its ID still gives a contact that belongs there.
 */
type ListState = 'listed' | 'missing' | 'hidden';

/** What is known of each contact, by ID; `snapshot` is from `packSnapshot`. */
export type ContactMap = Map<string, { state: ListState; snapshot: string }>;

/** One text, because n8n wraps and copies each object in static data: 150 ms for 10,000, against 2 ms. */
export function packContacts(contacts: ContactMap): string {
	const entries = [...contacts].map(
		([id, { state, snapshot }]) => `${encodeURIComponent(id)}:${state.charAt(0)}${snapshot}`,
	);
	return entries.join(';');
}

export function unpackContacts(text: string): ContactMap {
	const states = { l: 'listed', m: 'missing', h: 'hidden' } as const;
	const entries = text.split(';').flatMap((entry) => {
		const [id = '', known = ''] = entry.split(':');
		const state = states[known.charAt(0) as keyof typeof states];
		return state ? [[decodeURIComponent(id), { state, snapshot: known.slice(1) }] as const] : [];
	});
	return new Map(entries);
}

/** What this process knows of a node. */
export interface NodeMemory {
	/** Where n8n keeps its static data. */
	staticDataKey: string;
	baseline?: StoredBaseline;
	/** When the poll that stored the baseline gave events, by `Clock.elapsedMs`; undefined if it gave none. */
	eventsAtMs?: number;
	/** Polls in a row that got no complete list. */
	failures: number;
	isPolling: boolean;
}

export class PollMemory {
	/** By workflow ID, and in there by node ID. */
	private readonly workflows = new Map<string, Map<string, NodeMemory>>();

	/** The IDs of workspaces, by `Api.accountId`. A key never moves to another workspace. */
	readonly workspaces = new Map<string, string>();

	nodesOf(context: IPollFunctions): Map<string, NodeMemory> {
		const { id = '' } = context.getWorkflow();
		const nodes = this.workflows.get(id) ?? new Map<string, NodeMemory>();
		this.workflows.set(id, nodes);
		return nodes;
	}

	nodeOf(context: IPollFunctions): NodeMemory {
		const nodes = this.nodesOf(context);
		const { id, name } = context.getNode();
		const unknown = { staticDataKey: '', failures: 0, isPolling: false };
		const node = nodes.get(id) ?? unknown;
		node.staticDataKey = staticDataKey(name);
		nodes.set(id, node);
		return node;
	}
}

/** Shared by all workflows in this process. */
export const processPollMemory = new PollMemory();

/** n8n may take this long to save the events of a poll and their baseline. */
const SAVED_WITHIN_MS = 30_000;

/**
 * The newest baseline of this node. A poll that gives no events is saved by n8n only with a later one, so
 * memory counts. Of a poll that gave events, n8n saves both or throws both away: then static data counts
 * after 30 seconds, and the events are due again. Overdue polls of n8n's durable scheduler read their
 * cursor before the poll before them has saved its own (`PollTriggerTaskHandler`, seen in 2.41).
 *
 * @returns `saving` if n8n may still be saving the newest one
 */
export function loadBaseline(
	context: IPollFunctions,
	memory: PollMemory,
	clock: Clock,
): StoredBaseline | 'saving' | undefined {
	const saved = savedBaseline(context);
	const { baseline: remembered, eventsAtMs } = memory.nodeOf(context);
	if (!remembered || (saved && saved.storedAtMs >= remembered.storedAtMs)) return saved;
	if (eventsAtMs === undefined || !saved) return remembered;
	return clock.elapsedMs() - eventsAtMs < SAVED_WITHIN_MS ? 'saving' : saved;
}

/** The newest that n8n has saved of this node, also under a name that it had before. */
function savedBaseline(context: IPollFunctions): StoredBaseline | undefined {
	const all = Object.values(savedWith(context) ?? {});
	const own = [context.getWorkflowStaticData('node'), ...all]
		.map(baselineIn)
		.filter((baseline) => baseline !== undefined && isOwn(context, baseline));
	return own.sort((a, b) => (b?.storedAtMs ?? 0) - (a?.storedAtMs ?? 0))[0];
}

/** Static data travels with copies, imports and the name of a node. */
function isOwn(context: IPollFunctions, baseline: StoredBaseline): boolean {
	return holds(baseline, ownerOf(context));
}

function ownerOf(context: IPollFunctions) {
	const { id: workflowId = '' } = context.getWorkflow();
	return { instanceId: context.getInstanceId(), workflowId, nodeId: context.getNode().id };
}

/** Puts a baseline into memory and into what n8n saves, unless that holds the same already. */
export function storeBaseline(
	context: IPollFunctions,
	memory: PollMemory,
	clock: Clock,
	known: Pick<StoredBaseline, 'workspaceId' | 'watched' | 'contacts'>,
	gaveEvents: boolean,
): void {
	const staticData = context.getWorkflowStaticData('node');
	const node = memory.nodeOf(context);
	const saved = baselineIn(staticData);
	const newestMs = Math.max(saved?.storedAtMs ?? 0, node.baseline?.storedAtMs ?? 0);
	const isSame =
		saved && isOwn(context, saved) && saved.storedAtMs === newestMs && holds(saved, known);
	// With durable cursors, n8n writes what has changed after each poll.
	if (!isSame) {
		const storedAtMs = Math.max(clock.now(), newestMs + 1);
		const baseline = { ...ownerOf(context), ...known, storedAtMs };
		staticData.baseline = baseline;
		const eventsAtMs = gaveEvents ? clock.elapsedMs() : undefined;
		Object.assign(node, { baseline, eventsAtMs });
	}
	refreshOthers(context, memory);
}

function holds(saved: StoredBaseline, known: Partial<StoredBaseline>): boolean {
	return Object.entries(known).every(
		([name, value]) => saved[name as keyof typeof known] === value,
	);
}

/**
 * n8n saves the static data of all nodes of the workflow, as loaded when this node was published. So the
 * newest that is known of the others goes in first, and what this node left under an earlier name goes.
 */
function refreshOthers(context: IPollFunctions, memory: PollMemory): void {
	const all: IDataObject | undefined = savedWith(context);
	if (!all) return;
	const ownKey = staticDataKey(context.getNode().name);
	for (const [key, data] of Object.entries(all)) {
		const baseline = baselineIn(data);
		if (key !== ownKey && baseline && isOwn(context, baseline)) delete all[key];
	}
	for (const { staticDataKey: key, baseline } of memory.nodesOf(context).values()) {
		if (!baseline || key === ownKey) continue;
		const storedAtMs = baselineIn(all[key])?.storedAtMs ?? 0;
		if (storedAtMs < baseline.storedAtMs) all[key] = { baseline };
	}
	refreshTriggers(context.getWorkflow().id ?? '', all);
}

/** The baseline in the static data of a node, undefined if there is none. */
function baselineIn(data: unknown): StoredBaseline | undefined {
	const baseline = isJsonObject(data) ? data.baseline : undefined;
	if (!isJsonObject(baseline)) return undefined;
	const { storedAtMs, contacts } = baseline;
	const isReadable = Number.isSafeInteger(storedAtMs) && typeof contacts === 'string';
	return isReadable ? (baseline as StoredBaseline) : undefined;
}
