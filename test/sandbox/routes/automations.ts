import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context';
import { ApiError, conflict, notFound } from '../http/api-error';
import { objectBody } from '../http/body';
import { shortList } from '../http/paging';
import type { Enrolment } from '../records';
import { actionAnswer } from './action-answer';
import { readEnrollBody } from './action-body';

/** List automations and enrol a contact into one. */
export function automationRoutes(app: FastifyInstance, { store, settings }: Context): void {
	app.get('/v1/automations', (_request, reply) =>
		shortList(reply, settings.shapes, 'automations', store.automations),
	);

	app.post<{ Params: { id: string } }>('/v1/automations/:id/enroll', (request, reply) => {
		const automation = store.automations.find(({ id }) => id === request.params.id);
		if (!automation) throw notFound('automation');
		const contact = readEnrollBody(store, settings.shapes.enrollBody, objectBody(request));
		if (!automation.active) throw conflict('automation is inactive');
		if (contact.opt_in_status === 'opted_out') throw conflict('contact has opted out');
		const enrolled = store.enrolments.some(
			({ automation_id, contact_id }) =>
				automation_id === automation.id && contact_id === contact.id,
		);
		if (enrolled) throw conflict('contact is already enrolled');
		if (!store.rules.accountActive) throw new ApiError(402, 'subscription inactive');
		const enrolment: Enrolment = {
			id: randomUUID(),
			automation_id: automation.id,
			contact_id: contact.id,
			created_at: store.nowIso(),
		};
		store.enrolments.push(enrolment);
		return actionAnswer(reply, settings.shapes.enrollAnswer, enrolment);
	});
}
