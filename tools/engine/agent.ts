import {
	NodeConnectionTypes,
	type EngineRequest,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';

/** A tool as n8n-core gives it to an agent. The agent tells the model everything except the function. */
interface Tool {
	name: string;
	description: string;
	schema: { shape: Record<string, { description?: string }> };
	metadata: { sourceNodeName: string };
	invoke(values: IDataObject): Promise<string>;
}

/** How the agent calls its first tool. Without this, it only lists its tools. */
export interface Calls {
	/**
	 * Agents of n8n have the engine run the node, or they call the tool's function themselves: one call
	 * after the other, all at once, or, for the items of a batch, all at once with tools of their own.
	 */
	by: 'engine' | 'function' | 'functionAtOnce' | 'batch';
	/** The arguments of each call. */
	values: IDataObject[];
}

/** n8n's AI Agent without a model: its input says what to do, and its output is what the model would read. */
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
		const answers = response?.actionResponses ?? [];
		if (answers.length > 0) return [answers.flatMap(({ data }) => data.data?.ai_tool?.[0] ?? [])];

		const readTools = async () => (await this.getInputConnectionData('ai_tool', 0)) as Tool[];
		const tools = await readTools();
		const { by, values } = this.getInputData()[0].json as unknown as Partial<Calls>;
		if (!by || !values) return [tools.map(toItem)];
		if (by === 'engine') return toRequest(tools[0], values);
		const toolOfCall = await Promise.all(
			values.map(async () => (by === 'batch' ? await readTools() : tools)[0]),
		);
		const calls = values.map((each, call) => async () => await invoke(toolOfCall[call], each));
		const results: IDataObject[][] = [];
		if (by === 'function') for (const call of calls) results.push(await call());
		else results.push(...(await Promise.all(calls.map(async (call) => await call()))));
		return [this.helpers.returnJsonArray(results.flat())];
	},
};

/** In n8n, a failed call ends the agent. If another agent called it, that agent's model reads the error. */
async function invoke(tool: Tool, values: IDataObject): Promise<IDataObject[]> {
	try {
		return JSON.parse(await tool.invoke(values)) as IDataObject[];
	} catch (error) {
		return [{ error: (error as Error).message }];
	}
}

function toItem({ name, description, schema }: Tool): INodeExecutionData {
	const values = Object.entries(schema.shape).map(([key, value]) => [key, value.description]);
	return { json: { name, description, values: Object.fromEntries(values) as IDataObject } };
}

function toRequest({ metadata }: Tool, inputs: IDataObject[]): EngineRequest {
	return {
		actions: inputs.map((input, index) => ({
			actionType: 'ExecutionNodeAction',
			nodeName: metadata.sourceNodeName,
			input,
			type: NodeConnectionTypes.AiTool,
			id: `call_${index + 1}`,
			metadata: {},
		})),
		metadata: {},
	};
}
