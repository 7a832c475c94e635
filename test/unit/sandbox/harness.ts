import type { Contact, Sandbox } from '../../../tools/sandbox';
import type { Clock } from '../../../tools/support/clock';
import { http, once } from '../../../tools/support/platform';

export interface Answer<T = Record<string, unknown>> {
	status: number;
	headers: Headers;
	text: string;
	/** The parsed JSON; undefined if the text is not JSON. */
	body: T;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Sends one request with the sandbox's key. */
export async function call<T = Record<string, unknown>>(
	{ url, apiKey }: Pick<Sandbox, 'url' | 'apiKey'>,
	method: string,
	path: string,
	body?: unknown,
): Promise<Answer<T>> {
	const response = await fetch(url + path, {
		method,
		headers: {
			authorization: `Bearer ${apiKey}`,
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
		},
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const text = await response.text();
	return { status: response.status, headers: response.headers, text, body: parse(text) as T };
}

/** Puts a contact into the store without a request. */
export const addContact = ({ store }: Sandbox, fields: Partial<Contact> = {}): Contact =>
	store.addContact({ phone: '+4915123456789', ...fields });

/** A clock that moves only by `advance`. */
export function stoppedClock(startMs = 1_000_000): Clock & { advance(byMs: number): void } {
	let nowMs = startMs;
	return {
		now: () => nowMs,
		sleep: async () => {},
		advance: (byMs) => {
			nowMs += byMs;
		},
	};
}

export interface Received {
	path: string;
	headers: http.IncomingHttpHeaders;
	body: string;
}

export interface Receiver {
	origin: string;
	received: Received[];
	close(): Promise<void>;
}

/** A local webhook receiver; `statusFor` returns the status for the n-th delivery; null means no answer. */
export async function startReceiver(
	statusFor: (index: number) => number | null = () => 200,
): Promise<Receiver> {
	const received: Received[] = [];
	const server = http.createServer((request, response) => {
		let body = '';
		request.setEncoding('utf8');
		request.on('data', (part: string) => (body += part));
		request.on('end', () => {
			const status = statusFor(received.length);
			received.push({ path: request.url ?? '', headers: request.headers, body });
			if (status !== null) response.writeHead(status).end();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	return {
		origin: `http://127.0.0.1:${port}`,
		received,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
