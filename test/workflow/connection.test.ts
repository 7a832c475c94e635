/**
 * The ways in which a connection fails, each made on real sockets. For each: what the node says, and
 * how often it tries a request that must not be made twice, and one that may be.
 */
import { delay, net, zlib, type tls } from '../../tools/support/platform';
import { startChildProgram, type ChildProgram } from '../../tools/support/childProgram';
import type { Job, JobResult } from './connection/job';
import {
	certificate,
	full,
	onConnection,
	onSecureText,
	onText,
	pemFile,
	unused,
	type Server,
} from './connection/servers';

/** How far requests got, which decides whether they are retried. */
type Verdict =
	/** Nothing was written: any request is tried three times. */
	| 'not sent'
	/** It may have been read: a request that must not happen twice is tried once. */
	| 'unclear'
	/** There is an answer, and it shows that nothing happened: not retried. */
	| 'refused';

interface Row {
	verdict: Verdict;
	/** The reason that the user reads. */
	says: RegExp;
	open(): Promise<Server>;
	/** Default: plain http to the server. */
	baseUrl?(server: Server): string;
	job?: Partial<Job>;
	/** The server is a proxy. */
	isProxy?: boolean;
	/** How many requests the server has read; by default each that was tried, if any was sent. */
	read?: 'none';
}

/** Time limits in place of a minute: where nothing is ever sent, and where the request must be sent first. */
const UNSENT_MS = 100;
const SENT_MS = 400;

const https = ({ port }: Server) => `https://127.0.0.1:${port}`;

/** No request goes there: only the proxy gets the name. */
const behindProxy = () => 'https://crm.example';

const OK = 'HTTP/1.1 200 OK\r\n';

/** Writes a text after a request, and then does something else. */
function answers(
	text: string | Buffer,
	then: (socket: net.Socket) => void = (socket) => socket.end(),
) {
	return async () =>
		await onText((socket) => {
			socket.write(text, () => void delay(20).then(() => then(socket)));
		});
}

/** Writes the same piece of text again and again. */
function drips(start: string, piece: string) {
	return async () =>
		await onText(async (socket) => {
			socket.write(start);
			for (; !socket.destroyed; await delay(50)) socket.write(piece);
		});
}

const reset = (socket: net.Socket) => socket.resetAndDestroy();
const never = () => {};
const secure = (options: object) => async () =>
	await onSecureText(options, (socket) => socket.end(`${OK}content-length: 2\r\n\r\n{}`));
const proxyAnswers = (text: string) => async () => await onText((socket) => socket.end(text));

/** A proxy that connects the client to the server that the TLS handshake is with. */
function tunnel(inner: () => Promise<Server>) {
	return async () => {
		const target = await inner();
		const proxy = await onText((socket) => {
			const onward = net.connect(target.port, '127.0.0.1');
			onward.on('error', never);
			socket.write('HTTP/1.1 200 OK\r\n\r\n');
			socket.pipe(onward).pipe(socket);
		});
		const close = async () => {
			await proxy.close();
			await target.close();
		};
		return { ...proxy, requests: target.requests, close };
	};
}

const REFUSED = /Reason: the connection was refused \(ECONNREFUSED\)/;
const CLOSED = /Reason: the connection was closed \(ECONNRESET\)/;
const NO_CONNECTION = /Reason: no connection within a minute/;
const NO_ANSWER = /did not answer in time.*No complete answer came within a minute/;
const NOT_HTTP = /Reason: Parse Error: .+ \(HPE_/;
const NO_NAME = /Reason: the host name was not found \((ENOTFOUND|EAI_AGAIN)\)/;
/** In place of advice to check whether the service is up. */
const untrusted = (reason: RegExp) =>
	new RegExp(
		`^The certificate of the service is not trusted .*${reason.source}.*NODE_EXTRA_CA_CERTS`,
	);
const UNKNOWN_ISSUER = /Reason: the certificate has an incomplete chain or an unknown issuer/;
const UNVERIFIED =
	/Reason: the certificate has an incomplete chain or an unknown issuer \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/;
const EXPIRED = /Reason: certificate has expired \(CERT_HAS_EXPIRED\)/;

type More = Omit<Row, 'verdict' | 'says' | 'open'>;
const row =
	(verdict: Verdict) =>
	(says: RegExp, open: Row['open'], more: More = {}): Row => ({ verdict, says, open, ...more });
const notSent = row('not sent');
const unclear = row('unclear');
const refused = row('refused');

const unsentInTime: More = { job: { limitMs: UNSENT_MS } };
const sentInTime: More = { job: { limitMs: SENT_MS } };
const overHttps: More = { baseUrl: https };
const byProxy: More = { isProxy: true };
const byProxyForHttp: More = { isProxy: true, baseUrl: () => 'http://10.0.0.1' };
const twoAddresses: More = { baseUrl: ({ port }) => `http://two-addresses.localhost:${port}` };

const onReset = async () => await onText(reset);
const onEnd = async () => await onText((socket) => socket.end());
const onSecureEnd = async () => await onSecureText(certificate('good'), (socket) => socket.end());
const onSilence = async () => await onText(never);
const chunked = `${OK}transfer-encoding: chunked\r\n\r\n`;
const packed = (encoding: string, body: Buffer) =>
	Buffer.concat([
		Buffer.from(`${OK}content-encoding: ${encoding}\r\ncontent-length: 100\r\n\r\n`),
		body,
	]);

const rows: Record<string, Row> = {
	'a host name that does not exist': notSent(NO_NAME, unused, {
		baseUrl: () => 'https://crm.invalid',
	}),
	'a port where nothing listens': notSent(REFUSED, unused),
	'two addresses where nothing listens': notSent(REFUSED, unused, {
		...twoAddresses,
		job: { triesAllAddresses: true },
	}),
	'two addresses, of which only the first is tried': notSent(REFUSED, unused, twoAddresses),
	'an address that has no route': notSent(
		/Reason: this address cannot be reached from the network of n8n \(ENETUNREACH\)/,
		unused,
		{ baseUrl: () => 'https://255.255.255.255' },
	),
	'a host that accepts no connection': notSent(NO_CONNECTION, full, unsentInTime),
	'a host that accepts no connection, with https': notSent(NO_CONNECTION, full, {
		...unsentInTime,
		...overHttps,
	}),

	'a connection reset before anything is read': unclear(
		CLOSED,
		async () => await onConnection(reset),
		{ read: 'none' },
	),
	'a connection closed before anything is read': unclear(
		CLOSED,
		async () => await onConnection((socket) => socket.destroy()),
		{ read: 'none' },
	),
	'a connection reset after the request': unclear(CLOSED, onReset),
	'a connection closed after the request': unclear(CLOSED, onEnd),
	'a connection reset in the middle of the headers': unclear(
		CLOSED,
		answers(`${OK}content-le`, reset),
	),
	'a connection reset in the middle of the body': unclear(
		CLOSED,
		answers(`${OK}content-length: 100\r\n\r\n{"a"`, reset),
	),
	'a body shorter than its length': unclear(CLOSED, answers(`${OK}content-length: 100\r\n\r\n{}`)),
	'a body cut within a chunk': unclear(CLOSED, answers(`${chunked}5\r\n{}`)),
	'a gzip body shorter than its length': unclear(
		CLOSED,
		answers(packed('gzip', zlib.gzipSync('{}').subarray(0, 15))),
	),
	'a brotli body, reset in the middle': unclear(
		CLOSED,
		answers(packed('br', zlib.brotliCompressSync('{}').subarray(0, 4)), reset),
	),
	'a chunk whose size cannot be read': unclear(
		/Reason: (the connection was closed|Parse Error: )/,
		answers(`${chunked}2\r\n{}\r\nzz\r\n`),
	),
	'a header that cannot be read': unclear(NOT_HTTP, answers(`${OK}bad header\r\n\r\n`)),
	'an answer that is not HTTP': unclear(NOT_HTTP, answers('220 mail.example ESMTP\r\n')),
	'no answer to the request': unclear(NO_ANSWER, onSilence, sentInTime),
	'an answer whose headers never end': unclear(NO_ANSWER, drips(OK, 'x: y\r\n'), sentInTime),
	'an answer whose body never ends': unclear(NO_ANSWER, drips(chunked, '1\r\n \r\n'), sentInTime),

	'https to a server that speaks http': notSent(
		/Reason: the server speaks http, not https, or the port is wrong \(EPROTO\)/,
		async () => await onText((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
		overHttps,
	),
	'http to a server that speaks https': unclear(
		/check the base URL in the credential \(.*\), also its http:\/\/ or https:\/\//,
		secure(certificate('good')),
		{ read: 'none' },
	),
	...certificateRows('a self-signed certificate', 'self-signed', UNKNOWN_ISSUER),
	...certificateRows('an expired certificate', 'expired', EXPIRED),
	...certificateRows(
		'a certificate for another host',
		'other-host',
		/Reason: Hostname\/IP does not match certificate's altnames: .+ \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
	),
	...certificateRows('a certificate without its intermediate', 'behind-intermediate', UNVERIFIED),
	'a connection closed during the TLS handshake': notSent(CLOSED, onEnd, overHttps),
	'a connection reset during the TLS handshake': notSent(CLOSED, onReset, overHttps),
	'a TLS handshake that never ends': notSent(NO_CONNECTION, onSilence, {
		...unsentInTime,
		...overHttps,
	}),
	'a connection closed after the TLS handshake and the request': unclear(
		CLOSED,
		onSecureEnd,
		overHttps,
	),

	'a proxy that does not run': notSent(REFUSED, unused, byProxy),
	'a proxy that does not run, for http': notSent(REFUSED, unused, byProxyForHttp),
	'a proxy whose name does not exist': notSent(NO_NAME, unused, {
		baseUrl: behindProxy,
		job: { proxy: 'http://proxy.invalid:3128' },
	}),
	'a proxy that wants a password': refused(
		/The service refused the request with status 407/,
		proxyAnswers('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
		byProxy,
	),
	// n8n returns this like an answer of the service, so nothing shows that the request was not sent.
	'a proxy that cannot reach the service': unclear(
		/The CRM is having problems right now.*\(HTTP 502\)/,
		proxyAnswers('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'),
		{ ...byProxy, read: 'none' },
	),
	'a proxy that resets the connection': notSent(CLOSED, onReset, byProxy),
	'a proxy that hangs up without an answer': notSent(
		/Reason: (Proxy connection ended before|the connection was closed)/,
		proxyAnswers(''),
		byProxy,
	),
	'a proxy that does not speak HTTP': notSent(
		NOT_HTTP,
		proxyAnswers('220 mail.example ESMTP\r\n\r\n'),
		byProxy,
	),
	'a proxy that never answers': notSent(
		NO_CONNECTION,
		// Until it is answered, n8n's proxy agent keeps the connection; nothing of ours is on it.
		async () => ({ ...(await onSilence()), left: async () => {} }),
		{ ...unsentInTime, ...byProxy },
	),
	'a proxy that hangs up after it has agreed': notSent(CLOSED, tunnel(onEnd), byProxy),
	'an expired certificate behind a proxy': notSent(
		untrusted(EXPIRED),
		tunnel(secure(certificate('expired'))),
		byProxy,
	),
	'a connection closed after the request, behind a proxy': unclear(CLOSED, tunnel(onSecureEnd), {
		isProxy: true,
		baseUrl: () => 'https://localhost',
	}),
	'a proxy for http that hangs up after the request': unclear(CLOSED, onEnd, byProxyForHttp),
};

/** A certificate that is refused, with both versions of TLS. */
function certificateRows(name: string, file: string, says: RegExp): Record<string, Row> {
	const options = certificate(file);
	const rowFor = (version: tls.SecureVersion): [string, Row] => [
		`${name}, with ${version}`,
		notSent(
			untrusted(says),
			secure({ ...options, minVersion: version, maxVersion: version }),
			overHttps,
		),
	];
	return Object.fromEntries([rowFor('TLSv1.2'), rowFor('TLSv1.3')]);
}

const MAY_HAVE_HAPPENED = 'The request may have taken effect, so the node did not repeat it.';

let program: ChildProgram<Job, JobResult>;
beforeAll(async () => {
	// Node reads this as it starts, so the authority can only be trusted by a process of its own.
	const variables = { NODE_EXTRA_CA_CERTS: pemFile('root') };
	program = await startChildProgram('test/workflow/connection/child.ts', [], variables);
});
afterAll(async () => await program.end());

test('a request that n8n blocks is not sent and not retried', async () => {
	const server = await onText(reset);
	const job = { baseUrl: `http://127.0.0.1:${server.port}`, limitMs: 20_000, isGuarded: true };
	const { send, read } = await program.run(job).finally(async () => await server.close());
	for (const { text, tries } of [send, read]) {
		expect(text).toMatch(/^n8n did not send the request The request was blocked/);
		expect(tries).toBe(1);
	}
	expect(server.requests).toEqual([]);
});

test.each(Object.entries(rows))('%s', async (_name, row) => {
	const server = await row.open();
	const plain = ({ port }: Server) => `http://127.0.0.1:${port}`;
	const baseUrl = (row.baseUrl ?? (row.isProxy ? behindProxy : plain))(server);
	const proxy = row.isProxy ? plain(server) : undefined;
	const { send, read } = await program
		.run({ baseUrl, proxy, limitMs: 20_000, ...row.job })
		.finally(async () => await server.left())
		.finally(async () => await server.close());

	expect(send.text).toMatch(row.says);
	expect(read.text).toMatch(row.says);
	expect(read.text).not.toContain(MAY_HAVE_HAPPENED);
	expect(send.text.includes(MAY_HAVE_HAPPENED)).toBe(row.verdict === 'unclear');
	expect(send.text.includes('Nothing was sent.')).toBe(row.verdict === 'not sent');
	const expected = { 'not sent': [3, 3], unclear: [1, 3], refused: [1, 1] }[row.verdict];
	expect([send.tries, read.tries]).toEqual(expected);

	const isRead = row.verdict === 'unclear' && row.read !== 'none';
	expect(server.requests.sort()).toEqual(isRead ? ['GET', 'GET', 'GET', 'POST'] : []);
});
