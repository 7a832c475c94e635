import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListEnvelope } from '../records';
import { listShapeOf, type ListName, type Shapes } from '../shapes';
import type { Page } from '../state/ordered-contacts';
import { invalid } from './api-error';

export const maxPageSize = 100;

/** A query parameter's text, undefined when missing; given twice it is 422. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
	const value = (request.query as Record<string, string | string[] | undefined>)[name];
	if (Array.isArray(value)) throw invalid(`parameter '${name}' was given more than once`);
	return value;
}

function queryInteger(
	request: FastifyRequest,
	name: string,
	range: { fallback: number; min: number; max: number },
): number {
	const text = queryText(request, name);
	if (text === undefined) return range.fallback;
	const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
	if (!(value >= range.min && value <= range.max)) {
		throw invalid(
			`parameter '${name}' must be an integer of at least ${range.min}, at most ${range.max}`,
		);
	}
	return value;
}

/** `limit` (1 to 100, default 50) and `offset` (default 0) of a request; others give 422. */
export function pagingOf(request: FastifyRequest): { limit: number; offset: number } {
	return {
		limit: queryInteger(request, 'limit', { fallback: 50, min: 1, max: maxPageSize }),
		offset: queryInteger(request, 'offset', { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
	};
}

/** The reference's envelope around one page. */
export const envelopeOf = (
	{ rows, total }: Page<unknown>,
	{ limit, offset }: { limit: number; offset: number },
): ListEnvelope => ({ data: rows, total, limit, offset });

/** Answers with a short list in the shape that is chosen for it. */
export function shortList(
	reply: FastifyReply,
	shapes: Shapes,
	name: ListName,
	items: unknown[],
): FastifyReply {
	return reply.send(inShape(reply.request, shapes, name, items));
}

function inShape(
	request: FastifyRequest,
	shapes: Shapes,
	name: ListName,
	items: unknown[],
): unknown {
	switch (listShapeOf(shapes, name)) {
		case 'array':
			return items;
		case 'data':
			return { data: items };
		case 'named':
			return { [name]: items };
		case 'paged': {
			const paging = pagingOf(request);
			const rows = items.slice(paging.offset, paging.offset + paging.limit);
			return envelopeOf({ rows, total: items.length }, paging);
		}
	}
}
