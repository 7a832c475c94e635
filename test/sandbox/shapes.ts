/** How the sandbox answers where the reference leaves the shape open. */

export type ListShape = 'array' | 'data' | 'named' | 'paged';
export type ListName =
	| 'tags'
	| 'templates'
	| 'automations'
	| 'segments'
	| 'events'
	| 'subscriptions';

export interface Shapes {
	/** One shape for all short lists, or one for each. */
	list: ListShape | Partial<Record<ListName, ListShape>>;
	tags: 'objects' | 'strings';
	events: 'strings' | 'objects';
	segmentContacts: 'contacts' | 'ids';
	/** The answer to attaching and detaching a tag; `empty` is 204. */
	tagAnswer: 'contact' | 'tag' | 'empty';
	sendAnswer: 'record' | 'empty' | 'message';
	enrollAnswer: 'record' | 'empty' | 'message';
	subscriptionCreateAnswer: 'full' | 'noSecret' | 'noId';
	tagInEvent: 'string' | 'object';
	answersInEvent: 'object' | 'array';
	/**
	 * `contactId`: `{ contact_id, template, variables? }`;
	 * `contactIdCamel`: `{ contactId, templateName, params? }`;
	 * `phone`: `{ to, template: { name }, variables? }`.
	 */
	sendBody: 'contactId' | 'contactIdCamel' | 'phone';
	/** `{ contact_id }`, `{ contactId }` or `{ phone }`. */
	enrollBody: 'contactId' | 'contactIdCamel' | 'phone';
}

export const defaultShapes: Shapes = {
	list: 'array',
	tags: 'objects',
	events: 'strings',
	segmentContacts: 'contacts',
	tagAnswer: 'contact',
	sendAnswer: 'record',
	enrollAnswer: 'record',
	subscriptionCreateAnswer: 'full',
	tagInEvent: 'string',
	answersInEvent: 'object',
	sendBody: 'contactId',
	enrollBody: 'contactId',
};

/** The shape chosen for one of the short lists. */
export function listShapeOf(shapes: Shapes, name: ListName): ListShape {
	return typeof shapes.list === 'string' ? shapes.list : (shapes.list[name] ?? 'array');
}
