import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonObject } from '../records';
import { invalid } from './api-error';

interface ReadBody {
	isJson: boolean;
	/** The parsed JSON, or the text if it is not JSON. */
	value: unknown;
}

const saysJson = ({ headers }: FastifyRequest) =>
	/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');

function read(text: string, request: FastifyRequest): ReadBody | undefined {
	if (text === '') return undefined;
	try {
		const value: unknown = JSON.parse(text);
		return { isJson: saysJson(request), value };
	} catch {
		return { isJson: false, value: text };
	}
}

/** Lets every body through to the handlers, so that a bad one is recorded before it is refused. */
export function acceptAnyBody(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
		done(null, read(String(body), request));
	});
}

const readBodyOf = (request: FastifyRequest) => request.body as ReadBody | undefined;

/** The body that the client sent: parsed if it is JSON, otherwise the text. */
export const sentBody = (request: FastifyRequest): unknown => readBodyOf(request)?.value;

/** Whether a parsed value is an object, neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const noJson = () => invalid('body must be JSON, sent as application/json');

/** Refuses a body without a JSON type with 422. Web pages can send only such bodies without asking first. */
export function requireJsonType(request: FastifyRequest): void {
	if (!saysJson(request)) throw noJson();
}

/** The JSON object in the body, or 422. */
export function objectBody(request: FastifyRequest): JsonObject {
	const body = readBodyOf(request);
	if (!body?.isJson) throw noJson();
	if (!isObject(body.value)) throw invalid('body must be a JSON object');
	return body.value;
}
