import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Testbed } from '../../tools/n8n/testbed';
import { crmNode, linkTo, manualWorkflow, node } from '../../tools/n8n/workflows';
import type { Contact } from '../../tools/sandbox';
import { fromModel } from '../workflow/runAgent';
import { chosen } from '../workflow/support';
import { toolOutputs, withModelNode, type ModelScript, type ModelTurn } from './scriptedModel';

/** What the tests of a feature need of those of agents. */
export interface AgentTests {
	bed: () => Testbed;
	/** Two, new before each test. */
	contacts: () => Contact[];
}

export const retries: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

/** A tool that the agent calls. */
export function tool(
	name: string,
	parameters: INodeParameters,
	more: Partial<INode> = retries,
): INode {
	const type = `${CRM}Tool`;
	return crmNode({ descriptionType: 'auto', ...parameters }, { name, type, ...more });
}

export const CRM = 'n8n-nodes-workspace-crm.workspaceCrm';

export const contactId = chosen('id', fromModel('Contact'));
export const done = (): ModelTurn => ({ text: 'Done.' });
export const use = (name: string, values: IDataObject) => (): ModelTurn => ({
	tool: name,
	arguments: values,
});

export interface AgentRun {
	/** Of n8n's AI Agent: 2.2 calls the functions of tools, 3 has the engine run the nodes. */
	version: number;
	tools: INode[];
	script: ModelScript;
	/** Of the agent's node. */
	settings?: Partial<INode>;
	/** By default, each tool is connected to the agent. */
	connections?: IConnections;
	/** What happens while the agent works or waits; gets the execution's id. */
	meanwhile?: (executionId: string) => Promise<void>;
	/** By default one, with a text. */
	items?: IDataObject[];
}

const ONE = [{ item: 'one' }];

/** Runs n8n's AI Agent with tools and a model that follows a script. */
export async function runAgent(
	bed: Testbed,
	{ version, tools, script, settings, connections, ...run }: AgentRun,
) {
	return await withModelNode(bed, script, async (model, requests) => {
		const parameters = { promptType: 'define', text: '={{ $json.item ?? "one" }}', options: {} };
		const agent = node('AI Agent', '@n8n/n8n-nodes-langchain.agent', parameters, version);
		const workflow = manualWorkflow([{ ...agent, ...settings }], run.items ?? ONE);
		workflow.nodes.push(model, ...tools);
		Object.assign(
			workflow.connections,
			{ Model: linkTo('AI Agent', 'ai_languageModel') },
			Object.fromEntries(tools.map(({ name }) => [name, linkTo('AI Agent', 'ai_tool')])),
			connections,
		);
		const { id } = await bed.n8n.rest.createWorkflow(workflow);
		const executionId = await bed.n8n.rest.startWorkflow(id, 'Start');
		await run.meanwhile?.(executionId);
		const execution = await bed.n8n.rest.waitForExecution(executionId, 240_000);
		return { execution, outputs: toolOutputs(requests[requests.length - 1]) };
	});
}
