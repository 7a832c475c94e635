import {
	Workflow,
	type INode,
	type INodeParameters,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { crmNode, nodeTypes } from '../../tools/engine/nodes';

/** What a node says on the canvas with these parameters. */
export function subtitleOf(
	{ name, subtitle }: INodeTypeDescription,
	parameters: INodeParameters,
): unknown {
	const node: INode = { ...crmNode(parameters), type: name };
	const { expression } = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes(),
	});
	// While a workflow loads, n8n drops values that the stand-in for the node type does not know.
	node.parameters = parameters;
	return expression.getSimpleParameterValue(node, subtitle, 'internal', {});
}
