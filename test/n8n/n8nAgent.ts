import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { JsonServer } from './jsonServer';
import { startScriptedModel, type ModelScript } from './scriptedModel';
import type { Testbed } from './testbed';

/** What n8n tells the chat of one of its own Agents. */
interface ChatEvent {
	type: string;
	toolName?: string;
	output?: unknown;
	isError?: boolean;
	message?: unknown;
	payload?: { toolCallId: string; runId: string; toolName: string; input: IDataObject };
}

/** A tool of the agent: the action node with these parameters. */
export interface AgentTool {
	name: string;
	requireApproval?: boolean;
	parameters: INodeParameters;
}

/** One of n8n's own Agents (its module `agents`), with the action node as its tools and a scripted model. */
export interface N8nAgent {
	/** Says something to the agent; gives what the chat shows until the agent stops or asks for approval. */
	say(message: string): Promise<ChatEvent[]>;
	/** Answers the question for approval in these events. */
	answer(events: ChatEvent[], approved: boolean): Promise<ChatEvent[]>;
	close(): Promise<void>;
}

export async function createN8nAgent(
	testbed: Testbed,
	tools: AgentTool[],
	script: ModelScript,
): Promise<N8nAgent> {
	// n8n also asks the model for a title of the conversation, without tools.
	const model = await startScriptedModel(script, ({ body }) => body.tools !== undefined);
	return await createAgent(testbed, tools, model).catch(async (error: unknown) => {
		await model.close();
		throw error;
	});
}

async function createAgent(
	{ n8n }: Testbed,
	tools: AgentTool[],
	model: JsonServer,
): Promise<N8nAgent> {
	const credential = await n8n.rest.createCredential('Model', 'openRouterApi', {
		apiKey: 'none',
		url: `${model.url}/v1`,
	});
	const { id: projectId } = await n8n.rest.get<{ id: string }>('/projects/personal');
	const path = `/projects/${projectId}/agents/v2`;
	const { id } = await n8n.rest.post<{ id: string }>(path, { name: 'Agent' });
	const { config, configHash } = await n8n.rest.get<{ config: IDataObject; configHash: string }>(
		`${path}/${id}/config`,
	);
	await n8n.rest.request('PUT', `${path}/${id}/config`, {
		baseConfigHash: configHash,
		config: {
			...config,
			model: 'openrouter/scripted/model',
			credential,
			instructions: 'Do as you are told.',
			tools: tools.map(({ parameters, ...tool }) => ({
				type: 'node',
				...tool,
				node: {
					nodeType: 'n8n-nodes-workspace-crm.workspaceCrmTool',
					nodeTypeVersion: 1,
					nodeParameters: parameters,
					credentials: { workspaceCrmApi: { id: 'crm', name: 'CRM' } },
				},
			})),
		},
	});
	const stream = async (where: string, body: IDataObject) => {
		const response = await fetch(`${n8n.url}/rest${path}/${id}/${where}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', cookie: n8n.rest.cookie },
			body: JSON.stringify(body),
		});
		const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
		return lines.map((line) => JSON.parse(line.slice('data: '.length)) as ChatEvent);
	};
	return {
		say: async (message) => await stream('chat', { message }),
		async answer(events, approved) {
			const asked = events.find(({ type }) => type === 'tool-call-suspended')?.payload;
			if (!asked) throw new Error('The agent does not ask for approval');
			const { runId, toolCallId } = asked;
			return await stream('chat/resume', { runId, toolCallId, resumeData: { approved } });
		},
		close: async () => await model.close(),
	};
}
