import type { INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { crmNode } from '../../tools/engine/nodes';
import { workflowOf } from './workflowOf';

export const { hints = [] } = new WorkspaceCrm().description;

/** The hints that the editor shows for a node with these parameters, by n8n's own expressions. */
export function shownFor(parameters: INodeParameters): string[] {
	const node = crmNode(parameters);
	const workflow = workflowOf(node);
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
