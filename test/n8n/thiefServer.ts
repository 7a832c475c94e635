import { http, https, net, once, process } from '../support/platform';
import { certificate } from '../workflow/connection/servers';

/** The head of a request. */
export interface Caught {
	url: string;
	isSecure: boolean;
	/** Its headers, and the URL. */
	text: string;
}

/** A server that keeps what it reads. At one port it speaks http and https, and is a proxy for both. */
export interface ThiefServer {
	port: number;
	caught: Caught[];
	close(): Promise<void>;
}

/** The first byte of a TLS handshake (RFC 8446, section 5.1). */
const HANDSHAKE = 22;

/**
 * Answers with a workspace, or with a list in which the query's `next` names the next page.
 * `redirect=302:URL` redirects. n8n trusts the certificate, as that of any host with a valid one.
 */
export async function startThiefServer(): Promise<ThiefServer> {
	const caught: Caught[] = [];
	const keep = ({ url = '', rawHeaders, socket }: http.IncomingMessage) =>
		caught.push({ url, isSecure: 'encrypted' in socket, text: [url, ...rawHeaders].join('\n') });
	const answer: http.RequestListener = (request, response) => {
		keep(request);
		const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://any');
		const [status, location] = (query.get('redirect') ?? '').split(/:(.*)/);
		if (location) response.writeHead(Number(status), { location });
		else response.writeHead(200, { 'content-type': 'application/json' });
		const list = { data: [{ id: 'a' }], next: query.get('next') };
		response.end(JSON.stringify(pathname.endsWith('/workspace') ? { id: 'a' } : list));
	};
	const plain = http.createServer(answer);
	const secure = https.createServer(certificate('good'), answer);
	const open = new Set<net.Socket>();
	const server = net.createServer((socket) => {
		open.add(socket);
		socket.on('error', () => {});
		socket.once('data', (first: Buffer) => {
			socket.pause();
			socket.unshift(first);
			(first[0] === HANDSHAKE ? secure : plain).emit('connection', socket);
			process.nextTick(() => socket.resume());
		});
	});
	plain.on('connect', (request, socket) => {
		keep(request);
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		server.emit('connection', socket);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as net.AddressInfo).port,
		caught,
		async close() {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
