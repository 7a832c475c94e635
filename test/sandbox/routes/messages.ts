import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context';
import { ApiError, conflict } from '../http/api-error';
import { objectBody } from '../http/body';
import { shortList } from '../http/paging';
import type { Contact, SentMessage, Template } from '../records';
import type { Store } from '../state/store';
import { actionAnswer } from './action-answer';
import { readSendBody } from './action-body';

function sentThisMonth(store: Store): number {
	const month = store.nowIso().slice(0, 7);
	return store.sentMessages.filter(({ created_at }) => created_at.startsWith(month)).length;
}

function checkAllowed(store: Store, contact: Contact, template: Template): void {
	const { accountActive, monthlySendLimit, platformRejects } = store.rules;
	if (contact.opt_in_status === 'opted_out') throw conflict('contact has opted out');
	if (!accountActive) throw new ApiError(402, 'subscription inactive');
	if (monthlySendLimit !== null && sentThisMonth(store) >= monthlySendLimit) {
		throw new ApiError(402, 'monthly send limit reached');
	}
	const rejection = platformRejects.get(contact.id) ?? platformRejects.get(template.name);
	if (rejection !== undefined) throw new ApiError(502, rejection);
}

/** List templates and send one to a contact. */
export function messageRoutes(app: FastifyInstance, { store, settings }: Context): void {
	app.get('/v1/templates', (_request, reply) =>
		shortList(reply, settings.shapes, 'templates', store.templates),
	);

	app.post('/v1/messages/template', (request, reply) => {
		const body = readSendBody(store, settings.shapes.sendBody, objectBody(request));
		const { template } = body;
		checkAllowed(store, body.contact, template);
		const message: SentMessage = {
			id: randomUUID(),
			contact_id: body.contact.id,
			template: template.name,
			variables: body.variables ?? {},
			created_at: store.nowIso(),
		};
		store.sentMessages.push(message);
		return actionAnswer(reply, settings.shapes.sendAnswer, { ...message, status: 'queued' });
	});
}
