import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import {
	keepState,
	type WaitState,
} from '../../../../../nodes/WorkspaceCrm/resources/message/ask/waitState';
import { createHmac } from 'node:crypto';
import { signatureOf } from '../../../../../tools/sandbox';

/** One node of one execution, as far as a wait sees it. */
export interface Place {
	executionId?: string;
	nodeId?: string;
	/** n8n's own secret, which signs its URLs. */
	n8nSecret?: string;
}

/** n8n's signed URLs, made the way that n8n makes them. */
export function resumeUrlOf(
	{ executionId = '1', nodeId = 'ask', n8nSecret = 'n8n' }: Place,
	parameters: Record<string, string>,
): string {
	const url = new URL(`https://n8n.example.com/webhook-waiting/${executionId}/${nodeId}`);
	for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
	const signed = `${url.pathname}${url.search}`;
	url.searchParams.set('signature', createHmac('sha256', n8nSecret).update(signed).digest('hex'));
	return url.toString();
}

export function executionAt(place: Place = {}, kept: IDataObject = {}): IExecuteFunctions {
	return {
		getExecutionId: () => '1',
		getSignedResumeUrl: (parameters: Record<string, string>) => resumeUrlOf(place, parameters),
		getContext: () => kept,
	} as unknown as IExecuteFunctions;
}

export const aState: WaitState = {
	subscriptionId: 'sub_1',
	workspace: 'w1',
	secret: 'signing-secret',
	event: 'message.received',
	contactId: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b',
	askedAtMs: Date.parse('2026-11-23T10:00:10Z'),
	approvalWords: ['yes'],
	simplify: true,
	isApproval: false,
};

export interface Delivered {
	body?: unknown;
	/** The bytes, in place of the body as JSON. */
	rawBody?: Buffer;
	signature?: string;
	state?: Partial<WaitState>;
	/** Replaces parts of n8n's context. */
	context?: object;
}

export interface Answered {
	status?: number;
	said?: string;
	log: string[];
}

/** A reply of the contact. */
export function replyEvent(data: object = {}, more: object = {}) {
	const message = { wa_message_id: 'm', type: 'text', text: 'yes', is_new_contact: false };
	const contact = { id: aState.contactId };
	const created_at = '2026-11-23T10:00:20Z';
	return {
		id: 'evt',
		event: 'message.received',
		created_at,
		data: { contact, message, ...data },
		...more,
	};
}

/** What n8n hands over for a delivery, and where the answer ends up. */
export function deliveryTo(delivered: Delivered): {
	context: IWebhookFunctions;
	answered: Answered;
} {
	const { body = replyEvent(), state, context: other } = delivered;
	const kept: IDataObject = {};
	keepState(executionAt({}, kept), { ...aState, ...state });
	const rawBody = delivered.rawBody ?? Buffer.from(JSON.stringify(body));
	const signature = delivered.signature ?? signatureOf(rawBody, aState.secret);
	const answered: Answered = { log: [] };
	const response = {
		statusCode: 200,
		status(code: number) {
			answered.status = code;
			return response;
		},
		json: ({ message }: { message: string }) => {
			answered.said = message;
			return response;
		},
		end: () => response,
		once: () => response,
	};
	const context = {
		getNode: () => ({ name: 'Ask', type: 'n8n-nodes-workspace-crm.workspaceCrm' }),
		getWorkflow: () => ({ id: 'workflow-1' }),
		getExecutionId: () => '1',
		getSignedResumeUrl: (parameters: Record<string, string>) => resumeUrlOf({}, parameters),
		evaluateExpression: () => kept.wait,
		getHeaderData: () => ({
			'content-type': 'application/json',
			'x-service-signature': signature,
			'x-service-delivery': 'dlv',
		}),
		getRequestObject: () => ({ rawBody, headers: {}, readRawBody: async () => {} }),
		getResponseObject: () => response,
		logger: { warn: (line: string) => answered.log.push(line) },
		...other,
	};
	return { context: context as unknown as IWebhookFunctions, answered };
}
