import { PollContext, PollTriggerExecutor, Tracing, TriggersAndPollers } from 'n8n-core';
import {
	cronNodeOptions,
	Workflow,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IPollFunctions,
	type WorkflowActivateMode,
} from 'n8n-workflow';

import { isSameJson } from '../../nodes/WorkspaceCrm/domain/json';
import {
	createRuntime,
	processRuntime,
	type Runtime,
} from '../../nodes/WorkspaceCrm/api/connection';
import { pollForChanges } from '../../nodes/WorkspaceCrm/changes/changesPoll';
import { systemClock } from '../../nodes/WorkspaceCrm/api/clock';
import { ProcessData } from '../../nodes/WorkspaceCrm/n8n/nodeData';
import { WorkspaceCrmChangesTrigger } from '../../nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node';
import type { Sandbox } from '../../tools/sandbox';
import { additionalData } from '../../tools/engine/nodes';

/** The rate limiter has tests of its own; here it would make the polls wait. */
export const unlimitedRuntime = (clock = systemClock) =>
	createRuntime(clock, { limit: 10_000, windowMs: 60_000 });

export interface PollHostOptions {
	parameters: INode['parameters'];
	runtime?: Runtime;
	/** Whether n8n keeps cursors in a table of their own, and commits them with the execution. */
	isDurable?: boolean;
	budgetMs?: number;
	/** The node's IDs and its name. */
	identity?: Partial<Identity>;
	/** A host whose process and database it shares. */
	besides?: PollHost;
	/** Whether n8n is older than 2.36: it does not tell whether it could start the workflow. */
	isOlder?: boolean;
	/** What n8n's database holds at first, as after an import. */
	staticData?: string;
}

export interface Identity {
	instanceId: string;
	workflowId: string;
	nodeId: string;
	nodeName: string;
}

/**
 * The part of n8n 2.41 that surrounds a poll, with n8n-core's own context and executor. As there:
 * - Static data is loaded when the workflow is published, and lives with its poller. It is saved as JSON once
 *   publishing is done, and when a poll returns items: before there is an execution, not awaited. A poll that
 *   returns null saves nothing.
 * - All polls after one publishing share a context.
 * - A poll is discarded if its node was published again meanwhile. If the database cannot be written, neither
 *   static data nor an execution is stored: n8n logs it, and rejects the promise that it was given.
 * - With durable cursors, each poll has its own context and its own copy of the cursor; items and cursor are
 *   saved together, or neither is. The first poll saves its cursor only if it returns items.
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

	/** Changes what n8n gives the node. */
	prepare: (context: PollContext) => void = () => {};

	/** Reading the credential waits for it. */
	beforeCredential: () => Promise<void> = async () => {};

	/** Called once the execution is stored; throws where it is cancelled. */
	afterStart: () => void = () => {};

	/** Called when n8n takes events; the start waits for it. */
	beforeStart: () => Promise<void> = async () => {};

	/** Whether n8n's database cannot be written. */
	isLocked = false;

	/** Counts publishings: polls of an earlier one are discarded. */
	private publication = 0;

	/** n8n reads it again at each poll. */
	private readonly credential = { authHeader: 'bearer' };

	/** What its process knows; hosts that are `besides` each other share it. */
	readonly process: { known: ProcessData };

	/** Changed by renaming, copying and importing. */
	identity: Identity;

	private execute?: (isFirst?: boolean) => Promise<void>;

	/** What all pollers of the workflow share since it was published. */
	private workflow?: Workflow;

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
		const workflow = this.load();
		this.execute = this.executorOf(workflow, activation);
		await this.execute(true);
		if (!this.options.isDurable) this.save(workflow);
	}

	/** Publishes this node together with the other, so that they share static data as loaded then. */
	async publishWith(other: PollHost): Promise<void> {
		this.publication += 1;
		other.publication += 1;
		const workflow = this.load();
		for (const host of [other, this]) {
			host.execute = host.executorOf(workflow, 'update');
			await host.execute(true);
		}
		this.save(workflow);
	}

	/** A scheduled poll. */
	async poll(times = 1): Promise<void> {
		for (let index = 0; index < times; index += 1) {
			if (this.options.isDurable) this.execute = this.executorOf(this.load(), 'update');
			await this.execute?.();
		}
	}

	/**
	 * A poll of another node of the workflow, such as n8n's RSS Feed Trigger: it stores something, and n8n saves
	 * static data if it returns items.
	 */
	pollOther(hasItems: boolean): void {
		if (!this.workflow) return;
		this.otherPolls += 1;
		const other = { ...this.nodeOf(this.workflow), name: 'RSS' };
		this.workflow.getStaticData('node', other).lastItemDate = this.otherPolls;
		if (hasItems && !this.isLocked) this.save(this.workflow);
	}

	private otherPolls = 0;

	/** Overdue polls of the durable scheduler: each reads its cursor before the previous one is done. */
	async pollOverdue(times: number): Promise<void> {
		const executors = Array.from({ length: times }, () => this.executorOf(this.load(), 'update'));
		for (const execute of executors) await execute();
	}

	/** The process ends, and another one starts with what is in the database. */
	async restart(): Promise<void> {
		this.process.known = new ProcessData();
		(this.options.runtime ?? processRuntime).workspaces.clear();
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
		this.workflow = workflow;
		const node = this.nodeOf(workflow);
		const { database, identity } = this;
		// By IDs (`resolveCursor` in n8n/workflows/triggers/poll-cursor.service, seen in 2.41).
		const cursorKey = `${identity.workflowId} ${identity.nodeId}`;
		const saved = isDurable ? database.cursors.get(cursorKey) : undefined;
		const cursor = saved ?? workflow.getStaticData('node', node);
		const staged = JSON.parse(JSON.stringify(cursor)) as IDataObject;
		const save = () => {
			if (this.isLocked) return;
			if (!isDurable) return this.save(workflow);
			// n8n does not commit an unchanged cursor
			if (isSameJson(staged, cursor)) return;
			database.cursors.set(cursorKey, JSON.parse(JSON.stringify(staged)) as IDataObject);
			database.stored = JSON.stringify({ [`node:${node.name}`]: staged });
		};
		const emit: IPollFunctions['__emit'] = (data, _response, done) => {
			if (!isDurable) save();
			const start = async () => {
				await this.beforeStart();
				this.onStart();
				if (this.isLocked) throw new Error('database is locked');
				if (isDurable) save();
				// Copied as JSON, as n8n stores the data of an execution.
				this.started.push(JSON.parse(JSON.stringify(data[0])) as INodeExecutionData[]);
				this.afterStart();
			};
			// It resolves when the execution ends, which may take hours.
			void start().catch((error: Error) => done?.reject(error));
		};
		const context = new PollContext(
			workflow,
			node,
			this.additional(),
			'trigger',
			activation,
			emit,
			(error) => void this.errors.push(error),
			async () => await Promise.resolve(isDurable && save()).then(() => {}),
			async (poll) => await poll(),
			isDurable ? () => staged : undefined,
			budgetMs === undefined ? undefined : () => budgetMs,
		);
		const getCredentials = context.getCredentials.bind(context);
		context.getCredentials = async (type) => {
			await this.beforeCredential();
			return await getCredentials(type);
		};
		if (this.options.isOlder) Object.assign(context, { __runPoll: undefined });
		this.prepare(context);
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
		const isCurrent = () => isDurable === true || this.publication === publication;
		return executor.create(workflow, node, context, isCurrent);
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
		type.poll = async function (this: IPollFunctions) {
			return await pollForChanges(this, runtime, known);
		};
		return type;
	}

	private additional() {
		return additionalData({ credential: this.credential });
	}
}
