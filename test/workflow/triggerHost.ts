import express from 'express';
import { HookContext, WebhookContext } from 'n8n-core';
import {
	Workflow,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type IWebhookData,
} from 'n8n-workflow';

import { createRuntime, type Runtime } from '../../nodes/WorkspaceCrm/api/runtime';
import { systemClock, type Clock } from '../../nodes/WorkspaceCrm/api/clock';
import { receiveDelivery } from '../../nodes/WorkspaceCrm/trigger/delivery';
import type { DeliveryMemory } from '../../nodes/WorkspaceCrm/trigger/memory';
import {
	isSubscribed,
	subscribe,
	unsubscribe,
} from '../../nodes/WorkspaceCrm/trigger/subscription';
import { WorkspaceCrmTrigger } from '../../nodes/WorkspaceCrm/WorkspaceCrmTrigger.node';
import type { Sandbox } from '../sandbox';
import { once, type http } from '../support/platform';
import { additionalData } from './engine';

export const PUBLIC_ORIGIN = 'https://n8n.example.com';

export interface TriggerHostOptions {
	parameters: INode['parameters'];
	/** What n8n believes its public address to be. */
	publicOrigin?: string;
	workflowId?: string;
	clock?: Clock;
	credential?: IDataObject;
}

/**
 * The part of n8n that stands around a trigger: publishing, test listening, and HTTP deliveries,
 * with n8n-core's own contexts. As in n8n, static data is loaded from its store for each delivery
 * and saved whole once the execution has been started, before the answer.
 */
export class TriggerHost {
	/** The output of each execution that was started. */
	readonly started: INodeExecutionData[][] = [];

	readonly log: string[] = [];

	/** What is stored with the workflow; a test run has its own. */
	stored: Record<'webhook' | 'manual', string> = { webhook: '{}', manual: '{}' };

	/** Called for each execution that is to be started; may take its time, or throw. */
	onStart: () => Promise<void> | void = () => {};

	/** Requests are held until so many have come, and then all go on in the same moment. */
	holdUntil = 1;

	private held: Array<() => void> = [];

	private memories = new Map<string, DeliveryMemory>();

	private runtime: Runtime;

	private server?: http.Server;

	constructor(
		private readonly sandbox: Sandbox,
		readonly options: TriggerHostOptions,
	) {
		this.runtime = createRuntime(options.clock ?? systemClock);
	}

	/** Listens, and gives the local origin. */
	async listen(): Promise<string> {
		const app = express();
		app.use(express.raw({ type: isNoForm, limit: '16mb' }));
		app.post('/:mode/*path', async (request, response) => {
			const mode = request.params.mode === 'webhook-test' ? 'manual' : 'webhook';
			const read = async () => {
				request.rawBody = Buffer.from((request.body as Buffer | undefined) ?? '');
			};
			request.readRawBody = read;
			if (isParsable(request)) await read();
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

	/** As a start of n8n's process: what was only in memory is gone. */
	restart(): void {
		this.memories = new Map();
		this.runtime = createRuntime(this.options.clock ?? systemClock);
	}

	url(isTest = false): string | undefined {
		return this.hookContext(
			this.loadWorkflow(isTest ? 'manual' : 'webhook'),
			isTest,
		).getNodeWebhookUrl('default');
	}

	/** Publishes, or does what n8n does at its start: asks, creates if need be, saves. */
	async publish(isTest = false): Promise<void> {
		const mode = isTest ? 'manual' : 'webhook';
		// "Listen for test event" begins with empty static data.
		if (isTest) this.stored.manual = '{}';
		const workflow = this.loadWorkflow(mode);
		const context = this.hookContext(workflow, isTest);
		if (!(await isSubscribed(context, this.runtime))) await subscribe(context, this.runtime);
		this.save(mode, workflow);
	}

	async unpublish(isTest = false): Promise<void> {
		const mode = isTest ? 'manual' : 'webhook';
		const workflow = this.loadWorkflow(mode);
		await unsubscribe(this.hookContext(workflow, isTest), this.runtime);
		this.save(mode, workflow);
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
		this.collectLog(context);
		try {
			const result = await receiveDelivery(context, this.memories, this.runtime.clock);
			if (result.workflowData) {
				await this.onStart();
				// n8n makes a workflow for the execution from the same object, and that clears its mark.
				this.workflowOn(mode, loaded);
				this.started.push(result.workflowData[0]);
			}
			// As n8n does: only what is marked as changed is saved.
			if (workflow.staticData.__dataChanged) this.save(mode, workflow);
			if (!result.noWebhookResponse) response.json(result.webhookResponse ?? {});
		} catch (error) {
			response.status(500).json({ message: String(error) });
		}
	}

	private hookContext(workflow: Workflow, isTest: boolean): HookContext {
		const mode = isTest ? 'manual' : 'trigger';
		const webhookData = this.webhookData(workflow, isTest);
		const context = new HookContext(
			workflow,
			this.node(workflow),
			this.additional(),
			mode,
			isTest ? 'manual' : 'activate',
			webhookData,
		);
		this.collectLog(context);
		return context;
	}

	private loadWorkflow(mode: 'webhook' | 'manual'): Workflow {
		return this.workflowOn(mode, JSON.parse(this.stored[mode]) as IDataObject);
	}

	private workflowOn(mode: 'webhook' | 'manual', staticData: IDataObject): Workflow {
		const type = new WorkspaceCrmTrigger();
		return new Workflow({
			id: this.options.workflowId ?? 'workflow-1',
			nodes: [
				{
					id: 'trigger',
					name: 'Trigger',
					type: 'n8n-nodes-workspace-crm.workspaceCrmTrigger',
					typeVersion: Number(type.description.version),
					position: [0, 0],
					webhookId: '0b1d7b52-9f0e-4a57-9f5c-0f4f2f3d8a11',
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

	private collectLog({ logger }: HookContext | WebhookContext): void {
		logger.warn = (text: string) => {
			this.log.push(text);
		};
	}
}

/** n8n takes forms apart without keeping their bytes. */
function isNoForm({ headers }: http.IncomingMessage): boolean {
	return !headers['content-type']?.startsWith('multipart/');
}

/** Of what n8n cannot parse, it leaves the reading to the node; forms are taken apart below. */
function isParsable({ headers }: http.IncomingMessage): boolean {
	return /^(application\/(json|x-www-form-urlencoded)|text\/plain)|[/+]xml$/.test(
		headers['content-type'] ?? '',
	);
}
