/**
 * How a node stores something in n8n's static data. Two do: the trigger its subscriptions (`OwnSubscription` in
 * `events/triggerData.ts`), the Changes Trigger its last list (`Baseline` in `changes/changesPoll.ts`). A test of
 * the trigger also holds its URL there, while it lasts (`markTestRun`).
 */
import type {
	IDataObject,
	IHookFunctions,
	IPollFunctions,
	IWebhookFunctions,
	Workflow,
} from 'n8n-workflow';

import { isJsonObject } from '../domain/plainData';
import { InputProblem } from '../domain/inputProblem';
import { isTestRun } from './webhook';

type NodeContext = IHookFunctions | IPollFunctions | IWebhookFunctions;

/** A version of a `type` (IDataObject accepts no interface). Its time is later than in the version before. */
export type Kept<T> = T & { storedAtMs: number };

type Time = Record<'now', () => number>;

/**
 * What one node keeps: in the static data of its workflow, which survives a restart, and in this process.
 * n8n loads static data for each publishing, run and poller, and saves all of it, often much later. So a save
 * can restore an older version, and the newest of both counts.
 */
export class NodeData<T extends IDataObject = IDataObject> {
	/** The node's key in static data; undefined once another node has its name. */
	slot?: string;

	/** The newest version in memory: the same object until another one counts. */
	newest?: Kept<T>;

	private readonly warnings = new Set<string>();

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
	load(context: NodeContext, isOurs?: (kept: Kept<T>) => boolean): Kept<T> | undefined {
		const own = ownStaticData(context);
		const others = isOurs ? Object.values(savedWhole(context)?.staticData ?? {}) : [];
		const [found] = [this.newest, ...[own, ...others].map((data) => this.readIn(data))]
			.filter((kept) => kept !== undefined && (isOurs?.(kept) ?? true))
			.sort((a, b) => (b?.storedAtMs ?? 0) - (a?.storedAtMs ?? 0));
		// A copy, as others may change static data.
		if (found && found !== this.newest) this.newest = { ...found };
		return found;
	}

	/** Stores a version: in memory, and in the static data that n8n saves next. */
	store(context: NodeContext, value: T): void {
		const saved = this.readIn(ownStaticData(context));
		const savedAtMs = saved?.storedAtMs ?? 0;
		const isSame = saved && Object.keys(value).every((name) => saved[name] === value[name]);
		const isNewest = savedAtMs >= (this.newest?.storedAtMs ?? 0);
		// With durable cursors, n8n commits what has changed after each poll.
		const stored = isSame && isNewest ? saved : this.hold(value, savedAtMs);
		const workflow = savedWhole(context);
		if (workflow) refresh(workflow, this.siblings);
		else if (stored !== saved) set(ownStaticData(context), this.part, { ...stored });
		const kept = workflow ? workflow.staticData[this.slot ?? ''] : ownStaticData(context);
		const isKept = this.readIn(kept)?.storedAtMs === stored.storedAtMs;
		if (!isKept && this.slot !== undefined) this.warnOnce(context, NOT_KEPT);
	}

	/** Holds a version back: it counts in this process, and n8n does not save it by itself. */
	hold(value: T, savedAtMs = 0): Kept<T> {
		const earlierMs = Math.max(savedAtMs, this.newest?.storedAtMs ?? 0);
		this.newest = { ...value, storedAtMs: Math.max(this.time.now(), earlierMs + 1) };
		return this.newest;
	}

	/** Writes the newest version into static data that another node saves. */
	writeInto(staticData: IDataObject): void {
		const { newest, slot } = this;
		if (!newest || slot === undefined) return;
		const savedAtMs = this.readIn(staticData[slot])?.storedAtMs ?? 0;
		// At the top of static data, where n8n notices a change.
		if (newest.storedAtMs > savedAtMs) set(staticData, slot, { [this.part]: { ...newest } });
	}

	readIn(data: unknown): Kept<T> | undefined {
		const kept = isJsonObject(data) ? data[this.part] : undefined;
		const isKept = isJsonObject(kept) && Number.isSafeInteger(kept.storedAtMs);
		return isKept ? (kept as Kept<T>) : undefined;
	}

	/** Writes a line to n8n's log, the first time. */
	warnOnce(context: NodeContext, text: string): void {
		if (!this.warnings.has(text)) context.logger.warn(`${context.getNode().name}: ${text}`);
		this.warnings.add(text);
	}
}

/** Frozen objects stay as they are. */
function set(data: IDataObject, name: string, value: IDataObject): void {
	Reflect.set(data, name, value);
}

const NOT_KEPT =
	'this version of n8n does not keep what the node stores. After a restart of n8n, what happened since the last one is missing.';

/** The data of a workflow's nodes, by the nodes' IDs. */
export type Siblings = Map<string, NodeData>;

/** What this process knows, by the IDs of workflows. */
export class ProcessData extends Map<string, Siblings> {
	/** The data of a node. A test run has static data of its own, so it gets data of its own. */
	of<D extends NodeData, T extends Time>(
		context: NodeContext,
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
		if (isLeft) Reflect.deleteProperty(staticData, slot);
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
function savedWhole(context: NodeContext): Workflow | undefined {
	// n8n does not promise that its contexts show the workflow.
	const { workflow } = context as { workflow?: Partial<Workflow> };
	if (!workflow?.staticData || !workflow.nodes) return undefined;
	const own = workflow.staticData[staticDataKey(context.getNode().name)];
	return own && own === ownStaticData(context) ? (workflow as Workflow) : undefined;
}

/** n8n refuses the static data of a node outside of `__runPoll` (same file, seen in 2.41). */
function ownStaticData(context: NodeContext): IDataObject {
	try {
		return context.getWorkflowStaticData('node');
	} catch {
		return {};
	}
}

const MAX_ID_CHARACTERS = 21;

/**
 * n8n silently stores no static data for workflows with longer IDs (`isWorkflowIdValid` in n8n/utils,
 * seen in 2.41).
 *
 * @throws InputProblem if n8n would not store the data of a published trigger
 */
export function assertKept(context: IHookFunctions | IPollFunctions): void {
	const { id = '' } = context.getWorkflow();
	if (context.getMode() === 'manual' || id.length <= MAX_ID_CHARACTERS) return;
	throw new InputProblem(
		`The ID of this workflow has ${id.length} characters, and n8n stores no data for workflows with more than ${MAX_ID_CHARACTERS}`,
		'Copy all nodes into a new workflow, and publish that one. n8n gives it a shorter ID.',
	);
}
