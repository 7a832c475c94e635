import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context';
import { strikeAfter, strikeBefore } from './apply-fault';
import { ApiError } from './api-error';
import { requireJsonType, sentBody } from './body';
import type { FaultKind, RecordedRequest } from './faults';

interface Exchange {
	record: RecordedRequest;
	/** A fault that strikes once the answer is ready. */
	laterFault?: FaultKind;
}

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0];

function recordOf(request: FastifyRequest, atMs: number): RecordedRequest {
	return {
		method: request.method,
		path: pathOf(request),
		query: { ...(request.query as RecordedRequest['query']) },
		headers: { ...request.headers },
		body: undefined,
		status: 0,
		atMs,
	};
}

/** The steps of every API request: recorded, authorised, struck by a fault, handled, delayed. */
export function addExchangeHooks(app: FastifyInstance, context: Context): void {
	const exchanges = new WeakMap<FastifyRequest, Exchange>();

	app.addHook('onRequest', async (request, reply) => {
		const record = recordOf(request, context.clock.now());
		context.requests.push(record);
		exchanges.set(request, { record });
		// Emitted after an answer was sent, and after a connection was cut.
		reply.raw.once('close', () => {
			record.tookMs = context.clock.now() - record.atMs;
		});
	});

	// After the body was read, so that refused and struck requests are recorded with it.
	app.addHook('preHandler', async (request, reply) => {
		const exchange = exchanges.get(request);
		if (!exchange) return undefined;
		exchange.record.body = sentBody(request);
		authorise(context, request, exchange.record);
		if (exchange.record.body !== undefined) requireJsonType(request);
		const fault = context.faults.take(request.method, exchange.record.path);
		if (fault && strikeBefore(fault, request, reply)) return reply;
		exchange.laterFault = fault;
		return undefined;
	});

	app.addHook('onSend', async (request, reply: FastifyReply, payload: unknown) => {
		const exchange = exchanges.get(request);
		let text = typeof payload === 'string' ? payload : '';
		if (exchange?.laterFault) {
			const { laterFault: fault, record } = exchange;
			const { scheduler } = context;
			const struck = await strikeAfter(fault, request, reply, text, { record, scheduler });
			if (struck === null) return '';
			if (struck !== text) void reply.removeHeader('content-length');
			text = struck;
		}
		if (context.settings.latencyMs > 0) await context.scheduler.wait(context.settings.latencyMs);
		if (exchange) exchange.record.status = reply.statusCode;
		return text;
	});
}

function keyOf(request: FastifyRequest): string | undefined {
	const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '');
	const plain = request.headers['x-api-key'];
	return bearer?.[1].trim() ?? (Array.isArray(plain) ? plain[0] : plain);
}

/** Lets a request pass that has the key and is within the rate; 401 or 429 otherwise. */
function authorise(context: Context, request: FastifyRequest, record: RecordedRequest): void {
	const key = keyOf(request);
	if (key === undefined) throw new ApiError(401, 'API key missing');
	if (key !== context.apiKey) throw new ApiError(401, 'API key invalid');
	if (context.settings.keyRevoked) throw new ApiError(401, 'API key revoked');
	const waitMs = context.settings.limiter.waitMs(key);
	record.rate = waitMs > 0 ? 'refused' : 'counted';
	if (waitMs <= 0) return;
	throw new ApiError(429, 'Rate limit exceeded', {
		'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))),
	});
}
