import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { consoleRoutes } from '../console/routes';
import type { Context } from '../context';
import { automationRoutes, messageRoutes } from '../routes/actions';
import { contactRoutes, segmentRoutes, tagRoutes } from '../routes/contacts';
import { controlRoutes } from '../routes/control';
import { subscriptionRoutes } from '../routes/subscriptions';
import { ApiError, InvalidBody, invalidForms, notFound } from './api-error';
import { acceptAnyBody, requireJsonType } from './body';
import { addExchangeHooks } from './exchange';
import { refuseWebPages } from './guard';

const crmRoutes = [
	contactRoutes,
	tagRoutes,
	messageRoutes,
	automationRoutes,
	segmentRoutes,
	subscriptionRoutes,
];

/** Browsers then hide an answer from pages of other origins, however they request it. */
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
	const keylessRoutes = async (keyless: FastifyInstance) => {
		keyless.addHook('onRequest', async (request, reply) => {
			reply.headers(sameOriginOnly);
			if (request.method !== 'GET' && request.method !== 'HEAD') requireJsonType(request);
		});
		const control = named('control', async (routes: FastifyInstance) =>
			controlRoutes(routes, context),
		);
		keyless.register(control, { prefix: '/sandbox' });
		keyless.register(
			named('page', async (routes: FastifyInstance) => consoleRoutes(routes, context)),
		);
	};
	const apiRoutes = async (api: FastifyInstance) => {
		addExchangeHooks(api, context);
		api.setNotFoundHandler(() => {
			throw notFound('path');
		});
		api.get('/v1/workspace', () => context.workspace);
		for (const addRoutes of crmRoutes) addRoutes(api, context);
	};
	app.register(named('keyless', keylessRoutes));
	app.register(named('api', apiRoutes));
	return app;
}

/** Without a name, Fastify looks through all modules for the plugin, which takes Jest milliseconds. */
function named<Plugin extends object>(name: string, plugin: Plugin): Plugin {
	return Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name });
}
