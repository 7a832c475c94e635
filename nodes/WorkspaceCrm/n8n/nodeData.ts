import type {
	IDataObject,
	IHookFunctions,
	IPollFunctions,
	IWebhookFunctions,
	Workflow,
} from 'n8n-workflow';

import { isJsonObject } from '../domain/json';
import { whenTaken } from './polling';
import { isTestRun } from './webhook';

type Context = IHookFunctions | IPollFunctions | IWebhookFunctions;

/** A version of a `type` (IDataObject accepts no interface). Its time is later than in the version before. */
export type Kept<T> = T & { storedAtMs: number };

type Time = Record<'now', () => number>;

/** After so many polls whose events n8n did not take, the next one stores its version at once. */
const MAX_UNTAKEN = 3;

/**
 * What one node keeps: in the static data of its workflow, which survives a restart, and in this process.
 * n8n loads static data for each publishing, run and poller, and saves all of it, often much later. So a save
 * can restore an older version, and the newest of both counts.
 *
 * What a poll stores with its events is stored when n8n takes them. If n8n then cannot start the workflow, the
 * version before counts again, so that the next poll finds the events again.
 */
export class NodeData<T extends IDataObject = IDataObject> {
	/** The node's key in static data; undefined once another node has its name. */
	slot?: string;

	private newest?: Kept<T>;

	/** Polls with events in a row that n8n did not take. */
	private untaken = 0;

	/** By version that was taken back: the one before it. */
	private readonly before = new WeakMap<Kept<T>, Kept<T> | undefined>();

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
		const [found] = [this.newest, ...[own, ...others].map((data) => this.readIn(data))]
			.filter((kept) => kept !== undefined && (isOurs?.(kept) ?? true))
			.sort((a, b) => (b?.storedAtMs ?? 0) - (a?.storedAtMs ?? 0));
		// A copy, as others may change static data.
		if (found && found !== this.newest) this.newest = { ...found };
		return found;
	}

	/** Stores a version in memory, and in the static data that n8n saves later. */
	store(context: Context, value: T): void {
		const own = context.getWorkflowStaticData('node');
		const saved = this.readIn(own);
		const newestMs = Math.max(saved?.storedAtMs ?? 0, this.newest?.storedAtMs ?? 0);
		const isSame = saved && Object.keys(value).every((name) => saved[name] === value[name]);
		const workflow = savedWhole(context);
		// With durable cursors, n8n writes changed static data after each poll.
		if (!isSame || saved.storedAtMs !== newestMs) {
			this.newest = { ...value, storedAtMs: Math.max(this.time.now(), newestMs + 1) };
			if (!workflow) own[this.part] = { ...this.newest };
		}
		if (workflow) refresh(workflow, this.siblings);
	}

	/**
	 * Stores a version once n8n takes the events of a poll, or else at once.
	 *
	 * @param onTakenBack called if the version before counts again, because n8n could not start the workflow
	 */
	storeWithEvents(context: IPollFunctions, value: T, onTakenBack: () => void): void {
		const { newest: former } = this;
		let taken: Kept<T> | undefined;
		const onTaken = () => {
			this.untaken = 0;
			this.store(context, value);
			taken = this.newest;
		};
		const onNotStarted = () => {
			if (taken) this.before.set(taken, former);
			this.takeBack(context, former);
			onTakenBack();
		};
		this.untaken += 1;
		// An n8n that never takes events in the way that we know would start the workflow at each poll.
		const mayWait = this.untaken <= MAX_UNTAKEN;
		if (!mayWait || !whenTaken(context, onTaken, onNotStarted)) this.store(context, value);
	}

	private takeBack(context: Context, former: Kept<T> | undefined): void {
		const newestMs = this.newest?.storedAtMs ?? 0;
		let last = former;
		// The start of the poll before may have failed, too.
		while (last && this.before.has(last)) last = this.before.get(last);
		this.newest = last;
		const workflow = savedWhole(context);
		// With durable cursors, n8n has saved the version only if it has started the workflow.
		if (!workflow) return;
		if (last) last.storedAtMs = Math.max(this.time.now(), newestMs + 1);
		this.write(workflow.staticData, this.slot, last);
	}

	/** Whether static data holds the newest version. */
	isKept(context: Context): boolean {
		const saved = this.readIn(context.getWorkflowStaticData('node'));
		return saved?.storedAtMs === this.newest?.storedAtMs;
	}

	/** Writes the version that counts into static data that another node saves. */
	writeInto(staticData: IDataObject): void {
		const { newest, slot = '' } = this;
		const savedAtMs = this.readIn(staticData[slot])?.storedAtMs ?? 0;
		if (newest && newest.storedAtMs > savedAtMs) this.write(staticData, this.slot, newest);
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
