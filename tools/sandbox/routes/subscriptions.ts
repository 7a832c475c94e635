import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context';
import { isPublicHttpsUrl } from '../delivery/public-url';
import { ApiError, invalid } from '../http/api-error';
import { objectBody } from '../http/body';
import { onlyFields, optionalStrings, requiredString } from '../http/fields';
import { shortList } from '../http/paging';
import { eventTypes, type EventType, type JsonObject, type Subscription } from '../records';
import type { Shapes } from '../shapes';

const isEventType = (text: string): text is EventType =>
	(eventTypes as readonly string[]).includes(text);

function readBody(body: JsonObject): { url: string; events: EventType[] } {
	onlyFields(body, ['url', 'events']);
	const url = requiredString(body, 'url');
	const events = optionalStrings(body, 'events') ?? [];
	if (!isPublicHttpsUrl(url)) throw invalid(`url '${url}' is not a public https endpoint`);
	if (events.length === 0) throw invalid("field 'events' must name at least one event type");
	const unknown = events.find((event) => !isEventType(event));
	if (unknown !== undefined) throw invalid(`unknown event type '${unknown}'`);
	return { url, events: [...new Set(events.filter(isEventType))] };
}

function createAnswer(shape: Shapes['subscriptionCreateAnswer'], full: Subscription): object {
	const { id, secret, ...rest } = full;
	if (shape === 'noSecret') return { id, ...rest };
	if (shape === 'noId') return { secret, ...rest };
	const { url, ...others } = full;
	if (shape === 'noUrl') return others;
	return shape === 'otherUrl' ? { ...others, url: `${url}&from=crm` } : full;
}

/** List event types; list, create and delete webhook subscriptions. */
export function subscriptionRoutes(
	app: FastifyInstance,
	{ store, settings, deliveries }: Context,
): void {
	app.get('/v1/events', (_request, reply) => {
		const asObjects = settings.shapes.events === 'objects';
		const views = eventTypes.map((name) => (asObjects ? { name } : name));
		return shortList(reply, settings.shapes, 'events', views);
	});

	app.get('/v1/subscriptions', (_request, reply) => {
		const views = [...store.subscriptions.values()]
			.filter(({ active }) => active)
			.map(({ id, url, events, active, created_at }) => ({ id, url, events, active, created_at }));
		return shortList(reply, settings.shapes, 'subscriptions', views);
	});

	app.post('/v1/subscriptions', (request, reply) => {
		const { url, events } = readBody(objectBody(request));
		const { maxSubscriptions, tooManySubscriptionsStatus } = store.rules;
		const active = [...store.subscriptions.values()].filter((other) => other.active).length;
		if (active >= maxSubscriptions) {
			throw new ApiError(
				tooManySubscriptionsStatus,
				`at most ${maxSubscriptions} active subscriptions per workspace`,
			);
		}
		const subscription: Subscription = {
			id: randomUUID(),
			url,
			events,
			secret: randomBytes(32).toString('hex'),
			active: true,
			created_at: store.nowIso(),
		};
		store.subscriptions.set(subscription.id, subscription);
		const answer = createAnswer(settings.shapes.subscriptionCreateAnswer, subscription);
		return reply.code(201).send(answer);
	});

	app.delete<{ Params: { id: string } }>('/v1/subscriptions/:id', (request, reply) => {
		store.subscriptions.delete(request.params.id);
		deliveries.stopSubscription(request.params.id);
		return reply.code(204).send();
	});
}
