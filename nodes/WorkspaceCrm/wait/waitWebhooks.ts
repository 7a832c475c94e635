import { SEND_AND_WAIT_OPERATION, type IWebhookDescription } from 'n8n-workflow';

/**
 * Receives the service's deliveries while an execution waits. n8n registers nothing for it, because the
 * URL names the execution and the node. So it needs no `webhookMethods`; the node creates the
 * subscription when it runs.
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

/** The tooltip of the node on the canvas while it waits. */
export const waitingTooltip = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "Execution will continue when the contact replies" : "" }}`;
