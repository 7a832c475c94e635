import { repositoryFolder } from '../../../tools/n8n/paths';
import {
	childProcess,
	delay,
	fs,
	net,
	once,
	path,
	process,
	tls,
} from '../../../tools/support/platform';

/** A server that does one thing wrong, and what it has read of the requests to it. */
export interface Server {
	port: number;
	/** The methods of the requests that it could read, in the order of their arrival. */
	requests: string[];
	/** Waits until nobody is connected any more. */
	left(): Promise<void>;
	close(): Promise<void>;
}

/** What a server does with a connection; `text` is the first thing that came over it. */
type Act = (socket: net.Socket, text: string) => unknown;

const certificates = path.join(repositoryFolder, 'test/support/certificates');

export function pemFile(name: string): string {
	return path.join(certificates, `test-only-${name}.pem`);
}

/** A certificate and its key, as a server needs them. */
export function certificate(name: string): tls.TlsOptions {
	const [cert, key] = [name, `${name}.key`].map((file) => fs.readFileSync(pemFile(file)));
	return { cert, key };
}

/** Speaks plain TCP: does something when the first text has come over a connection. */
export async function onText(act: Act): Promise<Server> {
	const requests: string[] = [];
	return await listen(net.createServer(read(act, requests)), requests);
}

/** Does something with a connection before it has read anything. */
export async function onConnection(act: (socket: net.Socket) => void): Promise<Server> {
	// A moment later, so that the connection is made and the request on its way.
	const later = (socket: net.Socket) => void delay(50).then(() => act(socket));
	return await listen(net.createServer({ pauseOnConnect: true }, later), []);
}

/** The same as `onText`, after a TLS handshake. */
export async function onSecureText(options: tls.TlsOptions, act: Act): Promise<Server> {
	const requests: string[] = [];
	const server = tls.createServer(options, read(act, requests));
	server.on('tlsClientError', () => {});
	return await listen(server, requests);
}

/** Lets nobody in: connections are neither accepted nor refused. */
export async function full(): Promise<Server> {
	const program = `
		const server = require('node:net').createServer(() => {});
		server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));
	`;
	const child = childProcess.spawn(process.execPath, ['-e', program]);
	const [line] = (await once(child.stdout, 'data')) as [Buffer];
	const port = Number(String(line));
	// A stopped process accepts nothing, and after a few connections, the system does not answer either.
	child.kill('SIGSTOP');
	const waiting = Array.from({ length: 4 }, () => net.connect(port, '127.0.0.1'));
	for (const socket of waiting) socket.on('error', () => {});
	await delay(200);
	return {
		port,
		requests: [],
		left: async () => {},
		async close() {
			for (const socket of waiting) socket.destroy();
			child.kill('SIGKILL');
			await once(child, 'exit');
		},
	};
}

/** A port at which nobody listens. */
export async function unused(): Promise<Server> {
	const { port, close } = await onText(() => {});
	await close();
	return { port, requests: [], left: async () => {}, close: async () => {} };
}

function read(act: Act, requests: string[]) {
	return (socket: net.Socket) => {
		socket.on('error', () => {});
		socket.once('data', (data) => {
			const text = String(data);
			const [method] = /^(GET|POST) .*\/v1\//.exec(text)?.slice(1) ?? [];
			if (method) requests.push(method);
			void act(socket, text);
		});
	};
}

async function listen(server: net.Server, requests: string[]): Promise<Server> {
	const open = new Set<net.Socket>();
	server.on('connection', (socket: net.Socket) => {
		open.add(socket);
		socket.on('error', () => {});
		socket.once('close', () => open.delete(socket));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as net.AddressInfo;
	return {
		port,
		requests,
		async left() {
			while (open.size > 0) await delay(20);
		},
		async close() {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
