/** A request to the service, without its authentication. */
export interface WireRequest {
	method: string;
	url: string;
	headers: Record<string, string>;
	/** JSON. */
	body?: string;
}

/** An answer of the service, with any status. Its body is read later, and may break off. */
export interface WireAnswer {
	status: number;
	/** By lower-case names. */
	headers: Readonly<Record<string, unknown>>;
	body: AsyncIterable<Buffer>;
}

/** The only thing that the client gets from outside: it sends requests with the user's API key. */
export interface Transport {
	/**
	 * Sends a request once, until the signal aborts. It follows no redirect. If it throws, the request may have been
	 * sent.
	 */
	send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer | NoAnswer>;
}

/** Why there is no answer. */
export interface NoAnswer {
	/** How far the request got: refused before a connection was opened, certainly not written, or perhaps sent. */
	stage: 'refused' | 'unwritten' | 'perhapsSent';
	/** The error that shows it. */
	cause: NodeFailure;
}

/** What an error of Node.js says. */
export interface NodeFailure {
	message?: string;
	code?: unknown;
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

/** Whether Node.js does not trust a certificate: by OpenSSL's codes and its own for the host name. */
export function isAboutCertificate({ code }: NodeFailure): boolean {
	return /CERT|UNABLE_TO|INVALID_CA|HOSTNAME_MISMATCH/.test(String(code));
}

/** The reason of a failed connection, in words that users understand. */
export function explain({ code, message = '' }: NodeFailure): string {
	const text = `${String(code)} ${message}`;
	const words = REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? message;
	return code === undefined ? words : `${words} (${String(code)})`;
}
