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
import {
	nodeHints,
	nodeProperties,
	nodeSubtitle,
	searchHints,
	waitOf,
} from './operations/properties';
import { runOperation } from './operations/run';
import { resourceMapping, resources } from './resources';

/**
 * What a model that builds workflows should know about the action node. n8n shows it when the model searches
 * for nodes.
 */
const nodeBuilderHint: IBuilderHint = {
	searchHint: `Contacts of a messaging CRM and WhatsApp templates. ${searchHints(resources)} No message reaches a contact whose opt_in_status is opted_out. The node keeps the rate limit and pages through lists by itself: add no Wait, no loop and no Split In Batches for that.`,
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

const wait = waitOf(resources);

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
		// n8n itself registers these, so there are no webhookMethods.
		webhooks: wait?.webhooks,
		waitingNodeTooltip: wait?.tooltip,
		hints: nodeHints(resources),
		properties: nodeProperties(resources),
		builderHint: nodeBuilderHint,
	};

	methods = { listSearch, loadOptions, resourceMapping };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runOperation(this, resources)];
	}

	/** A request to an execution that waits. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return (await wait?.receive(this)) ?? {};
	}
}
