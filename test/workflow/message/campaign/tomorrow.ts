import type { IExecuteFunctions } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import { altered } from '../../../support/altered';
import { campaign } from './campaignNode';
import { addContacts, patientRuntime } from '../../support';
import { refused, row, sandbox, SILENT, type Alter, type Run } from '../../tomorrowRows';

/** An agent asks n8n's engine to run Send Campaign, which is not for agents. */
const sendCampaign: Run = async (alter) => {
	const [{ id }] = addContacts(sandbox, 1, { opt_in_status: 'confirmed' });
	const { error } = await runNode(sandbox, {
		...{ parameters: campaign(), alter, items: [{ id, toolCallId: 'call' }] },
		runtime: patientRuntime().runtime,
	});
	return error && sandbox.requests.length === 0 ? refused(error) : SILENT;
};
const asTool =
	(type: string, metadata?: object): Alter =>
	(context) => {
		const { getNode, getExecuteData } = context as IExecuteFunctions;
		return altered(context, {
			getNode: () => ({ ...getNode.call(context), type }),
			getExecuteData: () => ({ ...getExecuteData.call(context), metadata }),
		});
	};
row(
	33,
	'the end `Tool` of the name of a node type',
	'n8n/agents.ts',
	{
		'as today': asTool('n8n-nodes-workspace-crm.workspaceCrmTool'),
		'another end': asTool('n8n-nodes-workspace-crm.workspaceCrmForAgents', {
			preserveSourceOverwrite: true,
		}),
	},
	sendCampaign,
);
