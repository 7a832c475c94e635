import {
	NodeConnectionTypes,
	type EngineRequest,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';

/** A tool as n8n-core gives it to an agent, who tells the model all but the function. */
interface Tool {
	name: string;
	description: string;
	schema: { shape: Record<string, { description?: string }> };
	metadata: { sourceNodeName: string };
	invoke(values: IDataObject): Promise<string>;
}

/** What the agent is to do with its first tool; nothing is to tell what it knows of all. */
export interface Call {
	/** Agents of n8n have the engine run the node, or call the tool's function themselves. */
	by: 'engine' | 'function';
	values: IDataObject;
	/** How often it calls the function, one call after the other. Default 1. */
	times?: number;
}

/** n8n's AI Agent without a model: what it does is in its input. */
export const agent: INodeType = {
	description: {
		displayName: 'Agent',
		name: 'agent',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Agent' },
		inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	async execute(this: IExecuteFunctions, response?: EngineResponse) {
		const [answer] = response?.actionResponses ?? [];
		if (answer) return [answer.data.data?.ai_tool?.[0] ?? []];

		const tools = (await this.getInputConnectionData('ai_tool', 0)) as Tool[];
		const { by, values, times = 1 } = this.getInputData()[0].json as unknown as Partial<Call>;
		if (!by || !values) return [tools.map(toItem)];
		const [tool] = tools;
		if (by === 'engine') return toRequest(tool, values);
		for (let call = 1; call < times; call += 1) await tool.invoke(values);
		return [this.helpers.returnJsonArray(JSON.parse(await tool.invoke(values)) as IDataObject[])];
	},
};

function toItem({ name, description, schema }: Tool): INodeExecutionData {
	const values = Object.entries(schema.shape).map(([key, value]) => [key, value.description]);
	return { json: { name, description, values: Object.fromEntries(values) as IDataObject } };
}

function toRequest({ metadata }: Tool, input: IDataObject): EngineRequest {
	return {
		actions: [
			{
				actionType: 'ExecutionNodeAction',
				nodeName: metadata.sourceNodeName,
				input,
				type: NodeConnectionTypes.AiTool,
				id: 'call_1',
				metadata: {},
			},
		],
		metadata: {},
	};
}
