import type { FastifyRequest } from 'fastify';
import type { Context } from '../context';
import { ApiError } from './api-error';
import type { RecordedRequest } from './recorded-request';

function keyOf(request: FastifyRequest): string | undefined {
	const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '');
	const plain = request.headers['x-api-key'];
	return bearer?.[1].trim() ?? (Array.isArray(plain) ? plain[0] : plain);
}

/** Lets a request pass that has the key and is within the rate; 401 or 429 otherwise. */
export function authorise(
	context: Context,
	request: FastifyRequest,
	record: RecordedRequest,
): void {
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
