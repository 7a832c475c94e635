import type { IBuilderHint } from 'n8n-workflow';

/**
 * What a model that builds workflows should know about the action node. n8n shows it when the model searches
 * for nodes.
 */
export const nodeBuilderHint: IBuilderHint = {
	searchHint:
		'Contacts of a messaging CRM and WhatsApp templates. To send one template to many, use Message > Send Campaign, not a loop with Send Template. To bring a list of contacts in, use Contact > Sync once for all items, not a loop with Create or Update. A message reaches only contacts whose opt_in_status is confirmed. The node keeps the rate limit and pages through lists by itself: add no Wait, no loop and no Split In Batches for that.',
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
