import type { IDataObject } from 'n8n-workflow';

import { http, once, type net } from '../support/platform';

export interface JsonRequest {
	method: string;
	path: string;
	headers: Record<string, string | string[] | undefined>;
	body: IDataObject;
}

export interface JsonAnswer {
	status?: number;
	headers?: Record<string, string>;
	/** A text is sent as a stream of events. */
	body?: object | string;
}

export type JsonServer = Awaited<ReturnType<typeof startJsonServer>>;

/**
 * Starts a server on this machine that nodes of other services talk to.
 *
 * @param opened answers are held back until this resolves
 */
export async function startJsonServer(
	answer: (request: JsonRequest) => JsonAnswer,
	opened?: Promise<unknown>,
) {
	const requests: JsonRequest[] = [];
	const server = http.createServer((request, response) => {
		void readRequest(request).then(async (read) => {
			requests.push(read);
			await opened;
			const { status = 200, headers, body = {} } = answer(read);
			const isText = typeof body === 'string';
			const type = isText ? 'text/event-stream' : 'application/json';
			response.writeHead(status, { 'content-type': type, ...headers });
			response.end(isText ? body : JSON.stringify(body));
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as net.AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		requests,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

async function readRequest(request: http.IncomingMessage): Promise<JsonRequest> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const text = Buffer.concat(chunks).toString('utf8');
	const { method = '', url = '', headers } = request;
	return { method, path: url, headers, body: (text ? JSON.parse(text) : {}) as IDataObject };
}
