import type { IBuilderHint } from 'n8n-workflow';

/**
 * What a model that builds workflows should know of each node, beyond its description. n8n gives it out
 * when the model searches for nodes.
 */

const ACTION = 'n8n-nodes-workspace-crm.workspaceCrm';
const EVENTS = 'n8n-nodes-workspace-crm.workspaceCrmTrigger';
const CHANGES = 'n8n-nodes-workspace-crm.workspaceCrmChangesTrigger';

export const nodeBuilderHint: IBuilderHint = {
	searchHint:
		'Contacts of a messaging CRM and WhatsApp templates. To send one template to many, use Message > Send Campaign, not a loop with Send Template. To bring a list of contacts in, use Contact > Sync once for all items, not a loop with Create or Update. A message reaches only contacts whose opt_in_status is confirmed. The node keeps the rate limit and pages through lists by itself: add no Wait, no loop and no Split In Batches for that.',
	relatedNodes: [
		{
			nodeType: EVENTS,
			relationHint: 'Starts a workflow on a message, a new contact, an opt-out, a tag or a form',
		},
		{
			nodeType: CHANGES,
			relationHint: 'Starts a workflow when a contact enters or leaves a segment, or changes',
		},
	],
};

export const eventsBuilderHint: IBuilderHint = {
	searchHint:
		'Starts on events that the CRM sends at once: message received, contact created, contact opted out, tag added, form submitted. It subscribes by itself when the workflow is published: add no Webhook node and no subscription. Answer a message with Message > Send Template of the action node.',
	relatedNodes: [
		{
			nodeType: ACTION,
			relationHint: 'Reads and changes the contact of the event, sends templates',
		},
		{ nodeType: CHANGES, relationHint: 'For what has no event: segments, changed fields, erasure' },
	],
};

export const changesBuilderHint: IBuilderHint = {
	searchHint:
		'Polls a list of contacts and starts on what differs: entered or left a segment, updated, consent changed, tag added or removed, erased. Use it only for what Workspace CRM Trigger has no event for. Each poll takes one request for every 100 contacts, of 120 a minute.',
	relatedNodes: [
		{
			nodeType: EVENTS,
			relationHint: 'Prefer it for messages, new contacts, opt-outs, added tags and forms',
		},
		{ nodeType: ACTION, relationHint: 'Reads and changes the contact, sends templates' },
	],
};
