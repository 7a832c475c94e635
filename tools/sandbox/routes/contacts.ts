import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context';
import { notFound } from '../http/api-error';
import { objectBody } from '../http/body';
import { onlyFields, requiredString } from '../http/fields';
import { envelopeOf, pagingOf, shortList } from '../http/paging';
import type { Contact } from '../records';
import { attachTag, patchContact, upsertContact } from '../state/contact-changes';
import { filterOf } from '../state/contact-filter';
import { existingContact } from '../state/store';

interface ById {
	Params: { id: string };
}

/** Create or update, list, read, change and erase contacts. */
export function contactRoutes(app: FastifyInstance, context: Context): void {
	const { store, events } = context;
	app.post('/v1/contacts', (request, reply) => {
		const { contact, created } = upsertContact(store, events, objectBody(request));
		return reply.code(created ? 201 : 200).send({ ...contact, created });
	});

	app.get('/v1/contacts', (request) => {
		const paging = pagingOf(request);
		const filter = filterOf(request);
		return envelopeOf(store.orderedContacts.page(paging.limit, paging.offset, filter), paging);
	});

	app.get<ById>('/v1/contacts/:id', (request) => existingContact(store, request.params.id));

	app.patch<ById>('/v1/contacts/:id', (request) => {
		const contact = existingContact(store, request.params.id);
		patchContact(contact, objectBody(request));
		return contact;
	});

	app.delete<ById>('/v1/contacts/:id', (request, reply) => {
		store.eraseContact(existingContact(store, request.params.id));
		return reply.code(204).send();
	});
}

/** List tags, attach one to a contact, detach one. */
export function tagRoutes(app: FastifyInstance, { store, events, settings }: Context): void {
	const viewOf = (name: string) =>
		settings.shapes.tags === 'strings' ? name : store.tags.get(name);

	const answer = (reply: FastifyReply, contact: Contact, name: string) => {
		switch (settings.shapes.tagAnswer) {
			case 'contact':
				return reply.send(contact);
			case 'tag':
				return reply.send({ name });
			case 'empty':
				return reply.code(204).send();
		}
	};

	app.get('/v1/tags', (_request, reply) =>
		shortList(reply, settings.shapes, 'tags', [...store.tags.keys()].map(viewOf)),
	);

	app.post<ById>('/v1/contacts/:id/tags', (request, reply) => {
		const contact = existingContact(store, request.params.id);
		const body = objectBody(request);
		onlyFields(body, ['name']);
		const name = requiredString(body, 'name');
		attachTag(store, events, contact, name);
		return answer(reply, contact, name);
	});

	app.delete<{ Params: { id: string; name: string } }>(
		'/v1/contacts/:id/tags/:name',
		(request, reply) => {
			const { id, name } = request.params;
			const contact = existingContact(store, id);
			const index = contact.tags.indexOf(name);
			if (index < 0) throw notFound('tag');
			contact.tags.splice(index, 1);
			return answer(reply, contact, name);
		},
	);
}

/** List segments and the contacts that match one now. */
export function segmentRoutes(app: FastifyInstance, { store, settings }: Context): void {
	app.get('/v1/segments', (_request, reply) => {
		const views = store.segments.map(({ id, name }) => ({ id, name }));
		return shortList(reply, settings.shapes, 'segments', views);
	});

	app.get<ById>('/v1/segments/:id/contacts', (request) => {
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
