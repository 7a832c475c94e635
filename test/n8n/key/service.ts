import { http, https } from '../../support/platform';
import { certificate } from '../../workflow/connection/servers';
import { listen, readRequest, wayOf, type Caught } from './thief';

/** The service of the ways: it answers, sends elsewhere, and names next pages, as it is asked to. */
export interface Service {
	url: string;
	/** What came to it with the right key, in the right header and no other. */
	served: Caught[];
	/** What came to others at the same address: another site by its name, or another path. */
	astray: Caught[];
	/** Everything. */
	all: Caught[];
	close(): Promise<void>;
}

export interface ServiceOptions {
	apiKey: string;
	/** Whether it speaks TLS, with a certificate that n8n trusts. */
	isSecure?: boolean;
	/** The path under which it lives; whatever is beside it belongs to others. */
	path?: string;
}

export async function startService({ apiKey, isSecure, path = '' }: ServiceOptions) {
	const served: Caught[] = [];
	const astray: Caught[] = [];
	const all: Caught[] = [];
	const answer: http.RequestListener = (request, response) => {
		void readRequest(request).then((text) => {
			const caught = { text, way: wayOf(text) };
			all.push(caught);
			const { url = '', headers } = request;
			const [place, search = ''] = url.split('?');
			const isOurs = headers.host === new URL(service.url).host && isBelow(place, path);
			if (!isOurs) astray.push(caught);
			const keys = [headers.authorization, headers['x-api-key']].filter(Boolean);
			const isKnown = keys.length === 1 && [`Bearer ${apiKey}`, apiKey].includes(String(keys[0]));
			if (isOurs && isKnown) served.push(caught);
			const query = new URLSearchParams(search);
			if (query.has('drop')) response.destroy();
			else reply(query, isKnown, response);
		});
	};
	const server = isSecure
		? https.createServer(
				{ ...certificate('good'), requestCert: true, rejectUnauthorized: false },
				answer,
			)
		: http.createServer(answer);
	const { port, close } = await listen(server);
	const origin = isSecure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
	const service: Service = { url: `${origin}${path}`, served, astray, all, close };
	return service;
}

/** A careless server: it decodes a path until nothing is left to decode, and then looks at its dots. */
function isBelow(path: string, base: string): boolean {
	const decoded = path.replace(/%(25|2e|2f|5c|3b)/gi, (_all, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
	if (decoded !== path) return isBelow(decoded, base);
	const plain = path.replaceAll(/;[^/]*/g, '');
	return new URL(plain, 'http://any').pathname.startsWith(`${base}/`);
}

function reply(query: URLSearchParams, isKnown: boolean, response: http.ServerResponse): void {
	const to = query.get('to');
	const status = Number(query.get('status') ?? 200);
	if (to && status >= 300) {
		response.writeHead(status, { location: to });
		response.end();
		return;
	}
	response.writeHead(isKnown ? status : 401, { 'content-type': 'application/json' });
	const body = isKnown ? { id: 'ws_1', data: [{ id: 'ws_1' }], ...(to && { next: to }) } : {};
	response.end(JSON.stringify(body));
}
