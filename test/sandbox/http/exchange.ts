import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context';
import { strikeAfter, strikeBefore } from './apply-fault';
import { authorise } from './authorise';
import { requireJsonType, sentBody } from './body';
import type { FaultKind } from './faults';
import type { Shapes } from '../shapes';
import type { RecordedRequest } from './recorded-request';

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

/** Writes JSON as some services do. */
function encode(reply: FastifyReply, text: string, encoding: Shapes['encoding']): string | Buffer {
	if (text === '' || encoding === 'utf8') return text;
	if (encoding === 'bom') return `\uFEFF${text}`;
	if (encoding === 'oddType') {
		reply.header('content-type', 'text/plain; charset="UTF8"; charset=utf-8');
		return text;
	}
	reply.header('content-type', 'application/json; charset=ISO-8859-1');
	// What Latin-1 does not have, JSON can escape.
	const escaped = text.replace(
		/[^\0-\x7f\xa0-\xff]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
	return Buffer.from(escaped, 'latin1');
}

/** The way of every API request: recorded, authorised, struck by a fault, handled, delayed. */
export function addExchangeHooks(app: FastifyInstance, context: Context): void {
	const exchanges = new WeakMap<FastifyRequest, Exchange>();

	app.addHook('onRequest', async (request, reply) => {
		const record = recordOf(request, context.clock.now());
		context.requests.push(record);
		exchanges.set(request, { record });
		// Comes for an answer that was sent and for a connection that was cut.
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
			const fault = exchange.laterFault;
			const struck = await strikeAfter(fault, request, reply, text, context.scheduler);
			if (struck === null) return '';
			if (struck !== text) void reply.removeHeader('content-length');
			text = struck;
		}
		if (context.settings.latencyMs > 0) await context.scheduler.wait(context.settings.latencyMs);
		if (exchange) exchange.record.status = reply.statusCode;
		return encode(reply, text, context.settings.shapes.encoding);
	});
}
