import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { pollForChanges } from './changes/changesPoll';
import { watchProperties } from './changes/watchFields';
import { listSearch } from './editor/listSearch';

export class WorkspaceCrmChangesTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace CRM Changes Trigger',
		name: 'workspaceCrmChangesTrigger',
		icon: {
			light: 'file:../../icons/workspaceCrm.svg',
			dark: 'file:../../icons/workspaceCrm.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		// The events as 'Trigger On' calls them: consentChanged is "Consent Changed".
		subtitle:
			'={{ [].concat($parameter["events"] ?? []).join(", ").replace(/([A-Z])/g, " $1").replace(/\\b[a-z]/g, (letter) => letter.toUpperCase()) }}',
		description:
			'Start a workflow on changes that Workspace CRM sends no event for, such as a contact who entered a segment',
		eventTriggerDescription: 'Waiting for a change in Workspace CRM',
		activationMessage: 'Workspace CRM is now read at each poll, and changes start this workflow.',
		defaults: { name: 'Workspace CRM Changes Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'workspaceCrmApi', required: true }],
		hints: [
			{
				message:
					'Each poll takes one request for every 100 contacts in the list, and the service allows 120 requests a minute. For more than 1,000 contacts, poll every 5 minutes or less often. Execute this step to see what it takes.',
				type: 'info',
				location: 'ndv',
				whenToDisplay: 'beforeExecution',
				displayCondition:
					'={{ ($parameter["pollTimes"]?.item ?? []).some((item) => item.mode === "everyMinute") }}',
			},
		],
		properties: watchProperties(),
	};

	methods = { listSearch };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollForChanges(this);
	}
}
