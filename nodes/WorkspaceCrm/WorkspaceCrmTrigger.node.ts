import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { loadOptions } from './editor/dropDowns';
import { receiveDelivery } from './trigger/delivery';
import { triggerProperties } from './trigger/parameters';
import { subscribe, unsubscribe } from './trigger/subscription';

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
		eventTriggerDescription: 'Waiting for an event from Workspace CRM',
		activationMessage: 'Workspace CRM now sends the chosen events to this workflow.',
		triggerPanel: {
			header: 'Pull in events from Workspace CRM',
			executionsHelp: {
				inactive:
					'Webhooks have two modes: test and production. <br /> <br /> <b>Use test mode while you build your workflow</b>. Click \'Execute step\', then make something happen in the CRM, such as a message to its number. The event shows up in the output.<br /> <br /> <b>Use production mode to run your workflow automatically</b>. <a data-key="activate">Publish</a> the workflow, and each event starts it. You can see its runs in the <a data-key="executions">executions list</a>, but not here.',
				active:
					'Webhooks have two modes: test and production. <br /> <br /> <b>Use test mode while you build your workflow</b>. Click \'Execute step\', then make something happen in the CRM, such as a message to its number. The event shows up in the output; the published workflow gets it as well.<br /> <br /> <b>This workflow is published</b>, so each event starts it. You can see its runs in the <a data-key="executions">executions list</a>, but not here.',
			},
			activationHint: {
				inactive:
					'Once you have finished building your workflow, publish it to have it start by itself on each event.',
				active:
					'This workflow is published and starts by itself on each event. Those runs are in the executions list, and do not show up here.',
			},
		},
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
