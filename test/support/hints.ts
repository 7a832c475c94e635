import { Workflow, type INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { crmNode, nodeTypes } from '../../tools/engine/nodes';

export const { hints = [] } = new WorkspaceCrm().description;

/** The hints that the editor shows for a node with these parameters, by n8n's own expressions. */
export function shownFor(parameters: INodeParameters): string[] {
	const node = crmNode(parameters);
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes(),
	});
	return hints
		.filter(
			({ displayCondition }) =>
				workflow.expression.getSimpleParameterValue(
					node,
					displayCondition,
					'internal',
					{ $rawParameter: node.parameters },
					undefined,
					false,
				) === true,
		)
		.map(({ message }) => message);
}
