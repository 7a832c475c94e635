import { PollContext, PollTriggerExecutor, Tracing, TriggersAndPollers } from 'n8n-core';
import {
	cronNodeOptions,
	ManualExecutionCancelledError,
	UnexpectedError,
	Workflow,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IPollFunctions,
	type IRun,
	type WorkflowActivateMode,
} from 'n8n-workflow';

import { processRuntime } from '../../../nodes/WorkspaceCrm/n8n/connect';
import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/systemClock';
import { isSameStored } from '../../../nodes/WorkspaceCrm/domain/sameText';
import { createRuntime, type Runtime } from '../../../nodes/WorkspaceCrm/crm/connection';
import { pollForChanges } from '../../../nodes/WorkspaceCrm/changes/changesPoll';
import { ProcessData } from '../../../nodes/WorkspaceCrm/n8n/staticData';
import { WorkspaceCrmChangesTrigger } from '../../../nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node';
import type { Sandbox } from '../../../tools/sandbox';
import { additionalData } from '../../../tools/engine/nodes';
import { AsyncLocalStorage, nextTurn } from '../../../tools/support/platform';

/** The rate limiter has tests of its own; here it would make the polls wait. */
export const unlimitedRuntime = (clock = systemClock) =>
	createRuntime(clock, { limit: 10_000, windowMs: 60_000 });

export interface PollHostOptions {
	parameters: INode['parameters'];
	runtime?: Runtime;
	/** Whether n8n keeps cursors in a table of their own, and commits them with the execution. */
	isDurable?: boolean;
	budgetMs?: number;
	/** Whether n8n is older than 2.36: it has no budget and no `__runPoll`, and never settles a promise. */
	isOlder?: boolean;
	/** Changes n8n's context before the node gets it, or gives the node another one. */
	alter?: (context: IPollFunctions) => IPollFunctions | void;
	/** The node's IDs and its name. */
	identity?: Partial<Identity>;
	/** A host whose process and database it shares. */
	besides?: PollHost;
	/** What n8n's database holds at first, as after an import. */
	staticData?: string;
}

export interface Identity {
	instanceId: string;
	workflowId: string;
	nodeId: string;
	nodeName: string;
}

const copy = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;

/** One for all hosts, as each slows down every promise of the worker until it is turned off. */
const cursors = new AsyncLocalStorage<{ cursor: IDataObject; staged: IDataObject }>();
afterAll(() => cursors.disable());

/** What n8n makes of an execution that it has stored: the promise of its end. */
export type Ending = 'success' | 'cancelled' | 'unknownToMain' | Promise<void>;

/**
 * The part of n8n 2.41 that surrounds a poll, with n8n-core's own context and executor. As there:
 * - Static data is loaded when the workflow is published, and lives with its pollers. It is saved as JSON once
 *   publishing is done, and when a poll of the workflow returns items: before there is an execution, not awaited.
 *   A poll that returns null saves nothing.
 * - All polls after one publishing share a context.
 * - A poll is discarded if its node was published again meanwhile. If the database cannot be written, neither
 *   static data nor an execution is stored, and n8n only logs it.
 * - With durable cursors, each poll has its own context and its own copy of the cursor; items and cursor are
 *   saved together, or neither is. The first poll saves its cursor only if it returns items.
 * - The `donePromise` of `__emit` settles at the end of the execution, or is rejected if there is none.
 */
export class PollHost {
	/** The items of each execution that was started. */
	readonly started: INodeExecutionData[][] = [];

	readonly errors: Error[] = [];

	readonly log: string[] = [];

	/** What is in n8n's database, for the whole workflow. */
	private readonly database: {
		stored: string;
		cursors: Map<string, IDataObject>;
		/** The nodes of the workflow. */
		hosts: PollHost[];
	};

	/** Called before the execution is stored; throws where n8n is killed. */
	onStart: () => void = () => {};

	/** Whether n8n's database cannot be written: at all, or only static data, or only executions. */
	isLocked: boolean | 'static data' | 'executions' = false;

	/** How the executions end that are started from now on. */
	ending: Ending = 'success';

	/** Whether n8n has stored no execution yet of what it has taken; `startNow` lets it. */
	isStartHeld = false;

	/** Whether n8n discards what polls return, as it does if the workflow is published meanwhile. */
	isDiscarding = false;

	/** Whether n8n takes events without calling `__emit` of the node's context. */
	isDeaf = false;

	/** The contexts that the node gets, by what n8n calls. */
	private readonly contexts = new WeakMap<IPollFunctions, IPollFunctions>();

	private held: Array<() => void> = [];

	private starts: Array<Promise<unknown>> = [];

	/** With the static data that the pollers of a publishing share. */
	private workflow?: Workflow;

	/** Counts publishings: polls of an earlier one are discarded. */
	private publication = 0;

	/** n8n reads it again at each poll. */
	private readonly credential = { authHeader: 'bearer' };

	/** What its process knows; hosts that are `besides` each other share it. */
	readonly process: { known: ProcessData };

	/** Changed by renaming, copying and importing. */
	identity: Identity;

	private execute?: (isFirst?: boolean) => Promise<void>;

	constructor(
		account: Pick<Sandbox, 'url' | 'apiKey'>,
		readonly options: PollHostOptions,
	) {
		this.useCredentialOf(account);
		const { besides, identity, staticData = '{}' } = options;
		this.database = besides?.database ?? { stored: staticData, cursors: new Map(), hosts: [] };
		this.database.hosts.push(this);
		this.process = besides?.process ?? { known: new ProcessData() };
		this.identity = {
			instanceId: 'instance-1',
			workflowId: 'workflow-1',
			nodeId: 'changes',
			nodeName: 'Changes',
			...identity,
		};
	}

	/** What n8n's database holds for the whole workflow. */
	get stored(): string {
		return this.database.stored;
	}

	set stored(staticData: string) {
		this.database.stored = staticData;
	}

	get events(): IDataObject[] {
		return this.started.flat().map(({ json }) => json);
	}

	/** Publishing, or a start of n8n; throws what the first poll throws. */
	async publish(activation: WorkflowActivateMode = 'activate'): Promise<void> {
		this.publication += 1;
		const workflow = (this.workflow = this.load());
		this.execute = this.executorOf(workflow, activation);
		await this.execute(true);
		await this.untilStarted();
		if (!this.options.isDurable) this.save(workflow);
	}

	/** Another poller of the workflow writes its static data, as most of n8n's own do at each poll. */
	pollAnother(nodeName: string, hasItems: boolean, writes = true): void {
		const { workflow } = this;
		if (!workflow) return;
		const own = workflow.getStaticData('node', { name: nodeName } as INode);
		if (writes) own.lastItemDate = Math.random();
		if (hasItems) this.save(workflow);
	}

	/** Lets n8n store executions that it was held from: all, or so many from this one on. */
	async startNow(count = Infinity, first = 0): Promise<void> {
		this.held.splice(first, count).forEach((start) => start());
		await nextTurn();
		if (this.held.length === 0) await this.untilStarted();
	}

	/** How many executions it is held from storing. */
	get heldCount(): number {
		return this.held.length;
	}

	private async untilStarted(): Promise<void> {
		while (!this.isStartHeld && this.starts.length > 0) await this.starts.shift();
		// What waits for the promise of the execution acts after it.
		await nextTurn();
	}

	/** Publishes this node together with the other, so that they share static data as loaded then. */
	async publishWith(other: PollHost): Promise<void> {
		this.publication += 1;
		other.publication += 1;
		const workflow = this.load();
		for (const host of [other, this]) {
			host.workflow = workflow;
			host.execute = host.executorOf(workflow, 'update');
			await host.execute(true);
			await host.untilStarted();
		}
		this.save(workflow);
	}

	/** A scheduled poll. */
	async poll(times = 1): Promise<void> {
		for (let index = 0; index < times; index += 1) {
			if (this.options.isDurable) this.execute = this.executorOf(this.load(), 'update');
			await this.execute?.();
			await this.untilStarted();
		}
	}

	/** Overdue polls of the durable scheduler: each reads its cursor before the previous one is done. */
	async pollOverdue(times: number): Promise<void> {
		const executors = Array.from({ length: times }, () => this.executorOf(this.load(), 'update'));
		for (const execute of executors) await execute();
		await this.untilStarted();
	}

	/** The process ends, and another one starts with what is in the database. */
	async restart(): Promise<void> {
		this.process.known = new ProcessData();
		[this.held, this.starts] = [[], []];
		(this.options.runtime ?? processRuntime).accounts.clear();
		// With the durable scheduler, a start registers no new job, and so does not poll.
		if (!this.options.isDurable) await this.publish('init');
	}

	/** The user puts another base URL and another key into the credential. */
	useCredentialOf({ url: baseUrl, apiKey }: Pick<Sandbox, 'url' | 'apiKey'>): void {
		Object.assign(this.credential, { baseUrl, apiKey });
	}

	/** The user takes the node out of the workflow. */
	delete(): void {
		this.database.hosts.splice(this.database.hosts.indexOf(this), 1);
	}

	/** "Execute step" in the editor. */
	async test(): Promise<INodeExecutionData[] | undefined> {
		const workflow = this.load();
		workflow.setTestStaticData({});
		const node = this.nodeOf(workflow);
		const context = new PollContext(workflow, node, this.additional(), 'manual', 'manual');
		const output = await this.type().poll?.call(context);
		return output?.[0];
	}

	private executorOf(workflow: Workflow, activation: WorkflowActivateMode) {
		const { isDurable, budgetMs } = this.options;
		const node = this.nodeOf(workflow);
		const { database, identity } = this;
		// By IDs (`resolveCursor` in n8n/workflows/triggers/poll-cursor.service, seen in 2.41).
		const cursorKey = `${identity.workflowId} ${identity.nodeId}`;
		const runPoll = async <T>(poll: () => Promise<T>) => {
			const cursor = database.cursors.get(cursorKey) ?? workflow.getStaticData('node', node);
			return await cursors.run({ cursor: copy(cursor), staged: copy(cursor) }, poll);
		};
		const takeStaged = () => {
			const store = cursors.getStore();
			// n8n does not commit an unchanged cursor.
			if (!store || isSameStored(store.staged, store.cursor)) return undefined;
			return (store.cursor = copy(store.staged));
		};
		const commit = (staged?: IDataObject) => {
			if (!staged || this.isLocked === true || this.isLocked === 'executions') return;
			database.cursors.set(cursorKey, staged);
			database.stored = JSON.stringify({ [`node:${node.name}`]: staged });
		};
		const ownStaticData = () => {
			const store = cursors.getStore();
			if (!store) throw new Error('__runPoll was not entered');
			return store.staged;
		};
		const emit: IPollFunctions['__emit'] = (data, _response, donePromise) => {
			const staged = isDurable ? takeStaged() : undefined;
			if (!isDurable) this.save(workflow);
			const start = this.start(data, () => commit(staged));
			this.starts.push(start.catch(() => {}));
			if (!donePromise) return;
			// As an unhandled rejection.
			if (this.options.isOlder) throw new Error('No older n8n settles this promise');
			const end = start.then(async (hasStarted) =>
				hasStarted ? await this.endOf() : await new Promise<never>(() => {}),
			);
			void end.then(donePromise.resolve, donePromise.reject);
		};
		const context = new PollContext(
			workflow,
			node,
			this.additional(),
			'trigger',
			activation,
			emit,
			(error) => void this.errors.push(error),
			async () => await Promise.resolve(isDurable && commit(takeStaged())).then(() => {}),
			isDurable ? runPoll : undefined,
			isDurable ? ownStaticData : undefined,
			budgetMs === undefined ? undefined : () => budgetMs,
		);
		if (this.options.isOlder) {
			Object.assign(context, { __runPoll: undefined, getPollBudgetMs: undefined });
		}
		const forNode = this.options.alter?.(context) ?? context;
		const forN8n = new Proxy(context, {
			get: (target, name) =>
				name === '__emit' && this.isDeaf ? emit : (Reflect.get(target, name, target) as unknown),
		});
		this.contexts.set(forN8n, forNode);
		const { instanceId } = this.identity;
		context.getInstanceId = () => instanceId;
		const note = (text: string) => void this.log.push(text);
		Object.assign(context.logger, { info: note, warn: note });
		const logger = { scoped: () => logger, debug: () => {}, error: note };
		const reporter = { error: (error: Error) => void this.errors.push(error) };
		const executor = new PollTriggerExecutor(
			logger as never,
			new TriggersAndPollers(),
			new Tracing(),
			reporter as never,
		);
		const { publication } = this;
		// n8n asks before a poll, which it then skips, and after it.
		let isAfterPoll = false;
		const isCurrent = () => {
			const isDiscarded = this.isDiscarding && isAfterPoll;
			isAfterPoll = true;
			return !isDiscarded && (isDurable === true || this.publication === publication);
		};
		const execute = executor.create(workflow, node, forN8n, isCurrent);
		return async (isTest?: boolean) => {
			isAfterPoll = false;
			await execute(isTest);
		};
	}

	/** Stores an execution. Returns false if n8n is killed before. */
	private async start(data: INodeExecutionData[][], commit: () => void): Promise<boolean> {
		// n8n first reads the workflow.
		await nextTurn();
		if (this.isStartHeld) await new Promise<void>((resolve) => this.held.push(resolve));
		try {
			this.onStart();
		} catch {
			return false;
		}
		if (this.isLocked === true || this.isLocked === 'executions') throw new Error('SQLITE_BUSY');
		commit();
		// Copied as JSON, as n8n stores the data of an execution.
		this.started.push(copy(data[0]));
		return true;
	}

	/** The end of an execution that has started. */
	private async endOf(): Promise<IRun> {
		const { ending } = this;
		if (ending === 'cancelled') throw new ManualExecutionCancelledError('1');
		// As in queue mode, after a restart of n8n, and in Engine 2.0.
		if (ending === 'unknownToMain') {
			throw new UnexpectedError('No active execution found', { extra: { executionId: '1' } });
		}
		await ending;
		return {} as IRun;
	}

	private load(): Workflow {
		const type = this.type();
		return new Workflow({
			id: this.identity.workflowId,
			nodes: this.database.hosts.map(({ identity, options }) => ({
				id: identity.nodeId,
				name: identity.nodeName,
				type: 'n8n-nodes-workspace-crm.workspaceCrmChangesTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {
					pollTimes: { item: [{ mode: 'everyMinute' }] },
					...options.parameters,
				},
				credentials: { workspaceCrmApi: { id: '1', name: 'CRM' } },
			})),
			connections: {},
			active: true,
			nodeTypes: {
				getByName: () => type,
				getByNameAndVersion: () => type,
				getKnownTypes: () => ({}),
			},
			staticData: JSON.parse(this.stored) as IDataObject,
		});
	}

	private nodeOf(workflow: Workflow): INode {
		return workflow.nodes[this.identity.nodeName];
	}

	private save(workflow: Workflow): void {
		if (workflow.staticData.__dataChanged !== true) return;
		if (this.isLocked === true || this.isLocked === 'static data') return;
		this.database.stored = JSON.stringify(workflow.staticData);
		workflow.staticData.__dataChanged = false;
	}

	/** The node as n8n's loader has it, with its Poll Times. */
	private type(): INodeType {
		const type = new WorkspaceCrmChangesTrigger();
		type.description.properties.unshift({
			displayName: 'Poll Times',
			name: 'pollTimes',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			default: { item: [{ mode: 'everyMinute' }] },
			options: cronNodeOptions,
		});
		const { runtime } = this.options;
		const { known } = this.process;
		const { contexts } = this;
		type.poll = async function (this: IPollFunctions) {
			return await pollForChanges(contexts.get(this) ?? this, runtime, known);
		};
		return type;
	}

	private additional() {
		return additionalData({ credential: this.credential });
	}
}
