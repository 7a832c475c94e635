import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonObject } from '../records';
import { invalid } from './api-error';

interface ReadBody {
	isJson: boolean;
	/** The parsed JSON, or the text when it is none. */
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

/** What the client sent as body: parsed if it is JSON, else the text. */
export const sentBody = (request: FastifyRequest): unknown => readBodyOf(request)?.value;

/** Whether a parsed value is an object, neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const noJson = () => invalid('body must be JSON, sent as application/json');

/** Refuses with 422 what is not said to be JSON: a web page may send only that without asking. */
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
