import { otherFailure, type Failure } from './failure';

/** The parts of what n8n's HTTP helper throws that show how far a request got (seen in n8n 2.41). */
interface Thrown {
	name?: string;
	message?: string;
	code?: unknown;
	syscall?: unknown;
	cause?: Thrown;
	isAxiosError?: boolean;
	/**
	 * Node's own request. Its socket is null until one is assigned, e.g. until a proxy accepts the
	 * connection; `secureConnecting` until the TLS handshake is complete; and its dispatched bytes are 0
	 * while it is connecting, even if data is buffered.
	 */
	request?: { socket?: { secureConnecting?: boolean; _bytesDispatched?: number } | null };
}

/**
 * Why a request has no answer. How far it got decides, not the error code: it is "unreachable" only if
 * no bytes can have been written.
 *
 * @param isLate whether our time limit ended it
 */
export function readConnectionFailure(error: unknown, isLate: boolean): Failure {
	const { cause = {} } = error as Thrown;
	const reason = explain(cause);
	if (isRefusedByN8n(error as Thrown)) return otherFailure('notSent', { reason });
	if (!isUnwritten(cause)) {
		const isTimeout = isLate || cause.code === 'ECONNABORTED' || cause.code === 'ETIMEDOUT';
		return otherFailure(isTimeout ? 'timeout' : 'broken', { reason });
	}
	return otherFailure('unreachable', { reason: isLate ? 'no connection within a minute' : reason });
}

/** Why the body of an answer broke off. The request was sent in any case. */
export function readBodyFailure(error: unknown, isLate: boolean): Failure {
	return otherFailure(isLate ? 'timeout' : 'broken', { reason: explain(error as Thrown) });
}

/** n8n and the credential throw errors of their own before they open a connection. */
function isRefusedByN8n({ cause }: Thrown): boolean {
	if (!cause || cause.isAxiosError || cause.code !== undefined) return false;
	return cause.name !== 'TypeError' && (!cause.cause || isRefusedByN8n(cause));
}

/** Whether certainly no byte of the request was written. */
function isUnwritten({ syscall, request }: Thrown): boolean {
	if (!request) return syscall === 'getaddrinfo' || syscall === 'connect';
	const { socket } = request;
	return socket === null || socket?.secureConnecting === true || socket?._bytesDispatched === 0;
}

/** For codes and texts of Node and OpenSSL that users would not understand; the first match counts. */
const REASONS: Array<[RegExp, string]> = [
	[/ENOTFOUND|EAI_AGAIN/, 'the host name was not found'],
	[/ECONNREFUSED/, 'the connection was refused'],
	[/E(NET|HOST)UNREACH/, 'this address cannot be reached from the network of n8n'],
	[/SELF_SIGNED|UNABLE_TO/, 'the certificate has an incomplete chain or an unknown issuer'],
	[/wrong version|packet length/, 'the server speaks http, not https, or the port is wrong'],
	[/ECONNRESET|EPIPE|ERR_BAD_RESPONSE/, 'the connection was closed'],
];

function explain({ code, message = '' }: Thrown): string {
	const text = `${String(code)} ${message}`;
	const words = REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? message;
	return code === undefined ? words : `${words} (${String(code)})`;
}
