import type { FastifyInstance } from 'fastify';
import type { Context } from '../context';
import { notFound } from '../http/api-error';
import { envelopeOf, pagingOf, shortList } from '../http/paging';

/** List segments and the contacts that match one now. */
export function segmentRoutes(app: FastifyInstance, { store, settings }: Context): void {
	app.get('/v1/segments', (_request, reply) => {
		const views = store.segments.map(({ id, name }) => ({ id, name }));
		return shortList(reply, settings.shapes, 'segments', views);
	});

	app.get<{ Params: { id: string } }>('/v1/segments/:id/contacts', (request) => {
		const segment = store.segments.find(({ id }) => id === request.params.id);
		if (!segment) throw notFound('segment');
		const { rule } = segment;
		const paging = pagingOf(request);
		const { rows, total } = store.orderedContacts.page(
			paging.limit,
			paging.offset,
			({ tags, opt_in_status }) =>
				(rule.tag === undefined || tags.includes(rule.tag)) &&
				(rule.opt_in_status === undefined || opt_in_status === rule.opt_in_status),
		);
		const idsOnly = settings.shapes.segmentContacts === 'ids';
		return envelopeOf({ rows: idsOnly ? rows.map(({ id }) => id) : rows, total }, paging);
	});
}
