import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context';
import { notFound } from '../http/api-error';
import { objectBody } from '../http/body';
import { onlyFields, requiredString } from '../http/fields';
import { shortList } from '../http/paging';
import type { Contact } from '../records';
import { attachTag } from '../state/contact-changes';
import { existingContact } from './existing-contact';

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

	app.post<{ Params: { id: string } }>('/v1/contacts/:id/tags', (request, reply) => {
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
