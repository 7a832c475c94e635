import type { INode } from 'n8n-workflow';

import type { NewWorkflow } from '../n8n/n8nRestClient';

type Parameters = INode['parameters'];

/** Our action node, with the credential that leads to the sandbox. */
export function crmNode(parameters: Parameters, name = 'CRM step'): INode {
	return {
		...node(name, 'n8n-nodes-workspace-crm.workspaceCrm', 1, parameters),
		credentials: { workspaceCrmApi: { id: 'crm', name: 'CRM' } },
	};
}

/** n8n's own node that gives items the fields that the user wants. */
export function editFieldsNode(parameters: Parameters = { options: {} }): INode {
	return node('Edit Fields', 'n8n-nodes-base.set', 3.4, parameters);
}

/** A workflow that a person starts, and in which the nodes follow one another. */
export function manualWorkflow(name: string, ...steps: INode[]): NewWorkflow {
	const nodes = [node('Start', 'n8n-nodes-base.manualTrigger', 1, {}), ...steps];
	const links = steps.map(({ name: next }, index) => [
		nodes[index].name,
		{ main: [[{ node: next, type: 'main', index: 0 }]] },
	]);
	return {
		name,
		nodes: nodes.map((each, index) => ({ ...each, position: [220 * index, 0] })),
		connections: Object.fromEntries(links) as NewWorkflow['connections'],
		settings: { executionOrder: 'v1' },
	};
}

function node(name: string, type: string, typeVersion: number, parameters: Parameters): INode {
	return { id: crypto.randomUUID(), name, type, typeVersion, position: [0, 0], parameters };
}
