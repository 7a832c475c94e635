import type { RecordedRequest } from '../sandbox';

const contact = 'GET /v1/contacts';

/** What each operation may ask of the service (API reference, endpoints); `*` is one segment. */
const allowed: Record<string, string[]> = {
	'automation enroll': [contact, 'POST /v1/automations/*/enroll'],
	'automation getAll': ['GET /v1/automations'],
	'contact upsert': ['POST /v1/contacts', 'PATCH /v1/contacts/*'],
	'contact delete': [contact, 'DELETE /v1/contacts/*'],
	'contact get': [contact, 'GET /v1/contacts/*'],
	'contact getAll': [contact],
	'contact sync': [
		contact,
		'POST /v1/contacts',
		'PATCH /v1/contacts/*',
		'DELETE /v1/contacts/*/tags/*',
	],
	'contact update': [contact, 'PATCH /v1/contacts/*'],
	'eventType getAll': ['GET /v1/events'],
	'message sendTemplate': [contact, 'POST /v1/messages/template'],
	'segment getContacts': ['GET /v1/segments/*/contacts'],
	'segment getAll': ['GET /v1/segments'],
	'subscription create': ['POST /v1/subscriptions'],
	'subscription delete': ['DELETE /v1/subscriptions/*'],
	'subscription getAll': ['GET /v1/subscriptions'],
	'tag add': [contact, 'POST /v1/contacts/*/tags'],
	'tag getAll': ['GET /v1/tags'],
	'tag remove': [contact, 'DELETE /v1/contacts/*/tags/*'],
	'template getAll': ['GET /v1/templates'],
	'workspace get': ['GET /v1/workspace'],
};
export const operationsWithEndpoints = Object.keys(allowed);

const queryNames = ['limit', 'offset', 'search', 'tag', 'opt_in_status'];

/** Whether a request is one that the operation may make, each value in it one encoded segment. */
export function isAllowed(operation: string, request: RecordedRequest): boolean {
	const { method, path, query } = request;
	if (Object.keys(query).some((name) => !queryNames.includes(name))) return false;
	return allowed[operation].some((endpoint) => {
		const [wantedMethod, pattern] = endpoint.split(' ');
		const wanted = pattern.split('/');
		const given = path.split('/');
		return (
			method === wantedMethod &&
			given.length === wanted.length &&
			given.every((text, index) =>
				wanted[index] === '*' ? isSegment(text) : text === wanted[index],
			)
		);
	});
}

function isSegment(text: string): boolean {
	return /^[\w.~!*'()%-]+$/.test(text) && !['.', '..'].includes(decodeURIComponent(text));
}
