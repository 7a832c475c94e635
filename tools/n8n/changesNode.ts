import type { INode, INodeParameters } from 'n8n-workflow';

import { crmNode, pollEvery } from './workflows';

/** The Changes Trigger. By default it polls every second. */
export function changesNode(parameters: INodeParameters): INode {
	const type = 'n8n-nodes-workspace-crm.workspaceCrmChangesTrigger';
	return crmNode({ pollTimes: pollEvery(1), ...parameters }, { name: 'Changes', type });
}
