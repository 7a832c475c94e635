import type { ITaskData } from 'n8n-workflow';

import {
	N8nRestClient,
	type Execution,
	type NewWorkflow,
	type SavedWorkflow,
} from './n8nRestClient';

/** Speaks to n8n 2.0, which creates and runs workflows in another way. */
export class OlderRestClient extends N8nRestClient {
	/** n8n 2.0 requires `active`. */
	override async createWorkflow(workflow: NewWorkflow): Promise<SavedWorkflow> {
		return await this.post('/workflows', { settings: {}, active: false, ...workflow });
	}

	override async startWorkflow(
		workflowId: string,
		triggerName: string,
		data?: ITaskData,
	): Promise<string> {
		const workflowData = await this.getWorkflow(workflowId);
		const { executionId } = await this.post<{ executionId: string }>(
			`/workflows/${workflowId}/run`,
			{ workflowData, startNodes: [], triggerToStartFrom: { name: triggerName, data } },
		);
		return executionId;
	}

	/** n8n 2.0 may say how an execution ended before it has stored the results. */
	override async getExecution(executionId: string): Promise<Execution> {
		const execution = await super.getExecution(executionId);
		const { data } = execution as { data?: Partial<Execution['data']> };
		if (!data?.resultData) throw new Error(`Execution ${executionId} has stored nothing yet`);
		return execution;
	}

	/** In n8n 2.0, an imported workflow can only be published after it was changed once. */
	override async publish(workflowId: string): Promise<void> {
		const { nodes, ...rest } = await this.getWorkflow(workflowId);
		const moved = nodes.map((node) => {
			const [left, top] = node.position;
			return { ...node, position: [left, top + 16] };
		});
		await this.request('PATCH', `/workflows/${workflowId}`, { ...rest, nodes: moved });
		await super.publish(workflowId);
	}
}

/** Speaks to n8n 1.x, which also publishes in another way. */
export class N8n1RestClient extends OlderRestClient {
	override async publish(workflowId: string): Promise<void> {
		await this.setActive(workflowId, true);
	}

	override async unpublish(workflowId: string): Promise<void> {
		await this.setActive(workflowId, false);
	}

	/** n8n 1.x has registered a workflow by the time it answers. */
	private async setActive(workflowId: string, active: boolean): Promise<void> {
		const { versionId } = await this.getWorkflow(workflowId);
		const path = `/workflows/${workflowId}`;
		await this.request<SavedWorkflow>('PATCH', path, { active, versionId });
	}
}
