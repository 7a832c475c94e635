import type { IConnections, INode } from 'n8n-workflow';

import type { JsonRequest } from './jsonServer';
import type { Execution } from './n8nRestClient';
import { startScriptedModel, toolOutputs, type ModelScript } from './scriptedModel';
import type { Testbed } from './testbed';

export interface AgentRun {
	/** Of n8n's AI Agent: 2.2 calls the functions of tools, 3 has the engine run the nodes. */
	version: number;
	tools: INode[];
	script: ModelScript;
	/** Of the agent's node. */
	settings?: Partial<INode>;
	parameters?: INode['parameters'];
	/** Of the tools; by default, each is a tool of the agent's. */
	connections?: IConnections;
	/** What happens while the agent works or waits; gets the execution's id. */
	meanwhile?: (executionId: string) => Promise<void>;
	/** Names of the items that the agent works on. Default one. */
	items?: string[];
}

export interface AgentResult {
	execution: Execution;
	requests: JsonRequest[];
	/** What the model was told that the tools gave. */
	told: string[];
}

/** Runs n8n's AI Agent with tools and a model that follows a script. */
export async function runAgent({ n8n }: Testbed, run: AgentRun): Promise<AgentResult> {
	const { version, tools, script, settings, parameters, connections, items = ['one'] } = run;
	const model = await startScriptedModel(script);
	try {
		const url = `${model.url}/v1`;
		const id = await n8n.rest.createCredential('Model', 'openAiApi', { apiKey: 'none', url });
		const saved = await n8n.rest.createWorkflow({
			name: 'Agent',
			nodes: [
				node('Start', 'n8n-nodes-base.manualTrigger', 1),
				{
					...node('Agent', '@n8n/n8n-nodes-langchain.agent', version),
					...settings,
					parameters: {
						promptType: 'define',
						text: '={{ $json.item }}',
						options: {},
						...parameters,
					},
				},
				{
					...node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2),
					parameters: {
						model: { __rl: true, mode: 'id', value: 'scripted' },
						options: { maxRetries: 0 },
					},
					credentials: { openAiApi: { id, name: 'Model' } },
				},
				...tools,
			],
			connections: {
				Start: toAgent('main'),
				Model: toAgent('ai_languageModel'),
				...Object.fromEntries(tools.map(({ name }) => [name, toAgent('ai_tool')])),
				...connections,
			} as IConnections,
			settings: { executionOrder: 'v1' },
			pinData: { Start: items.map((item) => ({ json: { item } })) },
		});
		const executionId = await n8n.rest.startWorkflow(saved.id, 'Start');
		await run.meanwhile?.(executionId);
		const execution = await n8n.rest.waitForExecution(executionId, 180_000);
		const { requests } = model;
		return { execution, requests, told: toolOutputs(requests[requests.length - 1]) };
	} finally {
		await model.close();
	}
}

function toAgent(type: string) {
	return { [type]: [[{ node: 'Agent', type, index: 0 }]] };
}

function node(name: string, type: string, typeVersion: number): INode {
	return { id: name.toLowerCase(), name, type, typeVersion, position: [0, 0], parameters: {} };
}
