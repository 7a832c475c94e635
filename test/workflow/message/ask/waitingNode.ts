import { WebhookContext } from 'n8n-core';
import type { IDataObject, INode, IRun, IRunExecutionData, IWebhookData } from 'n8n-workflow';

import { processRuntime } from '../../../../nodes/WorkspaceCrm/n8n/connect';
import type { Runtime } from '../../../../nodes/WorkspaceCrm/crm/connection';
import { receiveReply } from '../../../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import { WorkspaceCrmApi } from '../../../../credentials/WorkspaceCrmApi.credentials';
import { signatureOf, type Sandbox, type Subscription } from '../../../../tools/sandbox';
import { executionIdOf, resumeInEngine, workflowOf } from '../../../../tools/engine/engine';
import {
	additionalData,
	crmNode,
	nodeTypes,
	type Host,
	type SavedWorkflow,
} from '../../../../tools/engine/nodes';

/** An execution that waits in our node, as n8n keeps it. */
export class WaitingNode {
	private readonly saved: SavedWorkflow;

	private readonly host: Host;

	/** The warnings in n8n's log. */
	readonly log: string[] = [];

	constructor(
		{ url: baseUrl, apiKey }: Sandbox,
		parameters: INode['parameters'],
		private readonly run: IRun,
		private readonly runtime: Runtime = processRuntime,
		private readonly alter = (context: WebhookContext) => context,
	) {
		this.saved = { nodes: [crmNode(parameters)], connections: {} };
		this.host = {
			credential: { baseUrl, apiKey, authHeader: 'bearer' },
			executionId: executionIdOf(run),
		};
	}

	/** The time is over: n8n does not call the node again. Returns the JSON of the node's output. */
	async timeOut(): Promise<IDataObject[]> {
		return await this.resume(this.run.data);
	}

	/**
	 * Delivers an event to the subscription's URL. Returns the JSON of the node's output, or undefined if the
	 * execution keeps waiting.
	 */
	async deliver(
		{ url, secret }: Pick<Subscription, 'url' | 'secret'>,
		event: object,
	): Promise<IDataObject[] | undefined> {
		const rawBody = Buffer.from(JSON.stringify(event));
		const headers = { 'x-service-signature': signatureOf(rawBody, secret) };
		const query = Object.fromEntries(new URL(url).searchParams);
		const httpRequest = { headers, query, rawBody, readRawBody: async () => {} };
		const response = {
			statusCode: 200,
			status: () => response,
			json: () => {},
			end: () => {},
			once: () => {},
		};
		const context = new WebhookContext(
			workflowOf(this.saved, nodeTypes()),
			this.saved.nodes[0],
			{ ...additionalData(this.host), httpRequest, httpResponse: response } as never,
			'webhook',
			{} as IWebhookData,
			[],
			this.run.data,
		);
		context.logger.warn = (text: string) => void this.log.push(text);
		const { workflowData } = await receiveReply(this.alter(context), this.runtime);
		response.end();
		if (!workflowData) return undefined;
		const data = structuredClone(this.run.data);
		data.executionData!.nodeExecutionStack[0].data = { main: workflowData };
		return await this.resume(data);
	}

	private async resume(data: IRunExecutionData): Promise<IDataObject[]> {
		const credentialType = new WorkspaceCrmApi();
		const host = { ...this.host, credentialType, nodeTypes: nodeTypes() };
		const { data: ended } = await resumeInEngine(this.saved, host, structuredClone(data));
		const [output = []] = ended.resultData.runData.CRM[0].data?.main ?? [];
		return (output ?? []).map(({ json }) => json);
	}
}
