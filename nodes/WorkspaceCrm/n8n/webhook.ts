import type {
	IHookFunctions,
	INodeExecutionData,
	IPollFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { plainText } from '../domain/text';

/** The URL of a test, in the static data that n8n keeps for this test only. */
const TEST_URL = 'testUrl';

/**
 * Marks the static data of a test ("Listen for test event"): when n8n ends the test, the mode no longer tells
 * it from a published workflow (n8n/webhooks/test-webhooks, seen in 2.41).
 */
export function markTestRun(context: IHookFunctions): void {
	if (context.getMode() !== 'manual') return;
	context.getWorkflowStaticData('node')[TEST_URL] = context.getNodeWebhookUrl('default');
}

/** Whether somebody tests the node in the editor. */
export function isTestRun(context: IHookFunctions | IPollFunctions | IWebhookFunctions): boolean {
	if (context.getMode() === 'manual') return true;
	if (!('getNodeWebhookUrl' in context)) return false;
	const { [TEST_URL]: url } = context.getWorkflowStaticData('node');
	return !!url && url === context.getNodeWebhookUrl('default');
}

/**
 * Identifies a publishing: all of n8n's tries to register a trigger have the same workflow object (n8n/
 * workflows/triggers/workflow-trigger-activator, seen in 2.41).
 */
export function publishingOf(context: IHookFunctions): object {
	const { workflow } = context as { workflow?: object };
	return workflow ?? context;
}

/** Thrown where a delivery starts nothing: how to answer it. */
export class NothingStarted extends Error {
	/**
	 * @param log a line for n8n's log, without text of the sender
	 * @param detail text of others for the same line
	 */
	constructor(
		readonly status: number,
		message: string,
		readonly log?: string,
		readonly detail = '',
	) {
		super(message);
	}
}

/**
 * Handles one delivery: starts or resumes the workflow with an item, or answers why not. Never throws, because
 * n8n would start a failed execution, or resume one with an empty item, and anybody can send requests here
 * (n8n/webhooks/webhook-helpers, seen in 2.41).
 *
 * @param toItem throws NothingStarted
 */
export async function receive(
	context: IWebhookFunctions,
	toItem: (body: Buffer) => INodeExecutionData,
): Promise<IWebhookResponseData> {
	try {
		return { workflowData: [[toItem(await readRawBody(context))]] };
	} catch (error) {
		return answer(context, error as Error);
	}
}

/**
 * Reads the exact bytes of a request. They are missing for a form with files, for example, which n8n has
 * parsed as a stream (n8n/middlewares/body-parser, seen in 2.41).
 */
async function readRawBody(context: IWebhookFunctions): Promise<Buffer> {
	const request = context.getRequestObject() as RequestWithBody;
	const reading = async () => await request.readRawBody?.();
	await reading().catch(({ message, status }: Error & { status?: number }) => {
		const [code, problem] = status === 413 ? [413, 'is too large'] : [400, 'could not be read'];
		const log = 'was refused: its body could not be read';
		throw new NothingStarted(code, `The delivery ${problem}`, log, message);
	});
	const { rawBody } = request;
	if (Buffer.isBuffer(rawBody)) return rawBody;
	if (typeof rawBody === 'string') return Buffer.from(rawBody);
	throw new NothingStarted(
		503,
		NOT_HANDLED,
		'could not be handled: n8n gives no bytes of its body',
	);
}

interface RequestWithBody {
	readRawBody?(): Promise<void>;
	rawBody?: unknown;
}

/**
 * Calls back when n8n answers: once it has started the workflow or failed to, however long that takes. If the
 * sender disconnected, the response emits no event, so this wraps `end` (n8n/webhooks/webhook-request-handler,
 * seen in 2.41). If it cannot, this calls back at once, with a line in the log: as not started, so that no event is
 * lost, and one that the service sends twice may start the workflow twice.
 */
export function whenAnswered(context: IWebhookFunctions, act: (hasStarted: boolean) => void): void {
	const { getResponseObject } = context as Partial<IWebhookFunctions>;
	const response = getResponseObject?.call(context);
	let isOpen = true;
	const settle = (hasStarted: boolean) => {
		if (isOpen) act(hasStarted);
		isOpen = false;
	};
	if (response && isWatched(response, settle)) return;
	warn(context, 'has no answer that can be watched: it may start the workflow twice');
	settle(false);
}

type ServerResponse = ReturnType<IWebhookFunctions['getResponseObject']>;

/** @returns whether n8n's answer will be seen */
function isWatched(response: ServerResponse, settle: (hasStarted: boolean) => void): boolean {
	const { end, statusCode } = response as Partial<ServerResponse>;
	if (typeof end !== 'function' || typeof statusCode !== 'number') return false;
	const ours = new Proxy(end, {
		apply(theirs, self, args) {
			settle(response.statusCode < 400);
			return Reflect.apply(theirs, self, args) as unknown;
		},
	});
	if (!Reflect.set(response, 'end', ours) || response.end !== ours) return false;
	// In case that n8n answers in another way.
	response.once('close', () => response.writableEnded && settle(response.statusCode < 400));
	return true;
}

/** Answers with a status of our own: n8n itself answers 200 to whatever a webhook returns. */
function answer(context: IWebhookFunctions, error: Error): IWebhookResponseData {
	const { status, message, log, detail } =
		error instanceof NothingStarted
			? error
			: new NothingStarted(503, NOT_HANDLED, 'could not be handled', error.message);
	if (log !== undefined) warn(context, log, detail);
	const { getResponseObject } = context as Partial<IWebhookFunctions>;
	if (typeof getResponseObject === 'function') {
		getResponseObject.call(context).status(status).json({ message });
		return { noWebhookResponse: true };
	}
	warn(context, `was answered with 200 instead of ${status}: n8n lets this node set no status`);
	return { webhookResponse: { message } };
}

/** Adds a line to n8n's log. @param detail text of others */
function warn(context: IWebhookFunctions, log: string, detail = ''): void {
	const name = plainText(context.getNode().name, 200);
	const said = detail && ` (${plainText(detail, 200)})`;
	context.logger.warn(
		`Workspace CRM: A delivery to the node '${name}' of the workflow ${context.getWorkflow().id} ${log}${said}`,
	);
}

const NOT_HANDLED = 'The delivery could not be handled; try again later';
