import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context';
import { ApiError, conflict, InvalidBody, notFound, type BodyProblem } from '../http/api-error';
import { isObject, objectBody } from '../http/body';
import { shortList } from '../http/paging';
import type { Contact, Enrolment, JsonObject, SentMessage, Template } from '../records';
import type { BodyForm, Shapes } from '../shapes';
import { existingContact, type Store } from '../state/store';

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

/** Answers a send or an enrolment in the chosen form. */
function actionAnswer(
	reply: FastifyReply,
	shape: Shapes['sendAnswer'],
	record: object,
): FastifyReply {
	switch (shape) {
		case 'record':
			return reply.send(record);
		case 'empty':
			return reply.code(204).send();
		case 'message':
			return reply.send({ message: 'queued' });
	}
}

/** What the fields are called. A dot leads into an object. */
const sendFields: Record<BodyForm, { contact: string; template: string; variables: string }> = {
	contactId: { contact: 'contact_id', template: 'template', variables: 'variables' },
	contactIdCamel: { contact: 'contactId', template: 'templateName', variables: 'params' },
	phone: { contact: 'to', template: 'template.name', variables: 'variables' },
};
const enrollFields: Record<BodyForm, string> = {
	contactId: 'contact_id',
	contactIdCamel: 'contactId',
	phone: 'phone',
};

const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';

function valueAt(body: JsonObject, field: string): unknown {
	const within = (value: unknown, name: string) =>
		isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
	return field.split('.').reduce<unknown>(within, body);
}

/** The texts at `required`. Fails if one is missing or not a text, or if a field is unknown. */
function readTexts(body: JsonObject, required: string[], optionalObject?: string): string[] {
	const values = required.map((field) => valueAt(body, field));
	const problems = required.flatMap((field, index): BodyProblem[] => {
		if (values[index] === undefined) return [{ field, kind: 'missing' }];
		return isText(values[index]) ? [] : [{ field, kind: 'wrong', wants: 'a string' }];
	});
	const known = required.map((field) => field.split('.')[0]);
	if (optionalObject !== undefined) {
		const value = body[optionalObject];
		known.push(optionalObject);
		if (value !== undefined && !isObject(value)) {
			problems.push({ field: optionalObject, kind: 'wrong', wants: 'an object' });
		}
	}
	const unknown = Object.keys(body).filter((field) => !known.includes(field));
	problems.push(...unknown.map((field): BodyProblem => ({ field, kind: 'unknown' })));
	if (problems.length > 0) throw new InvalidBody(problems);
	return values.filter(isText);
}

function findContact(store: Store, form: BodyForm, value: string): Contact {
	if (form !== 'phone') return existingContact(store, value);
	const contact = store.findByPhone(value);
	if (!contact) throw notFound('contact');
	return contact;
}

/** Reads the body of a send in the chosen form. */
function readSendBody(
	store: Store,
	form: BodyForm,
	body: JsonObject,
): { contact: Contact; template: Template; variables: unknown } {
	const fields = sendFields[form];
	const [contact, wanted] = readTexts(body, [fields.contact, fields.template], fields.variables);
	const template = store.templates.find(({ id, name }) => id === wanted || name === wanted);
	if (!template) throw notFound('template');
	return {
		contact: findContact(store, form, contact),
		template,
		variables: body[fields.variables],
	};
}

/** Reads the body of an enrolment in the chosen form. */
function readEnrollBody(store: Store, form: BodyForm, body: JsonObject): Contact {
	const [contact] = readTexts(body, [enrollFields[form]]);
	return findContact(store, form, contact);
}
