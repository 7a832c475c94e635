import type {
	IDataObject,
	IHookFunctions,
	IPollFunctions,
	IWebhookFunctions,
	Workflow,
} from 'n8n-workflow';

import { isJsonObject } from '../domain/json';
import { isTestRun } from './webhook';

type Context = IHookFunctions | IPollFunctions | IWebhookFunctions;

/** A version of a `type` (IDataObject accepts no interface). Its time is later than in the version before. */
export type Kept<T> = T & { storedAtMs: number };

type Time = Record<'now' | 'elapsedMs', () => number>;

/** How long n8n may take to save the events of a poll, and what was stored with them. */
const SAVED_WITHIN_MS = 30_000;

/**
 * What one node keeps: in the static data of its workflow, which survives a restart, and in this process.
 * n8n loads static data for each publishing, run and poller, and saves all of it, often much later. So a save
 * can restore an older version, and the newest of both counts.
 *
 * The exception is what a poll stored with its events. n8n drops them if the workflow was published meanwhile
 * (`PollTriggerExecutor` in n8n-core) or its database cannot be written (seen in 2.41). Then the version
 * before counts again, so that the next poll finds the events again.
 */
export class NodeData<T extends IDataObject = IDataObject> {
	/** The node's key in static data; undefined once another node has its name. */
	slot?: string;

	private newest?: Kept<T>;

	/** Set until n8n has saved the newest version; without a workflow, durable cursors are on. */
	private unsaved?: {
		former?: Kept<T>;
		slot?: string;
		workflow?: Workflow;
		isTaken: boolean;
		sinceMs: number;
	};

	/**
	 * @param part the name of the data within the static data of the node
	 * @param siblings the data of all nodes of the workflow
	 */
	constructor(
		readonly part: string,
		private readonly siblings: Siblings,
		private readonly time: Time,
	) {}

	/**
	 * Returns the newest version.
	 *
	 * @param isOurs by default, whatever is under the name of the node; otherwise, former names count, too
	 */
	load(context: Context, isOurs?: (kept: Kept<T>) => boolean): Kept<T> | undefined {
		const own = context.getWorkflowStaticData('node');
		const others = isOurs ? Object.values(savedWhole(context)?.staticData ?? {}) : [];
		this.settle(this.readIn(own));
		const [found] = [this.newest, ...[own, ...others].map((data) => this.readIn(data))]
			.filter((kept) => kept !== undefined && (isOurs?.(kept) ?? true))
			.sort((a, b) => (b?.storedAtMs ?? 0) - (a?.storedAtMs ?? 0));
		if (found) this.newest = { ...found };
		return found;
	}

	/** Whether n8n may still be saving what the last poll stored with its events. */
	isSaving(context: IPollFunctions): boolean {
		this.settle(this.readIn(context.getWorkflowStaticData('node')));
		return this.unsaved !== undefined;
	}

	/**
	 * Stores a version in memory, and in the static data that n8n saves later.
	 *
	 * @param hasEvents whether it counts only if n8n saves it, as it does with the events of a poll
	 */
	store(context: Context, value: T, hasEvents = false): void {
		const { newest: former, slot } = this;
		const own = context.getWorkflowStaticData('node');
		const saved = this.readIn(own);
		const newestMs = Math.max(saved?.storedAtMs ?? 0, former?.storedAtMs ?? 0);
		const isSame = saved && Object.keys(value).every((name) => saved[name] === value[name]);
		const workflow = savedWhole(context);
		// With durable cursors, n8n writes changed static data after each poll.
		if (!isSame || saved.storedAtMs !== newestMs) {
			this.newest = { ...value, storedAtMs: Math.max(this.time.now(), newestMs + 1) };
			if (!workflow) own[this.part] = { ...this.newest };
		}
		this.unsaved = undefined;
		if (workflow) refresh(workflow, this.siblings);
		if (!hasEvents) return;
		const sinceMs = this.time.elapsedMs();
		const unsaved = { former, slot, workflow, isTaken: !workflow, sinceMs };
		this.unsaved = unsaved;
		whenTaken(context, () => (unsaved.isTaken = true));
	}

	/** Writes the version that counts into static data that another node saves. */
	writeInto(staticData: IDataObject): void {
		const { slot = '' } = this;
		this.settle(this.readIn(staticData[slot]));
		const { newest } = this;
		const savedAtMs = this.readIn(staticData[slot])?.storedAtMs ?? 0;
		if (newest && newest.storedAtMs > savedAtMs) this.write(staticData, this.slot, newest);
	}

	/** Decides whether n8n has saved the newest version, may still save it, or has dropped it. */
	private settle(saved: Kept<T> | undefined): void {
		const { newest, unsaved } = this;
		if (!newest || !unsaved) return;
		const { former, slot, workflow, isTaken, sinceMs } = unsaved;
		// On success, `WorkflowStaticDataService` in n8n/workflows resets the mark (seen in 2.41).
		const isSaved = workflow
			? workflow.staticData.__dataChanged !== true
			: (saved?.storedAtMs ?? 0) >= newest.storedAtMs;
		const isOverdue = this.time.elapsedMs() - sinceMs >= SAVED_WITHIN_MS;
		if (!isSaved && isTaken && !isOverdue) return;
		this.unsaved = undefined;
		if (isSaved) return;
		this.newest = former;
		if (workflow) this.write(workflow.staticData, slot, former);
	}

	/** At the top of static data, where n8n notices a change. */
	private write(staticData: IDataObject, slot?: string, kept?: Kept<T>): void {
		if (slot !== undefined) staticData[slot] = kept ? { [this.part]: { ...kept } } : {};
	}

	readIn(data: unknown): Kept<T> | undefined {
		const kept = isJsonObject(data) ? data[this.part] : undefined;
		const isKept = isJsonObject(kept) && typeof kept.storedAtMs === 'number';
		return isKept ? (kept as Kept<T>) : undefined;
	}
}

/** The data of a workflow's nodes, by the nodes' IDs. */
export type Siblings = Map<string, NodeData>;

/** What this process knows, by the IDs of workflows. */
export class ProcessData extends Map<string, Siblings> {
	/** The data of a node. A test run has static data of its own, so it gets data of its own. */
	of<D extends NodeData, T extends Time>(
		context: Context,
		Type: new (siblings: Siblings, time: T) => D,
		time: T,
	): D {
		const { id: workflowId = '' } = context.getWorkflow();
		const isTest = isTestRun(context);
		const siblings: Siblings = (!isTest && this.get(workflowId)) || new Map();
		if (!isTest) this.set(workflowId, siblings);
		const { id, name } = context.getNode();
		const known = siblings.get(id);
		const data = known instanceof Type ? known : new Type(siblings, time);
		siblings.set(id, data);
		const slot = staticDataKey(name);
		for (const each of siblings.values()) if (each.slot === slot) each.slot = undefined;
		data.slot = slot;
		return data;
	}
}

/** Shared by all workflows in this process. */
export const processData = new ProcessData();

/** Brings static data up to date before n8n saves it whole. Removes what renamed and deleted nodes left. */
function refresh({ staticData, nodes }: Workflow, siblings: Siblings): void {
	const data = [...siblings.values()];
	const slots = [...Object.keys(nodes).map(staticDataKey), ...data.map(({ slot }) => slot)];
	for (const [slot, content] of Object.entries(staticData)) {
		const isLeft = !slots.includes(slot) && data.some((each) => each.readIn(content));
		if (isLeft) delete staticData[slot];
	}
	for (const each of data) each.writeInto(staticData);
}

/** The key of a node in static data (`getStaticData` in n8n-workflow/workflow, seen in 2.41). */
const staticDataKey = (nodeName: string) => `node:${nodeName}`;

/**
 * The workflow, whose whole static data n8n saves with that of the node; undefined if n8n saves only the data
 * of this node, as with durable cursors (`getExecutePollFunctions` in n8n/workflows/triggers/
 * trigger-execution-context.factory, seen in 2.41).
 */
function savedWhole(context: Context): Workflow | undefined {
	const { workflow } = context as { workflow?: Workflow };
	const own = workflow?.staticData[staticDataKey(context.getNode().name)];
	return own === context.getWorkflowStaticData('node') ? workflow : undefined;
}

/**
 * Calls back when n8n takes the events of a poll. It discards those of a workflow that was published or
 * unpublished meanwhile (`PollTriggerExecutor` in n8n-core/execution-engine, seen in 2.41).
 */
function whenTaken(context: Context, act: () => void): void {
	if (!('__emit' in context)) return;
	const { __emit: emit } = context;
	context.__emit = (...events) => {
		context.__emit = emit;
		act();
		emit.apply(context, events);
	};
}
