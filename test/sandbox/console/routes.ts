import type { FastifyInstance, FastifyReply } from 'fastify';
import type { http } from '../../support/platform';
import type { Context } from '../context';
import { objectBody } from '../http/body';
import { pagingOf } from '../http/paging';
import { upsertContact } from '../state/contact-changes';
import { filterOf } from '../state/contact-filter';
import { pageBundle } from './bundle';
import { sendLive } from './live';

/** Everything that the sandbox holds comes later, as data; nothing of it is ever part of the page. */
const html = `<!doctype html>
<html lang="en">
	<head>
		<meta charset="utf-8" />
		<meta name="viewport" content="width=device-width, initial-scale=1" />
		<title>CRM sandbox</title>
		<link rel="icon" href="/console/icon.svg" />
		<link rel="stylesheet" href="/console/console.css" />
		<script type="module" src="/console/console.js"></script>
	</head>
	<body></body>
</html>
`;

const headers = {
	'cache-control': 'no-store',
	'content-security-policy': [
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self'",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	].join('; '),
	'referrer-policy': 'no-referrer',
};

const send = (reply: FastifyReply, type: string, content: string) =>
	reply.headers(headers).type(`${type}; charset=utf-8`).send(content);

/** The page to watch the sandbox with. As with `/sandbox`: no key, no limit, no record. */
export function consoleRoutes(app: FastifyInstance, context: Context): void {
	app.get('/', (_request, reply) => send(reply, 'text/html', html));

	app.get('/console/console.js', async (_request, reply) =>
		send(reply, 'text/javascript', (await pageBundle()).script),
	);
	app.get('/console/console.css', async (_request, reply) =>
		send(reply, 'text/css', (await pageBundle()).style),
	);
	app.get('/console/icon.svg', async (_request, reply) =>
		send(reply, 'image/svg+xml', (await pageBundle()).icon),
	);

	/** The parameters are those of `GET /v1/contacts` and choose the contacts that are sent. */
	app.get('/console/live', (request, reply) => {
		const shown = { ...pagingOf(request), fits: filterOf(request) };
		reply.hijack();
		reply.raw.writeHead(200, {
			...(reply.getHeaders() as http.OutgoingHttpHeaders),
			...headers,
			'content-type': 'text/event-stream',
		});
		void sendLive(context, shown, reply.raw);
	});

	/** As `POST /v1/contacts`, beside the rate limit. */
	app.post('/console/contacts', (request) =>
		upsertContact(context.store, context.events, objectBody(request), context.settings.shapes),
	);

	app.delete('/console/failures', (_request, reply) => {
		context.faults.clear();
		return reply.code(204).send();
	});
}
