import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { NewWorkflow } from './n8nRestClient';

const OURS = 'n8n-nodes-workspace-crm.';
const credentials = { workspaceCrmApi: { id: 'crm', name: 'CRM' } };

export function node(
	name: string,
	type: string,
	parameters: INodeParameters = {},
	typeVersion = 1,
): INode {
	const id = name.toLowerCase().replace(/\W/g, '') || 'id';
	return { id, name, type, typeVersion, position: [0, 0], parameters };
}

/** The action node, with the credential of the testbed. */
export function crmNode(parameters: INodeParameters, more: Partial<INode> = {}): INode {
	const { name = 'CRM' } = more;
	return { ...node(name, `${OURS}workspaceCrm`, parameters), credentials, ...more };
}

/** A connection to a node. */
export function linkTo(name: string, type: 'main' | 'ai_tool' | 'ai_languageModel' = 'main') {
	return { [type]: [[{ node: name, type, index: 0 }]] };
}

export function workflowOf(
	nodes: INode[],
	connections: IConnections = {},
	more: Partial<NewWorkflow> = {},
): NewWorkflow {
	return { name: 'Test', nodes, connections, settings: { executionOrder: 'v1' }, ...more };
}

/** A manual start that returns these items, and then the nodes one after the other. */
export function manualWorkflow(nodes: INode[], items?: IDataObject[], name = 'Test'): NewWorkflow {
	const start = node('Start', 'n8n-nodes-base.manualTrigger');
	const all = [start, ...nodes].map((each, index) => {
		return { ...each, position: [220 * index, 0] } as INode;
	});
	const links = nodes.map((next, index) => [all[index].name, linkTo(next.name)]);
	return workflowOf(all, Object.fromEntries(links) as IConnections, {
		name,
		pinData: items && { Start: items.map((json) => ({ json })) },
	});
}

/** A workflow that starts on events, and ends there. */
export function triggerWorkflow(parameters: INodeParameters): NewWorkflow {
	const trigger = node('Trigger', `${OURS}workspaceCrmTrigger`, parameters, 1.1);
	return workflowOf([{ ...trigger, webhookId: crypto.randomUUID(), credentials }]);
}

/**
 * Poll Times for a poll every few seconds. n8n takes no expression that polls more than once a minute,
 * but any number of those that poll in one second of it.
 */
export function pollEvery(seconds: number): { item: INodeParameters[] } {
	const item = Array.from({ length: 60 / seconds }, (_, index) => ({
		mode: 'custom',
		cronExpression: `${index * seconds} * * * * *`,
	}));
	return { item };
}
