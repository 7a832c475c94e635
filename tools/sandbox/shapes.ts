import type { InvalidForm } from './http/api-error';

/** How the sandbox answers where the reference leaves the shape open. */

export type ListShape = 'array' | 'data' | 'named' | 'paged';
export type ListName =
	| 'tags'
	| 'templates'
	| 'automations'
	| 'segments'
	| 'events'
	| 'subscriptions';

/** How the body of a send or an enrolment names its fields: see `routes/actions.ts`. */
export type BodyForm = 'contactId' | 'contactIdCamel' | 'phone';

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
	/** `otherUrl`: the service adds a parameter to the URL. */
	subscriptionCreateAnswer: 'full' | 'noSecret' | 'noId' | 'noUrl' | 'otherUrl';
	tagInEvent: 'string' | 'object';
	answersInEvent: 'object' | 'array';
	sendBody: BodyForm;
	enrollBody: BodyForm;
	/** How a body with other fields is refused. */
	invalidBody: InvalidForm;
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
	invalidBody: 'plain',
};

/** The shape chosen for one of the short lists. */
export function listShapeOf(shapes: Shapes, name: ListName): ListShape {
	return typeof shapes.list === 'string' ? shapes.list : (shapes.list[name] ?? 'array');
}
