import { createHash } from 'node:crypto';

import { http, once } from '../support/platform';

/** How the server for a request is chosen: each in turn, or one for each path. */
export type Choice = 'inTurn' | 'byPath';

/** A proxy in front of several servers, as a load balancer is. */
export interface Balancer {
	url: string;
	/** In turn at first, as load balancers do by default. */
	choice: Choice;
	/** From now on, these get the requests. */
	sendTo(origins: string[]): void;
	close(): Promise<void>;
}

export async function startBalancer(origins: string[]): Promise<Balancer> {
	let targets = origins;
	let next = 0;
	const indexOf = (path: string) =>
		createHash('sha256').update(path).digest().readUInt32BE() % targets.length;
	const server = http.createServer((request, response) => {
		const index = balancer.choice === 'byPath' ? indexOf(request.url ?? '') : next;
		next = (next + 1) % targets.length;
		const { method, headers } = request;
		const onward = http.request(new URL(request.url ?? '/', targets[index]), { method, headers });
		onward.on('response', (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		onward.on('error', () => {
			if (!response.headersSent) response.writeHead(502);
			response.end();
		});
		request.pipe(onward);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	const balancer: Balancer = {
		choice: 'inTurn',
		url: `http://127.0.0.1:${port}`,
		sendTo(origins) {
			targets = origins;
			next = 0;
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
	return balancer;
}
