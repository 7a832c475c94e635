import type { IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/**
 * Whether the context is that of "Listen for test event". When n8n ends the test, only what it keeps
 * about the webhook tells (n8n/webhooks/test-webhooks, seen in 2.41).
 */
export function isTestRun(context: IHookFunctions | IWebhookFunctions): boolean {
	const { webhookData } = context as { webhookData?: { isTest?: boolean } };
	return context.getMode() === 'manual' || webhookData?.isTest === true;
}

/**
 * The bytes of a request as they came; rejects if they cannot be read. n8n has read them already unless it
 * cannot parse what they are said to be. A form is taken apart while it is read and leaves no bytes
 * (n8n/middlewares/body-parser and n8n/webhooks/webhook-helpers, seen in 2.41).
 */
export async function readRawBody(context: IWebhookFunctions): Promise<Buffer | undefined> {
	const request = context.getRequestObject();
	const isForm = request.headers['content-type']?.startsWith('multipart/');
	if (!isForm) await request.readRawBody();
	return request.rawBody;
}

/**
 * Calls back when n8n answers, which it does once the workflow was started or could not be, however
 * long that takes. Where the sender has hung up before, no event of the response tells, so its `end` is
 * watched (n8n/webhooks/webhook-request-handler, seen in 2.41).
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
 * Answers with a status of ours, past n8n, which answers 200 to whatever a webhook returns
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
