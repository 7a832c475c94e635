import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonObject } from '../records';
import { invalid } from './api-error';

interface ReadBody {
	isJson: boolean;
	/** The parsed JSON, or the text when it is none. */
	value: unknown;
}

function read(text: string, contentType = ''): ReadBody {
	try {
		const value: unknown = JSON.parse(text);
		return { isJson: /^application\/json\b/i.test(contentType), value };
	} catch {
		return { isJson: false, value: text };
	}
}

/** Lets every body through to the handlers, so that a bad one is recorded before it is refused. */
export function acceptAnyBody(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
		done(null, read(String(body), request.headers['content-type']));
	});
}

const readBodyOf = (request: FastifyRequest) => request.body as ReadBody | undefined;

/** What the client sent as body: parsed if it is JSON, else the text. */
export const sentBody = (request: FastifyRequest): unknown => readBodyOf(request)?.value;

/** Whether a parsed value is an object, neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON object in the body, or 422. */
export function objectBody(request: FastifyRequest): JsonObject {
	const body = readBodyOf(request);
	if (!body?.isJson) throw invalid('body must be JSON, sent as application/json');
	if (!isObject(body.value)) throw invalid('body must be a JSON object');
	return body.value;
}
