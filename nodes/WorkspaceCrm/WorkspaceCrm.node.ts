import {
	NodeConnectionTypes,
	type IBuilderHint,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { listSearch, loadOptions } from './editor/dropDowns';
import { nodeHints, nodeProperties, nodeSubtitle } from './operations/properties';
import { runOperation } from './operations/run';
import { resourceMapping } from './editor/mapperFields';
import { resources } from './resources';
import { receiveReply, waitingTooltip, waitWebhooks } from './resources/message/ask/receiveReply';

/**
 * What a model that builds workflows should know about the action node. n8n shows it when the model searches
 * for nodes.
 */
const nodeBuilderHint: IBuilderHint = {
	searchHint:
		'Contacts of a messaging CRM and WhatsApp templates. To send one template to many, use Message > Send Campaign, not a loop with Send Template. To bring a list of contacts in, use Contact > Sync once for all items, not a loop with Create or Update. A campaign reaches only contacts whose opt_in_status is confirmed, and no message reaches one that is opted_out. The node keeps the rate limit and pages through lists by itself: add no Wait, no loop and no Split In Batches for that.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-workspace-crm.workspaceCrmTrigger',
			relationHint: 'Starts a workflow on a message, a new contact, an opt-out, a tag or a form',
		},
		{
			nodeType: 'n8n-nodes-workspace-crm.workspaceCrmChangesTrigger',
			relationHint: 'Starts a workflow when a contact enters or leaves a segment, or changes',
		},
	],
};

export class WorkspaceCrm implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace CRM',
		name: 'workspaceCrm',
		icon: {
			light: 'file:../../icons/workspaceCrm.svg',
			dark: 'file:../../icons/workspaceCrm.dark.svg',
		},
		group: ['input'],
		version: 1,
		subtitle: nodeSubtitle(resources),
		description: 'Manage contacts, tags, messages, automations and segments in Workspace CRM',
		defaults: { name: 'Workspace CRM' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'workspaceCrmApi', required: true }],
		// The signing secret of a subscription lets its holder forge events.
		sensitiveOutputFields: ['secret'],
		// Imported, because n8n's rule webhook-lifecycle-complete asks for webhookMethods wherever it sees
		// webhooks; those of a wait are made by n8n itself.
		webhooks: waitWebhooks,
		waitingNodeTooltip: waitingTooltip,
		hints: nodeHints(resources),
		properties: nodeProperties(resources),
		builderHint: nodeBuilderHint,
	};

	methods = { listSearch, loadOptions, resourceMapping };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runOperation(this, resources)];
	}

	/** A delivery to an execution that waits after Send Template and Wait for Response. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveReply(this);
	}
}
