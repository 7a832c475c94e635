import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { loadOptions } from './editor/dropDowns';
import { receiveDelivery } from './events/delivery';
import { triggerProperties } from './events/filters';
import { subscribe, unsubscribe } from './events/publish';

export class WorkspaceCrmTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace CRM Trigger',
		name: 'workspaceCrmTrigger',
		icon: {
			light: 'file:../../icons/workspaceCrm.svg',
			dark: 'file:../../icons/workspaceCrm.dark.svg',
		},
		group: ['trigger'],
		// Not 1: for that version n8n works out an expression of its old Webhook node on every delivery.
		version: 1.1,
		// The events as 'Trigger On' calls them: contact.opted_out is "Contact Opted Out".
		subtitle:
			'={{ [].concat($parameter["events"] ?? []).join(", ").replace(/[._]/g, " ").replace(/\\b[a-z]/g, (letter) => letter.toUpperCase()) }}',
		// n8n's panel shows this text for both nodes.
		description:
			'Manage contacts, tags, messages and automations, or start a workflow on events in Workspace CRM',
		eventTriggerDescription:
			'Waiting for an event from Workspace CRM. Events that the options leave out are not shown.',
		activationMessage: 'Workspace CRM now sends the chosen events to this workflow.',
		// n8n's own texts; without an object, it leaves out the hint to publish.
		triggerPanel: {},
		defaults: { name: 'Workspace CRM Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'workspaceCrmApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Or n8n answers with the name of its default for this.
				responseData: 'noData',
				path: 'webhook',
				// It is registered by itself, and shown it would only invite to be pasted somewhere.
				ndvHideUrl: true,
				ndvHideMethod: true,
			},
		],
		properties: triggerProperties,
	};

	methods = { loadOptions };

	webhookMethods = {
		default: {
			// `create` looks itself, as it knows what is needed.
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				await subscribe(this);
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				await unsubscribe(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveDelivery(this);
	}
}
