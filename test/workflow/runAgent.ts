import { NodeHelpers, type IDataObject, type INode, type INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import type { Sandbox } from '../../tools/sandbox';
import type { Calls } from '../../tools/engine/agent';
import { asTool, crmNode, startWorkflow } from '../../tools/engine/nodes';
import { patientRuntime } from './support';

const twin = asTool(new WorkspaceCrm()).description;

/** The node as the editor adds it to an agent, named after what it does. */
export function toolNode(parameters: INodeParameters, settings: Partial<INode> = {}): INode {
	const name = NodeHelpers.makeNodeName(parameters, twin);
	const type = 'n8n-nodes-workspace-crm.workspaceCrmTool';
	return crmNode({ descriptionType: 'auto', ...parameters }, { id: name, name, type, ...settings });
}

/** What stands in a field that the model fills in. */
export const fromModel = (name: string, type = 'string') =>
	`={{ $fromAI('${name}', '', '${type}') }}`;

/** Runs an agent with tools, and returns its output. */
export async function runAgent(
	{ url, apiKey }: Pick<Sandbox, 'url' | 'apiKey'>,
	tools: INode[],
	calls?: Calls,
): Promise<IDataObject[]> {
	const plain = (name: string, type: string) =>
		crmNode({}, { id: name, name, type, credentials: undefined });
	const toAgent = (type: 'main' | 'ai_tool') => ({
		[type]: [[{ node: 'Agent', type, index: 0 }]],
	});
	const { data } = await startWorkflow(
		{
			nodes: [plain('Start', 'test.passThrough'), plain('Agent', 'test.agent'), ...tools],
			connections: {
				Start: toAgent('main'),
				...Object.fromEntries(tools.map(({ name }) => [name, toAgent('ai_tool')])),
			},
			pinData: { Start: [{ json: { ...calls } }] },
		},
		{
			credential: { baseUrl: url, apiKey, authHeader: 'bearer' },
			runtime: patientRuntime().runtime,
		},
	);
	if (data.resultData.error) throw data.resultData.error;
	return data.resultData.runData.Agent.at(-1)?.data?.main[0]?.map(({ json }) => json) ?? [];
}
