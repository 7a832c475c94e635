import { pathSegment } from './urls';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * The form of an answer: a record, a whole list, a list in pages (with `limit` and `offset`), or `any`:
 * nothing, or what the API reference does not show.
 */
export type Form = 'record' | 'list' | 'pages' | 'any';

/** What the service does with a request, beyond reading or writing a record. */
interface Traits {
	/** Whether a second request would do harm, so that it is repeated only if the first certainly did nothing. */
	once?: boolean;
	/** Whether it sends a message: it goes first in the queue, and 502 can be a rejection by the platform. */
	sendsMessage?: boolean;
}

/** An endpoint with the values of its path: what to request. */
export interface Call<F extends Form = Form> extends Readonly<Traits> {
	readonly method: Method;
	readonly path: string;
	readonly form: F;
}

/** One text for each `{name}` in a path. */
type Values<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
	? [value: string, ...Values<Rest>]
	: [];

/**
 * An endpoint: a function from the values of its path to the call. Each value becomes exactly one segment,
 * so that no value can change which endpoint is called.
 *
 * @param name the method and the path, as in the API reference
 */
export function endpoint<const Name extends string, const F extends Form>(
	name: Name,
	form: F,
	traits: Traits = {},
) {
	const [method, pattern = ''] = name.split(' ');
	const toCall = (...values: Values<Name>): Call<F> => {
		let next = 0;
		const path = pattern.replace(/\{\w+\}/g, () => pathSegment(values[next++] ?? ''));
		return { method: method as Method, path, form, ...traits };
	};
	return Object.assign(toCall, { label: name });
}

/** Every endpoint of the service (API reference, Endpoints). Nothing else in the nodes names a path. */
export const endpoints = {
	getWorkspace: endpoint('GET /v1/workspace', 'record'),

	getContacts: endpoint('GET /v1/contacts', 'pages'),
	saveContact: endpoint('POST /v1/contacts', 'record'),
	getContact: endpoint('GET /v1/contacts/{id}', 'record'),
	changeContact: endpoint('PATCH /v1/contacts/{id}', 'record'),
	deleteContact: endpoint('DELETE /v1/contacts/{id}', 'any'),

	getTags: endpoint('GET /v1/tags', 'list'),
	addTag: endpoint('POST /v1/contacts/{id}/tags', 'any'),
	removeTag: endpoint('DELETE /v1/contacts/{id}/tags/{name}', 'any'),

	getTemplates: endpoint('GET /v1/templates', 'list'),
	sendTemplate: endpoint('POST /v1/messages/template', 'any', { once: true, sendsMessage: true }),

	getAutomations: endpoint('GET /v1/automations', 'list'),
	enroll: endpoint('POST /v1/automations/{id}/enroll', 'any', { once: true }),

	getSegments: endpoint('GET /v1/segments', 'list'),
	getSegmentContacts: endpoint('GET /v1/segments/{id}/contacts', 'pages'),

	getEventTypes: endpoint('GET /v1/events', 'list'),
	getSubscriptions: endpoint('GET /v1/subscriptions', 'list'),
	createSubscription: endpoint('POST /v1/subscriptions', 'record', { once: true }),
	deleteSubscription: endpoint('DELETE /v1/subscriptions/{id}', 'any'),
};
