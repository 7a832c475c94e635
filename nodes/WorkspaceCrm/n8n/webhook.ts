import type {
	IHookFunctions,
	IPollFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

/**
 * Whether somebody tests the node in the editor. When n8n ends "Listen for test event", only its data about
 * the webhook says so (n8n/webhooks/test-webhooks, seen in 2.41).
 */
export function isTestRun(context: IHookFunctions | IPollFunctions | IWebhookFunctions): boolean {
	const { webhookData } = context as { webhookData?: { isTest?: boolean } };
	return context.getMode() === 'manual' || webhookData?.isTest === true;
}

/**
 * Returns the exact bytes of a request; rejects if they cannot be read, as for a form with files, which
 * n8n has parsed as a stream (n8n/middlewares/body-parser, seen in 2.41).
 */
export async function readRawBody(context: IWebhookFunctions): Promise<Buffer> {
	const request = context.getRequestObject();
	await request.readRawBody();
	return request.rawBody;
}

/**
 * Calls back when n8n answers: once it has started the workflow or failed to, however long that takes.
 * If the sender disconnected, the response emits no event, so this wraps `end`
 * (n8n/webhooks/webhook-request-handler, seen in 2.41).
 */
export function whenAnswered(context: IWebhookFunctions, act: (status: number) => void): void {
	const response = context.getResponseObject();
	response.end = new Proxy(response.end, {
		apply(end, self, args) {
			act(response.statusCode);
			return Reflect.apply(end, self, args) as unknown;
		},
	});
}

/**
 * Answers with a status of our own: n8n itself answers 200 to whatever a webhook returns
 * (n8n/webhooks/webhook-helpers, seen in 2.41).
 */
export function answer(
	context: IWebhookFunctions,
	status: number,
	message: string,
): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
