import { SEND_AND_WAIT_OPERATION, type IWebhookDescription } from 'n8n-workflow';

/**
 * Where the service's deliveries come in while an execution waits. n8n registers nothing for it: the
 * URL names the execution and the node. So there is nothing to set up or to take down, and no
 * `webhookMethods`; the subscription at the service is made when the node runs.
 */
export const waitWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		responseData: 'noData',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	},
];

/** What the node on the canvas says while it waits. */
export const waitingTooltip = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "Execution will continue when the contact replies" : "" }}`;
