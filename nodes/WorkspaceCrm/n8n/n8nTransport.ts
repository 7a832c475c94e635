import {
	BaseError,
	NodeApiError,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestMethods,
	type ILoadOptionsFunctions,
	type IN8nHttpFullResponse,
	type IPollFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import type { NoAnswer, NodeFailure, Transport, WireAnswer } from '../crm/transport';
import { InputProblem } from '../domain/inputProblem';
import { REQUEST_LIMIT_MS } from '../domain/timeLimits';
import { CREDENTIAL_TYPE } from './credentials';
import { withSignal } from './runs';

/** The n8n contexts that can make requests. */
export type RequestContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| IWebhookFunctions;

/**
 * Sends requests by n8n's HTTP helper, which adds the API key and uses n8n's proxy and certificates.
 *
 * @param fields the credential, decrypted once: outside of executions, n8n takes some 40 ms for it
 */
export function n8nTransport(
	context: RequestContext,
	fields: ICredentialDataDecryptedObject,
): Transport {
	return {
		async send({ method, ...request }, signal) {
			const bound = withSignal(context, signal);
			const options = {
				...request,
				method: method as IHttpRequestMethods,
				timeout: REQUEST_LIMIT_MS,
				abortSignal: signal,
				// Every status and body is read by the client, because n8n's errors come in many forms.
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				// Otherwise n8n reads and decompresses a body of any size.
				encoding: 'stream' as const,
			};
			const { httpRequestWithAuthentication } = bound.helpers;
			const answering = httpRequestWithAuthentication.call(bound, CREDENTIAL_TYPE, options, {
				credentialsDecrypted: credentialCopy(fields),
			}) as Promise<IN8nHttpFullResponse>;
			return await answering.then(toWireAnswer, toNoAnswer);
		},
	};
}

function toWireAnswer({ statusCode, headers, body }: IN8nHttpFullResponse): WireAnswer {
	return { status: statusCode, headers, body: body as AsyncIterable<Buffer> };
}

/** For each request, because n8n assigns into it. */
function credentialCopy(fields: ICredentialDataDecryptedObject): ICredentialsDecrypted {
	const ids = { id: CREDENTIAL_TYPE, name: CREDENTIAL_TYPE, type: CREDENTIAL_TYPE };
	return { ...ids, data: { ...fields } };
}

/** The parts of what n8n's HTTP helper throws that show how far a request got (seen in n8n 2.41). */
interface Thrown extends NodeFailure {
	syscall?: unknown;
	cause?: Thrown;
	isAxiosError?: boolean;
	/**
	 * Node's own request. `writableFinished` is false while it holds data. Its socket is null until one is assigned,
	 * e.g. until a proxy accepts the connection; `secureConnecting` until the TLS handshake is complete; and its
	 * dispatched bytes are 0 while it is connecting, even if data is buffered.
	 */
	request?: {
		writableFinished?: boolean;
		socket?: { secureConnecting?: boolean; _bytesDispatched?: number } | null;
	};
}

/** How far the request got decides, not the error code. */
function toNoAnswer(error: Thrown): NoAnswer {
	const { cause = {} } = error;
	if (isRefusedByN8n(error)) return { stage: 'refused', cause };
	return { stage: isUnwritten(cause) ? 'unwritten' : 'perhapsSent', cause };
}

/**
 * n8n and the credential throw errors of their own before they open a connection. Any other error may come from
 * later on.
 */
function isRefusedByN8n({ cause }: Thrown): boolean {
	if (!cause || cause.isAxiosError || cause.code !== undefined) return false;
	if (cause.cause) return isRefusedByN8n(cause);
	const isN8ns = cause instanceof BaseError && !(cause instanceof NodeApiError);
	return isN8ns || cause instanceof InputProblem;
}

/** Whether certainly no byte of the request was written. What Node does not promise can only confirm what it does. */
function isUnwritten({ syscall, code, request }: Thrown): boolean {
	if (!request) return syscall === 'getaddrinfo' || syscall === 'connect';
	const { socket, writableFinished } = request;
	const isHandshake = code === 'EPROTO' && socket?.secureConnecting === true;
	if (writableFinished !== false && !isHandshake) return false;
	return socket === null || socket?.secureConnecting === true || socket?._bytesDispatched === 0;
}
