import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context';
import type { Who } from '../delivery/emitter';
import { invalid } from '../http/api-error';
import { isObject, objectBody, sentBody } from '../http/body';
import type { FaultKind } from '../http/faults';
import { optionalObject, optionalString, requiredString } from '../http/fields';
import type { JsonObject } from '../records';

function whoIn(body: JsonObject): Who {
	const contactId = optionalString(body, 'contactId');
	return contactId === undefined ? { phone: requiredString(body, 'phone') } : { contactId };
}

/**
 * `{ kind, times?, skip?, match?: { method?, path? } }`, where `path` is a part of the path, not a pattern: a
 * pattern from outside could take forever.
 */
function addFault(context: Context, body: JsonObject): void {
	const match = optionalObject(body, 'match') ?? {};
	if (!isObject(body.kind)) throw invalid("field 'kind' must be an object");
	context.faults.add({
		match: { method: optionalString(match, 'method'), path: optionalString(match, 'path') },
		times: typeof body.times === 'number' ? body.times : undefined,
		skip: typeof body.skip === 'number' ? body.skip : undefined,
		kind: body.kind as FaultKind,
	});
}

const stateOf = ({ workspace, store }: Context) => ({
	workspace,
	contacts: [...store.contacts.values()],
	tags: [...store.tags.values()],
	templates: store.templates,
	automations: store.automations,
	segments: store.segments,
	subscriptions: [...store.subscriptions.values()],
	enrolments: store.enrolments,
	sentMessages: store.sentMessages,
	consentTrail: store.consentTrail,
});

/** Requests for whoever runs the sandbox as a process of its own: no key, no limit, no record. */
export function controlRoutes(app: FastifyInstance, context: Context): void {
	const { emitter } = context;
	const post = (path: string, act: (body: JsonObject, request: FastifyRequest) => unknown) =>
		app.post(path, (request) => {
			const body = sentBody(request) === undefined ? {} : objectBody(request);
			return act(body, request) ?? { ok: true };
		});

	app.get('/state', () => stateOf(context));
	app.get('/requests', () => context.requests);
	app.get('/deliveries', () => context.deliveries.records);
	post('/inbound-message', (body) =>
		emitter.inboundMessage(whoIn(body), requiredString(body, 'text'), optionalString(body, 'type')),
	);
	post('/opt-out', (body) => emitter.optOut(whoIn(body)));
	post('/form', (body) =>
		emitter.submitForm(
			whoIn(body),
			requiredString(body, 'flowId'),
			optionalObject(body, 'answers') ?? {},
		),
	);
	post('/fail', (body) => addFault(context, body));
	post('/reset', () => context.reset());
}
