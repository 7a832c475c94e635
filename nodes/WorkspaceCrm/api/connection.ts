import type { Failure } from './retry';

/** What n8n's HTTP helper throws, as far as it tells how far a request got (seen in n8n 2.41). */
interface Thrown {
	name?: string;
	message?: string;
	code?: unknown;
	syscall?: unknown;
	cause?: Thrown;
	isAxiosError?: boolean;
	/**
	 * Node's own request. Its socket is null until there is one, such as before a proxy has agreed; is
	 * `secureConnecting` until the TLS handshake is over and the certificate accepted; and has
	 * dispatched no bytes while it is still connecting, whatever waits to be written.
	 */
	request?: { socket?: { secureConnecting?: boolean; _bytesDispatched?: number } | null };
}

/** What the codes and texts of Node and OpenSSL mean; the first that fits counts. */
const REASONS: Array<[RegExp, string]> = [
	[/ENOTFOUND/, 'the host name was not found'],
	[/EAI_AGAIN/, 'the name server did not answer'],
	[/ECONNREFUSED/, 'the connection was refused'],
	[/E(NET|HOST)UNREACH/, 'this address cannot be reached from the network of n8n'],
	[/ALTNAME_INVALID/, 'the certificate is for another host name'],
	[/SELF_SIGNED|UNABLE_TO/, 'the certificate has an incomplete chain or an unknown issuer'],
	[/wrong version|packet length/, 'the server speaks http, not https, or the port is wrong'],
	[/EPROTO|_SSL_/, 'TLS version, cipher or client certificate do not suit the server'],
	[/HEADER_OVERFLOW/, 'the answer has too many headers'],
	[/HPE_/, 'the server does not speak http, or not at this port'],
	[/^Z_|^ERR_(_ERROR|BROTLI)/, 'the answer could not be decompressed'],
	[/ECONNRESET|EPIPE|ERR_BAD_RESPONSE/, 'the connection was closed'],
];

/**
 * Why a request has no answer. What counts is how far it got, and not the code: it "could not be
 * reached" only where nothing can have been written; else the request may have taken effect.
 *
 * @param isOver whether it was ended because it took too long
 */
export function readConnectionFailure(error: unknown, isOver: boolean): Failure {
	const { cause = {} } = error as Thrown;
	const reason = explain(cause);
	if (isRefusal(error as Thrown)) return { kind: 'notSent', reason };

	const isLate = isOver || cause.code === 'ECONNABORTED' || cause.code === 'ETIMEDOUT';
	if (!isUnwritten(cause)) return { kind: isLate ? 'timeout' : 'broken', reason };
	return { kind: 'unreachable', reason: isLate ? 'no connection within a minute' : reason };
}

/**
 * Why the body of an answer did not come to its end. Whatever it is, the request was written.
 *
 * @param isOver whether it was ended because it took too long
 */
export function readBodyFailure(error: unknown, isOver: boolean): Failure {
	return { kind: isOver ? 'timeout' : 'broken', reason: explain(error as Thrown) };
}

/** n8n and the credential refuse a request by errors of their own, before they open a connection. */
function isRefusal({ cause }: Thrown): boolean {
	if (!cause || cause.isAxiosError || cause.code !== undefined) return false;
	return cause.name !== 'TypeError' && (!cause.cause || isRefusal(cause));
}

/** Whether nothing of the request can have been written; false when in doubt. */
function isUnwritten({ syscall, request }: Thrown): boolean {
	if (!request) return syscall === 'getaddrinfo' || syscall === 'connect';
	const { socket } = request;
	return socket === null || socket?.secureConnecting === true || socket?._bytesDispatched === 0;
}

function explain({ code, message = '' }: Thrown): string {
	const text = `${String(code)} ${message}`;
	const words = REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? message;
	return code === undefined ? words : `${words} (${String(code)})`;
}
