import type { ITaskData } from 'n8n-workflow';

import {
	N8nRestClient,
	type Execution,
	type NewWorkflow,
	type SavedWorkflow,
} from './n8nRestClient';

/** Speaks to n8n 2.0, where creating and running a workflow is asked for in another way. */
export class OlderRestClient extends N8nRestClient {
	/** There, whether it is published has to be said. */
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

	/** There, it may be said how an execution ended before it has stored what came of it. */
	override async getExecution(executionId: string): Promise<Execution> {
		const execution = await super.getExecution(executionId);
		const { data } = execution as { data?: Partial<Execution['data']> };
		if (!data?.resultData) throw new Error(`Execution ${executionId} has stored nothing yet`);
		return execution;
	}

	/** There, what the command line imported can only be published after it was changed once. */
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

/** Speaks to an n8n 1.x, where publishing is something else besides. */
export class N8n1RestClient extends OlderRestClient {
	override async publish(workflowId: string): Promise<void> {
		await this.setActive(workflowId, true);
	}

	override async unpublish(workflowId: string): Promise<void> {
		await this.setActive(workflowId, false);
	}

	/** There, a workflow is registered by the time it is answered. */
	private async setActive(workflowId: string, active: boolean): Promise<void> {
		const { versionId } = await this.getWorkflow(workflowId);
		const path = `/workflows/${workflowId}`;
		await this.request<SavedWorkflow>('PATCH', path, { active, versionId });
	}
}
