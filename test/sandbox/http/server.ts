import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { consoleRoutes } from '../console/routes';
import type { Context } from '../context';
import { automationRoutes } from '../routes/automations';
import { contactRoutes } from '../routes/contacts';
import { controlRoutes } from '../routes/control';
import { messageRoutes } from '../routes/messages';
import { segmentRoutes } from '../routes/segments';
import { subscriptionRoutes } from '../routes/subscriptions';
import { tagRoutes } from '../routes/tags';
import { ApiError, InvalidBody, notFound } from './api-error';
import { acceptAnyBody, requireJsonType } from './body';
import { addExchangeHooks } from './exchange';
import { refuseWebPages } from './guard';
import { invalidForms } from './invalid-forms';

const apiRoutes = [
	contactRoutes,
	tagRoutes,
	messageRoutes,
	automationRoutes,
	segmentRoutes,
	subscriptionRoutes,
];

/** Browsers then keep an answer from pages of other origins, whatever it was asked for as. */
const sameOriginOnly = {
	'cross-origin-resource-policy': 'same-origin',
	'x-content-type-options': 'nosniff',
};

/** The HTTP server of a sandbox, not listening yet. */
export function createServer(context: Context): FastifyInstance {
	const app = fastify({
		forceCloseConnections: true,
		bodyLimit: 10 * 1024 * 1024,
		// Tag names are in paths, percent-encoded; the router's own limit is 100 characters.
		routerOptions: { maxParamLength: 10_000 },
		frameworkErrors: (_error, _request, reply: FastifyReply) => {
			void reply.code(404).send({ detail: 'path not found' });
		},
	});
	acceptAnyBody(app);
	app.setErrorHandler((error, _request, reply) => {
		if (error instanceof InvalidBody) {
			const render = invalidForms[context.settings.shapes.invalidBody];
			return reply.code(422).send(render(error.problems));
		}
		if (error instanceof ApiError) {
			return reply.code(error.status).headers(error.headers).send({ detail: error.detail });
		}
		const { message, statusCode } = error as { message: string; statusCode?: number };
		return reply.code(statusCode ?? 500).send({ detail: message });
	});
	refuseWebPages(app, context);
	app.register(async (keyless) => {
		keyless.addHook('onRequest', async (request, reply) => {
			reply.headers(sameOriginOnly);
			if (request.method !== 'GET' && request.method !== 'HEAD') requireJsonType(request);
		});
		keyless.register(async (control) => controlRoutes(control, context), { prefix: '/sandbox' });
		keyless.register(async (page) => consoleRoutes(page, context));
	});
	app.register(async (api) => {
		addExchangeHooks(api, context);
		api.setNotFoundHandler(() => {
			throw notFound('path');
		});
		api.get('/v1/workspace', () => context.workspace);
		for (const addRoutes of apiRoutes) addRoutes(api, context);
	});
	return app;
}
