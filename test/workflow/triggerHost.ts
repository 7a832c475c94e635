import express from 'express';
import getRawBody from 'raw-body';
import { HookContext, WebhookContext } from 'n8n-core';
import {
	Workflow,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type IWebhookData,
} from 'n8n-workflow';

import { systemClock } from '../../nodes/WorkspaceCrm/n8n/systemClock';
import { createRuntime, type Runtime } from '../../nodes/WorkspaceCrm/crm/connection';
import type { Clock } from '../../nodes/WorkspaceCrm/crm/clock';
import { ProcessData } from '../../nodes/WorkspaceCrm/n8n/staticData';
import { receiveDelivery } from '../../nodes/WorkspaceCrm/events/delivery';
import { subscribe, unsubscribe } from '../../nodes/WorkspaceCrm/events/publish';
import { WorkspaceCrmTrigger } from '../../nodes/WorkspaceCrm/WorkspaceCrmTrigger.node';
import type { Sandbox } from '../../tools/sandbox';
import { delay, once, zlib, type http } from '../../tools/support/platform';
import { additionalData } from '../../tools/engine/nodes';
import type { PassingClock } from './support';

export const PUBLIC_ORIGIN = 'https://n8n.example.com';

export interface TriggerHostOptions {
	parameters: INode['parameters'];
	/** What n8n believes its public address to be. */
	publicOrigin?: string;
	workflowId?: string;
	clock?: Clock & Partial<PassingClock>;
	credential?: IDataObject;
	/** How the node is called; n8n keeps static data by its name. */
	nodeName?: string;
	/** Another id is another node. */
	nodeId?: string;
	/** Which n8n it is. */
	instanceId?: string;
	/** How often n8n tries to register a trigger; 5 in n8n, which waits 1, 2, 4 and 8 s in between. */
	attempts?: number;
	/** Whether n8n says elsewhere than today that it ends a test. */
	hidesTests?: boolean;
	/** The most bytes of a body that n8n reads. */
	maxBodyBytes?: number;
	/** Answers requests in place of n8n's HTTP helper. */
	answer?: (options: IHttpRequestOptions) => Promise<unknown>;
	/** Gives the node another context than n8n's. */
	alter?: <Context extends object>(context: Context) => Context;
}

/** A part of n8n that loads static data now, and saves all of it later. */
export interface Writer {
	/** The whole static data of the workflow, as it was loaded. */
	staticData: IDataObject;
	save(): void;
}

/** Without a request for so long, nothing goes on. */
const QUIET_MS = 30;

/**
 * The part of n8n 2.41 that surrounds a trigger: publishing, test listening, and HTTP deliveries, with
 * n8n-core's own contexts. As there:
 * - Static data is loaded for each delivery and each publishing, and saved whole later: once the execution has
 *   been started and before the answer, or when the publishing is over.
 * - Publishing calls the node only if it has changed since it was registered, and a start never does.
 * - A start may take any time, also after the sender has hung up, and may fail.
 * - Bodies that n8n does not parse are read by the node, and may be unreadable.
 * - An error that the node throws starts a failed execution.
 */
export class TriggerHost {
	/** The output of each execution that was started. */
	readonly started: INodeExecutionData[][] = [];

	/** How many deliveries n8n has answered. */
	settled = 0;

	/** The errors of executions that n8n started because the node threw. */
	readonly failedExecutions: unknown[] = [];

	readonly log: string[] = [];

	/** What is stored with the workflow; a test run has its own. */
	stored: Record<'webhook' | 'manual', string> = { webhook: '{}', manual: '{}' };

	/** Called for each execution that is to be started; may take a while, or throw. */
	onStart: () => Promise<void> | void = () => {};

	/** Requests are held until so many have arrived, and then all continue at the same moment. */
	holdUntil = 1;

	private held: Array<() => void> = [];

	/** What the process knows. */
	known = new ProcessData();

	/** The node as it was registered last; undefined while the workflow is not published. */
	private registered?: string;

	/** Whether the published node could not be registered. */
	private hasFailed = false;

	/** Whether the publishing replaces a published version. */
	private isReplaced = false;

	private runtime: Runtime;

	private server?: http.Server;

	constructor(
		private readonly sandbox: Sandbox,
		readonly options: TriggerHostOptions,
	) {
		this.runtime = createRuntime(this.clock);
	}

	private get clock(): Clock {
		return this.options.clock ?? systemClock;
	}

	/** Starts to listen. Returns the local origin. */
	async listen(): Promise<string> {
		const app = express();
		app.post('/:mode/*path', async (request, response) => {
			const mode = request.params.mode === 'webhook-test' ? 'manual' : 'webhook';
			request.readRawBody = async () => {
				request.rawBody ??= await readBody(request, this.options.maxBodyBytes ?? 16_000_000);
			};
			try {
				if (request.headers['content-type']?.startsWith('multipart/form-data')) {
					await once(request.resume(), 'end');
				}
				if (isParsable(request)) await request.readRawBody();
			} catch (error) {
				response.status(400).json({ message: String(error) });
				return;
			}
			await this.hold();
			await this.deliver(mode, request, response);
		});
		this.server = app.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
		const { port } = this.server.address() as { port: number };
		return `http://127.0.0.1:${port}`;
	}

	private async hold(): Promise<void> {
		const released = new Promise<void>((release) => this.held.push(release));
		if (this.held.length >= this.holdUntil) for (const release of this.held.splice(0)) release();
		await released;
	}

	close(): void {
		this.server?.closeAllConnections();
		this.server?.close();
	}

	/** A new start of n8n's process: what was only in memory is gone. */
	restart(): void {
		this.options.clock?.kill?.();
		this.known = new ProcessData();
		this.runtime = createRuntime(this.clock);
	}

	/** A new n8n without this workflow's data. */
	forget(): void {
		this.restart();
		this.stored = { webhook: '{}', manual: '{}' };
		this.registered = undefined;
	}

	url(isTest = false): string | undefined {
		return this.hookContext(
			this.loadWorkflow(isTest ? 'manual' : 'webhook'),
			isTest,
		).getNodeWebhookUrl('default');
	}

	/** "Publish", or "Listen for test event". */
	async publish(isTest = false): Promise<void> {
		if (isTest) {
			// Begins with empty static data.
			this.stored.manual = '{}';
			await this.register(true);
			return;
		}
		const { parameters, nodeName } = this.options;
		const node = JSON.stringify([nodeName, parameters]);
		if (this.registered === node && !this.hasFailed) return;
		this.isReplaced = this.registered !== undefined;
		if (this.isReplaced && this.registered !== node) await this.deregister(false);
		// From here on, n8n takes this version for the published one, even if it cannot register the trigger.
		this.registered = node;
		this.hasFailed = true;
		await this.register(false);
		this.hasFailed = false;
	}

	/** Publishes a changed node: n8n unregisters it as it was, and registers it as it is now. */
	async change(change: () => void, host: TriggerHost = this): Promise<void> {
		await this.deregister(false);
		change();
		host.isReplaced = true;
		await host.register(false);
	}

	/** Unpublishes, and lets time pass, by default until the subscription is deleted. */
	async unpublish(isTest = false, passMs = 20_000): Promise<void> {
		await this.deregister(isTest);
		if (!isTest) this.registered = undefined;
		if (passMs > 0) await this.pass(passMs);
	}

	/** Lets time pass, and what is due then go on until the service gets no more requests. */
	async pass(ms: number): Promise<void> {
		await this.options.clock?.pass?.(ms);
		for (let quiet = 0; quiet < 3; quiet += 1) {
			const before = this.sandbox.requests.length + this.log.length;
			const sinceMs = performance.now();
			await delay(QUIET_MS);
			// A busy machine may not have come to send the next request.
			const isBusy = performance.now() - sinceMs > 1.5 * QUIET_MS;
			if (isBusy || this.sandbox.requests.length + this.log.length > before) quiet = -1;
		}
	}

	/** What an n8n without its publication service does at its start for each published workflow. */
	async startAsOlderVersion(): Promise<void> {
		this.restart();
		const workflow = this.loadWorkflow('webhook');
		const failure = await this.failureOf(workflow, false);
		// It then removes what it takes for half registered.
		if (failure) await this.callUnsubscribe(workflow, false);
		if (workflow.staticData.__dataChanged) this.save('webhook', workflow);
		if (failure) await Promise.reject(failure);
	}

	/** Writes like a poller of the same workflow, or like a Code node that changes static data. */
	openWriter(): Writer {
		const staticData = JSON.parse(this.stored.webhook) as IDataObject;
		return { staticData, save: () => (this.stored.webhook = JSON.stringify(staticData)) };
	}

	private async register(isTest: boolean): Promise<void> {
		const mode = isTest ? 'manual' : 'webhook';
		const workflow = this.loadWorkflow(mode);
		// n8n asks for this address before it does anything else.
		this.nodeNameAtRegistration = this.node(workflow).name;
		const attempts = isTest ? 1 : (this.options.attempts ?? 5);
		let failure: Error | undefined;
		for (let attempt = 1; attempt <= attempts; attempt += 1) {
			failure = await this.failureOf(workflow, isTest);
			if (!failure) break;
			await this.callUnsubscribe(workflow, isTest);
			if (attempt < attempts) await this.clock.sleep(1_000 * 2 ** (attempt - 1));
		}
		if (workflow.staticData.__dataChanged) this.save(mode, workflow);
		if (failure) await Promise.reject(failure);
	}

	private async failureOf(workflow: Workflow, isTest: boolean): Promise<Error | undefined> {
		const context = this.hookContext(workflow, isTest);
		return await subscribe(context, this.runtime, this.known).then(
			() => undefined,
			(error: Error) => error,
		);
	}

	private async deregister(isTest: boolean): Promise<void> {
		const mode = isTest ? 'manual' : 'webhook';
		// n8n does this with the node as it was registered.
		const nodeName = isTest ? undefined : this.nodeNameAtRegistration;
		const workflow = this.loadWorkflow(mode, nodeName);
		await this.callUnsubscribe(workflow, isTest);
		if (workflow.staticData.__dataChanged) this.save(mode, workflow);
	}

	private nodeNameAtRegistration?: string;

	private async callUnsubscribe(workflow: Workflow, isTest: boolean): Promise<void> {
		const context = this.hookContext(workflow, isTest, 'delete');
		await unsubscribe(context, this.runtime, this.known);
	}

	private async deliver(
		mode: 'webhook' | 'manual',
		request: express.Request,
		response: express.Response,
	): Promise<void> {
		const loaded = JSON.parse(this.stored[mode]) as IDataObject;
		const workflow = this.workflowOn(mode, loaded);
		const context = new WebhookContext(
			workflow,
			this.node(workflow),
			{ ...this.additional(), httpRequest: request, httpResponse: response },
			mode,
			this.webhookData(workflow, mode === 'manual'),
			[],
			null,
		);
		this.prepare(context);
		let hasReturned = false;
		try {
			const { alter = (same) => same } = this.options;
			const result = await receiveDelivery(alter(context), this.known, this.runtime.clock);
			hasReturned = true;
			if (result.workflowData) {
				await this.onStart();
				// For the execution, n8n makes a workflow from the same object, which resets its flag for changes.
				this.workflowOn(mode, loaded);
				this.started.push(result.workflowData[0]);
			}
			// As n8n does: saves only what is flagged as changed.
			if (workflow.staticData.__dataChanged) this.save(mode, workflow);
			if (!result.noWebhookResponse) response.json(result.webhookResponse ?? {});
		} catch (error) {
			if (!hasReturned) this.failedExecutions.push(error);
			response.status(500).json({ message: String(error) });
		}
		this.settled += 1;
	}

	private hookContext(
		workflow: Workflow,
		isTest: boolean,
		step: 'create' | 'delete' = 'create',
	): HookContext {
		const activation = this.isReplaced ? 'update' : 'activate';
		// When n8n deletes a webhook, the mode does not show whether it belongs to a test.
		const mode = step === 'delete' ? 'internal' : isTest ? 'manual' : 'trigger';
		const context = new HookContext(
			workflow,
			this.node(workflow),
			this.additional(),
			mode,
			step === 'delete' ? 'update' : isTest ? 'manual' : activation,
			this.webhookData(workflow, isTest),
		);
		this.prepare(context);
		if (this.options.alter) return this.options.alter(context);
		if (!this.options.hidesTests) return context;
		// n8n itself still knows its own data.
		return Object.create(context, {
			webhookData: { value: undefined },
			getNodeWebhookUrl: { value: (name: string) => context.getNodeWebhookUrl(name as never) },
		}) as HookContext;
	}

	private loadWorkflow(mode: 'webhook' | 'manual', nodeName?: string): Workflow {
		return this.workflowOn(mode, JSON.parse(this.stored[mode]) as IDataObject, nodeName);
	}

	private workflowOn(
		mode: 'webhook' | 'manual',
		staticData: IDataObject,
		nodeName = this.options.nodeName ?? 'Trigger',
	): Workflow {
		const type = new WorkspaceCrmTrigger();
		return new Workflow({
			id: this.options.workflowId ?? 'workflow-1',
			nodes: [
				{
					id: this.options.nodeId ?? 'trigger',
					name: nodeName,
					type: 'n8n-nodes-workspace-crm.workspaceCrmTrigger',
					typeVersion: Number(type.description.version),
					position: [0, 0],
					webhookId: this.options.nodeId ?? '0b1d7b52-9f0e-4a57-9f5c-0f4f2f3d8a11',
					parameters: this.options.parameters,
					credentials: { workspaceCrmApi: { id: '1', name: 'CRM' } },
				},
			],
			connections: {},
			active: mode === 'webhook',
			nodeTypes: {
				getByName: () => type,
				getByNameAndVersion: () => type,
				getKnownTypes: () => ({}),
			},
			staticData,
		});
	}

	private save(mode: 'webhook' | 'manual', workflow: Workflow): void {
		this.stored[mode] = JSON.stringify(workflow.staticData);
	}

	private node(workflow: Workflow): INode {
		return Object.values(workflow.nodes)[0];
	}

	private webhookData(workflow: Workflow, isTest: boolean): IWebhookData {
		const node = this.node(workflow);
		const [webhookDescription] = new WorkspaceCrmTrigger().description.webhooks ?? [];
		return {
			httpMethod: 'POST',
			node: node.name,
			path: `${node.webhookId}/webhook`,
			webhookDescription,
			workflowId: workflow.id,
			workflowExecuteAdditionalData: this.additional(),
			isTest,
		};
	}

	private additional() {
		const origin = this.options.publicOrigin ?? PUBLIC_ORIGIN;
		const { url: baseUrl, apiKey } = this.sandbox;
		const credential = { baseUrl, apiKey, authHeader: 'bearer', ...this.options.credential };
		return {
			...additionalData({ credential: credential as never }),
			webhookBaseUrl: `${origin}/webhook`,
			webhookTestBaseUrl: `${origin}/webhook-test`,
		};
	}

	private prepare(context: HookContext | WebhookContext): void {
		const { answer } = this.options;
		if (answer) {
			context.helpers.httpRequestWithAuthentication = async (_, options) => await answer(options);
		}
		context.getInstanceId = () => this.options.instanceId ?? 'instance-1';
		context.logger.warn = (text: string) => {
			this.log.push(text);
		};
	}
}

/** As n8n does: unpacks gzip and deflate, even if the result is useless, and stops at the limit. */
async function readBody(request: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
	const encoding = request.headers['content-encoding'];
	const unpacked =
		encoding === 'gzip'
			? request.pipe(zlib.createGunzip())
			: encoding === 'deflate'
				? request.pipe(zlib.createInflate())
				: request;
	return await getRawBody(unpacked, { limit: maxBytes });
}

/** n8n leaves bodies that it cannot parse to the node, but has used up the stream of a form. */
function isParsable({ headers }: http.IncomingMessage): boolean {
	return /^(application\/(json|x-www-form-urlencoded)|text\/plain)|[/+]xml$/.test(
		headers['content-type'] ?? '',
	);
}
