import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { pollForChanges } from './changes/changesPoll';
import { watchProperties } from './changes/watched';
import { listSearch } from './editor/dropDowns';

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
		activationMessage:
			'Workspace CRM is now read at each poll. If there are changes, the poll starts this workflow once, with an item for each.',
		defaults: { name: 'Workspace CRM Changes Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'workspaceCrmApi', required: true }],
		hints: [
			{
				message:
					'Polling every minute uses 1 of your 120 requests per minute for every 100 contacts that you watch.',
				type: 'info',
				location: 'ndv',
				whenToDisplay: 'beforeExecution',
			},
			{
				message:
					'In the editor, a test shows an example, not a change. All changes that a poll finds are items of one execution. Contacts that are in the list when you publish do not start the workflow.',
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'afterExecution',
				displayCondition: '={{ $parameter["options"]?.startForExisting !== true }}',
			},
			{
				message:
					"'Start for Existing Contacts' is on: the first poll starts the workflow with every contact in the list.",
				type: 'warning',
				location: 'ndv',
				whenToDisplay: 'always',
				displayCondition: '={{ $parameter["options"]?.startForExisting === true }}',
			},
		],
		properties: watchProperties(),
	};

	methods = { listSearch };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollForChanges(this);
	}
}
