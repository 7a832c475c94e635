import type { FastifyInstance } from 'fastify';
import type { Context } from '../context';
import { objectBody } from '../http/body';
import { envelopeOf, pagingOf } from '../http/paging';
import { patchContact, upsertContact } from '../state/contact-changes';
import { filterOf } from '../state/contact-filter';
import { existingContact } from './existing-contact';

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
