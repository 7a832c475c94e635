import { Workflow, type INode } from 'n8n-workflow';

import { nodeTypes } from '../../tools/engine/nodes';

/** A workflow of one node, as the editor's requests have it. */
export function workflowOf(node: INode): Workflow {
	return new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes: nodeTypes() });
}
