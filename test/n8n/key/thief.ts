import { fs, http, https, net, once, tls } from '../../support/platform';
import { certificate, pemFile } from '../../workflow/connection/servers';

/** A request as it came, with everything in it that could hold a key. */
export interface Caught {
	/** First line, headers and body. */
	text: string;
	/** To which of the ways it belongs, as its URL says; undefined where it does not. */
	way?: number;
}

/**
 * Whoever wants the key: a web server with and without TLS, which is a proxy too. It opens the
 * tunnels that are made through it, with the only certificate it has: one that nobody trusts.
 */
export interface Thief {
	http: string;
	https: string;
	/** Everything that reached it: requests, what was in tunnels, and the names asked for in TLS. */
	caught: Caught[];
	close(): Promise<void>;
}

/** What makes its certificate a trusted one, where somebody may name an authority. */
export const thiefsAuthority = fs.readFileSync(pemFile('self-signed'), 'utf8');

export async function startThief(): Promise<Thief> {
	const caught: Caught[] = [];
	const answer: http.RequestListener = (request, response) => {
		void readRequest(request).then((text) => {
			caught.push({ text, way: wayOf(text) });
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ id: 'thief', data: [{ id: 'thief' }] }));
		});
	};
	const secure = https.createServer(
		{
			...certificate('self-signed'),
			SNICallback: (name, done) => {
				caught.push({ text: name });
				done(null);
			},
		},
		answer,
	);
	const plain = http.createServer(answer);
	const connect = (request: http.IncomingMessage, socket: net.Socket) => {
		caught.push({ text: head(request) });
		socket.on('error', () => {});
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		secure.emit('connection', socket);
	};
	for (const server of [plain, secure]) server.on('connect', connect);
	secure.on('tlsClientError', () => {});
	const [plainServer, secureServer] = await Promise.all([listen(plain), listen(secure)]);
	return {
		http: `http://127.0.0.1:${plainServer.port}`,
		https: `https://localhost:${secureServer.port}`,
		caught,
		async close() {
			await Promise.all([plainServer.close(), secureServer.close()]);
		},
	};
}

/** The number of the way in a URL, wherever in a request it stands. */
export function wayOf(text: string): number | undefined {
	const [, number] = /\bway(?:=|%3D)(\d+)/.exec(text) ?? [];
	return number === undefined ? undefined : Number(number);
}

export async function readRequest(request: http.IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	request.on('data', (chunk: Buffer) => chunks.push(chunk));
	// Also when it is broken off: what has come is known.
	await new Promise((resolve) => request.once('close', resolve));
	return `${head(request)}\n\n${Buffer.concat(chunks).toString('latin1')}`;
}

function head({ method, url, rawHeaders }: http.IncomingMessage): string {
	const lines = rawHeaders.flatMap((name, index) =>
		index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
	);
	return [`${method} ${url}`, ...lines].join('\n');
}

export async function listen(
	server: net.Server | tls.Server,
): Promise<{ port: number; close(): Promise<void> }> {
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
		async close() {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}

/** All forms in which a text may hold the key. */
export function carries(text: string, key: string): boolean {
	return formsOf(key).some((form) => text.includes(form));
}

/** The texts of which one is in every text that holds the key. */
export function formsOf(key: string): string[] {
	const bytes = Buffer.from(key);
	// Within a longer text, base64 depends on how many bytes stand before; the ends belong to others too.
	const base64 = [0, 1, 2].flatMap((before) => {
		const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		const own = text.slice(
			Math.ceil((before * 8) / 6),
			Math.floor(((before + bytes.length) * 8) / 6),
		);
		return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
	});
	const encoded = encodeURIComponent(key);
	return [
		...[key, encoded, encodeURIComponent(encoded), JSON.stringify(key).slice(1, -1)],
		...[bytes.toString('hex'), ...base64],
		// Unencoded letters and digits are the same in all of them.
		...(key.match(/[a-z\d]{16,}/gi) ?? []),
	];
}
