import type {
	IHookFunctions,
	IPollFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { plainText } from '../domain/text';

/**
 * Whether somebody tests the node in the editor. When n8n ends "Listen for test event", only its data about
 * the webhook says so (n8n/webhooks/test-webhooks, seen in 2.41).
 */
export function isTestRun(context: IHookFunctions | IPollFunctions | IWebhookFunctions): boolean {
	const { webhookData } = context as { webhookData?: { isTest?: boolean } };
	return context.getMode() === 'manual' || webhookData?.isTest === true;
}

/**
 * Identifies a publishing: all of n8n's tries to register a trigger have the same workflow object (n8n/
 * workflows/triggers/workflow-trigger-activator, seen in 2.41).
 */
export function publishingOf(context: IHookFunctions): object {
	const { workflow } = context as { workflow?: object };
	return workflow ?? context;
}

/** How to answer a request that starts nothing. */
export interface Answer {
	status: number;
	message: string;
	/** A line for n8n's log, without text of the sender. */
	log?: string;
	/** Text of others for the same line. */
	detail?: string;
}

/**
 * Reads the exact bytes of a request. They are missing for a form with files, for example, which n8n has
 * parsed as a stream (n8n/middlewares/body-parser, seen in 2.41).
 */
export async function readRawBody(
	context: IWebhookFunctions,
): Promise<{ body: Buffer; refused?: undefined } | { body?: undefined; refused: Answer }> {
	try {
		const request = context.getRequestObject();
		await request.readRawBody();
		return { body: request.rawBody };
	} catch (error) {
		const { status = 400, message: detail } = error as Error & { status?: number };
		const log = 'was refused: its body could not be read';
		if (status === 413)
			return { refused: { status, message: 'The delivery is too large', log, detail } };
		return { refused: { status: 400, message: 'The delivery could not be read', log, detail } };
	}
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

const MAX_CHARACTERS = 200;

/**
 * Answers with a status of our own: n8n itself answers 200 to whatever a webhook returns
 * (n8n/webhooks/webhook-helpers, seen in 2.41).
 */
export function answer(
	context: IWebhookFunctions,
	{ status, message, log, detail = '' }: Answer,
): IWebhookResponseData {
	if (log !== undefined) {
		const name = plainText(context.getNode().name, MAX_CHARACTERS);
		const said = detail && ` (${plainText(detail, MAX_CHARACTERS)})`;
		context.logger.warn(
			`Workspace CRM: A delivery to the node '${name}' of the workflow ${context.getWorkflow().id} ${log}${said}`,
		);
	}
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
