/**
 * The ways in which a connection fails, each made on real sockets. For each: what the node says, and
 * how often it tries a request that must not be made twice, and one that may be.
 */
import { delay, net, zlib } from '../support/platform';
import { startChildProgram, type ChildProgram } from '../support/childProgram';
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

/** How far requests got, and what therefore comes of them. */
type Verdict =
	/** Nothing was written: tried three times, whatever it is. */
	| 'not sent'
	/** It may have been read: what must not happen twice is tried once. */
	| 'unclear'
	/** There is an answer, and it tells that nothing happened: not tried again. */
	| 'refused';

interface Row {
	verdict: Verdict;
	/** What the user reads of the reason. */
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

/** The minute that a request may take, where nothing is ever sent, and where the request has to be sent first. */
const UNSENT_MS = 100;
const SENT_MS = 400;

const https = ({ port }: Server) => `https://127.0.0.1:${port}`;

/** Nobody is asked there: the name is only told to the proxy. */
const behindProxy = () => 'https://crm.example';

const OK = 'HTTP/1.1 200 OK\r\n';

/** Says something after a request, and then does something else. */
function answers(
	text: string | Buffer,
	then: (socket: net.Socket) => void = (socket) => socket.end(),
) {
	return async () =>
		await onText((socket) => {
			socket.write(text, () => void delay(20).then(() => then(socket)));
		});
}

/** Says the next piece of a text again and again. */
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

/** Lets the client through to whatever the handshake is to be made with. */
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

const rows: Record<string, Row> = {
	'a host name that does not exist': {
		verdict: 'not sent',
		says: /Reason: the host name was not found \((ENOTFOUND|EAI_AGAIN)\)/,
		open: unused,
		baseUrl: () => 'https://crm.invalid',
	},
	'a port at which nobody listens': {
		verdict: 'not sent',
		says: /Reason: the connection was refused \(ECONNREFUSED\)/,
		open: unused,
	},
	'two addresses, and nobody listens at either': {
		verdict: 'not sent',
		says: /Reason: the connection was refused \(ECONNREFUSED\)/,
		open: unused,
		baseUrl: ({ port }) => `http://two-addresses.localhost:${port}`,
		job: { triesAllAddresses: true },
	},
	'two addresses, of which only the first is tried': {
		verdict: 'not sent',
		says: /Reason: the connection was refused \(ECONNREFUSED\)/,
		open: unused,
		baseUrl: ({ port }) => `http://two-addresses.localhost:${port}`,
	},
	'an address without a way to it': {
		verdict: 'not sent',
		says: /Reason: this address cannot be reached from the network of n8n \(ENETUNREACH\)/,
		open: unused,
		baseUrl: () => 'https://255.255.255.255',
	},
	'a host that does not take the connection': {
		verdict: 'not sent',
		says: /Reason: no connection within a minute/,
		open: full,
		job: { limitMs: UNSENT_MS },
	},
	'a host that does not take the connection, with https': {
		verdict: 'not sent',
		says: /Reason: no connection within a minute/,
		open: full,
		baseUrl: https,
		job: { limitMs: UNSENT_MS },
	},

	'a connection reset before anything is read': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onConnection(reset),
		read: 'none',
	},
	'a connection closed before anything is read': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onConnection((socket) => socket.destroy()),
		read: 'none',
	},
	'a connection reset after the request': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onText(reset),
	},
	'a connection closed after the request': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onText((socket) => socket.end()),
	},
	'a connection reset in the middle of the headers': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: answers(`${OK}content-le`, reset),
	},
	'a connection reset in the middle of the body': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: answers(`${OK}content-length: 100\r\n\r\n{"a"`, reset),
	},
	'a body shorter than its length': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: answers(`${OK}content-length: 100\r\n\r\n{}`),
	},
	'a body cut within a chunk': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: answers(`${OK}transfer-encoding: chunked\r\n\r\n5\r\n{}`),
	},
	'a packed body shorter than its length': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: answers(
			Buffer.concat([
				Buffer.from(`${OK}content-encoding: gzip\r\ncontent-length: 100\r\n\r\n`),
				zlib.gzipSync('{}').subarray(0, 15),
			]),
		),
	},
	'a packed body, reset in the middle': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: answers(
			Buffer.concat([
				Buffer.from(`${OK}content-encoding: br\r\ncontent-length: 100\r\n\r\n`),
				zlib.brotliCompressSync('{}').subarray(0, 4),
			]),
			reset,
		),
	},
	'a chunk whose size cannot be read': {
		verdict: 'unclear',
		says: /Reason: (the connection was closed|Parse Error: )/,
		open: answers(`${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n`),
	},
	'a header that cannot be read': {
		verdict: 'unclear',
		says: /Reason: Parse Error: .+ \(HPE_/,
		open: answers(`${OK}bad header\r\n\r\n`),
	},
	'an answer that is not HTTP': {
		verdict: 'unclear',
		says: /Reason: Parse Error: .+ \(HPE_/,
		open: answers('220 mail.example ESMTP\r\n'),
	},
	'no answer to the request': {
		verdict: 'unclear',
		says: /did not answer in time.*No complete answer came within a minute/,
		open: async () => await onText(never),
		job: { limitMs: SENT_MS },
	},
	'an answer whose headers never end': {
		verdict: 'unclear',
		says: /did not answer in time.*No complete answer came within a minute/,
		open: drips(OK, 'x: y\r\n'),
		job: { limitMs: SENT_MS },
	},
	'an answer whose body never ends': {
		verdict: 'unclear',
		says: /did not answer in time.*No complete answer came within a minute/,
		open: drips(`${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
		job: { limitMs: SENT_MS },
	},

	'https to a server that speaks http': {
		verdict: 'not sent',
		says: /Reason: the server speaks http, not https, or the port is wrong \(EPROTO\)/,
		open: async () => await onText((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
		baseUrl: https,
	},
	'http to a server that speaks https': {
		verdict: 'unclear',
		says: /should start with http:\/\/ or https:\/\//,
		open: secure(certificate('good')),
		read: 'none',
	},
	...Object.fromEntries(
		(['TLSv1.2', 'TLSv1.3'] as const).flatMap((version): Array<[string, Row]> => {
			const refuses = (name: string, says: RegExp): [string, Row] => [
				`a certificate ${name}, with ${version}`,
				{
					verdict: 'not sent',
					says,
					open: secure({
						...certificate(name.replaceAll(' ', '-')),
						minVersion: version,
						maxVersion: version,
					}),
					baseUrl: https,
				},
			];
			return [
				refuses(
					'self signed',
					/Reason: the certificate has an incomplete chain or an unknown issuer/,
				),
				refuses('expired', /Reason: certificate has expired \(CERT_HAS_EXPIRED\)/),
				refuses(
					'other host',
					/Reason: Hostname\/IP does not match certificate's altnames: .+ \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
				),
				refuses(
					'behind intermediate',
					/Reason: the certificate has an incomplete chain or an unknown issuer \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/,
				),
			];
		}),
	),
	'a connection closed during the TLS handshake': {
		verdict: 'not sent',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onText((socket) => socket.end()),
		baseUrl: https,
	},
	'a connection reset during the TLS handshake': {
		verdict: 'not sent',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onText(reset),
		baseUrl: https,
	},
	'a TLS handshake that never ends': {
		verdict: 'not sent',
		says: /Reason: no connection within a minute/,
		open: async () => await onText(never),
		baseUrl: https,
		job: { limitMs: UNSENT_MS },
	},
	'a connection closed after the TLS handshake and the request': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onSecureText(certificate('good'), (socket) => socket.end()),
		baseUrl: https,
	},

	'a proxy that does not run': {
		verdict: 'not sent',
		says: /Reason: the connection was refused \(ECONNREFUSED\)/,
		open: unused,
		isProxy: true,
	},
	'a proxy that does not run, for http': {
		verdict: 'not sent',
		says: /Reason: the connection was refused \(ECONNREFUSED\)/,
		open: unused,
		isProxy: true,
		baseUrl: () => 'http://10.0.0.1',
	},
	'a proxy whose name does not exist': {
		verdict: 'not sent',
		says: /Reason: the host name was not found/,
		open: unused,
		baseUrl: behindProxy,
		job: { proxy: 'http://proxy.invalid:3128' },
	},
	'a proxy that wants a password': {
		verdict: 'refused',
		says: /The service refused the request with status 407/,
		open: proxyAnswers('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
		isProxy: true,
	},
	// n8n gives this like an answer of the service's, so nobody can tell that nothing was sent.
	'a proxy that cannot reach the service': {
		verdict: 'unclear',
		says: /The CRM is having problems right now.*\(HTTP 502\)/,
		open: proxyAnswers('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'),
		isProxy: true,
		read: 'none',
	},
	'a proxy that resets the connection': {
		verdict: 'not sent',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onText(reset),
		isProxy: true,
	},
	'a proxy that hangs up without a word': {
		verdict: 'not sent',
		says: /Reason: (Proxy connection ended before|the connection was closed)/,
		open: proxyAnswers(''),
		isProxy: true,
	},
	'a proxy that does not speak HTTP': {
		verdict: 'not sent',
		says: /Reason: Parse Error: .+ \(HPE_/,
		open: proxyAnswers('220 mail.example ESMTP\r\n\r\n'),
		isProxy: true,
	},
	'a proxy that never answers': {
		verdict: 'not sent',
		says: /Reason: no connection within a minute/,
		// Until it is answered, n8n's proxy agent keeps the connection; nothing of ours is on it.
		open: async () => ({ ...(await onText(never)), left: async () => {} }),
		isProxy: true,
		job: { limitMs: UNSENT_MS },
	},
	'a proxy that hangs up after it has agreed': {
		verdict: 'not sent',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: tunnel(async () => await onText((socket) => socket.end())),
		isProxy: true,
	},
	'an expired certificate behind a proxy': {
		verdict: 'not sent',
		says: /Reason: certificate has expired \(CERT_HAS_EXPIRED\)/,
		open: tunnel(secure(certificate('expired'))),
		isProxy: true,
	},
	'a connection closed after the request, behind a proxy': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: tunnel(async () => await onSecureText(certificate('good'), (socket) => socket.end())),
		isProxy: true,
		baseUrl: () => 'https://localhost',
	},
	'a proxy for http that hangs up after the request': {
		verdict: 'unclear',
		says: /Reason: the connection was closed \(ECONNRESET\)/,
		open: async () => await onText((socket) => socket.end()),
		isProxy: true,
		baseUrl: () => 'http://10.0.0.1',
	},
};

const MAY_HAVE_HAPPENED = 'The request may have taken effect, so the node did not repeat it.';

let program: ChildProgram<Job, JobResult>;
beforeAll(async () => {
	// Node reads this as it starts, so the authority can only be trusted by a process of its own.
	const variables = { NODE_EXTRA_CA_CERTS: pemFile('root') };
	program = await startChildProgram('test/workflow/connection/child.ts', [], variables);
});
afterAll(async () => await program.end());

test('what n8n itself blocks is not sent, and not tried again', async () => {
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
