import type { InvalidForm } from './http/invalid-forms';

/** How the sandbox answers where the reference leaves the shape open. */

export type ListShape = 'array' | 'data' | 'named' | 'paged' | 'nested' | 'meta';
export type ListName =
	| 'tags'
	| 'templates'
	| 'automations'
	| 'segments'
	| 'events'
	| 'subscriptions';

/** What an enrolment takes. A name with dots is a field in an object. */
export interface EnrollForm {
	contact: string;
	contactBy: 'id' | 'phone';
	/** Whether a contact that cannot be one is said to be wrong, and not just not found. */
	checksContact: boolean;
	/** Whether it refuses fields that it does not know. */
	isStrict: boolean;
}

/** What a send takes. */
export interface SendForm extends EnrollForm {
	template: string;
	templateBy: 'id' | 'name' | 'either';
	variables: string;
	/** `{ "1": "a" }`, `["a"]`, or `[{ "name": "1", "value": "a" }]`. */
	variablesAs: 'object' | 'list' | 'pairs';
	/** Whether a template with variables is refused without them. */
	needsVariables: boolean;
}

type NamedForm = 'contactId' | 'contactIdCamel' | 'phone';

export interface Shapes {
	/** One shape for all short lists, or one for each. */
	list: ListShape | Partial<Record<ListName, ListShape>>;
	/** A short list without records: as it would be, `{ data: null, total: 0 }`, or 204. */
	emptyList: 'asEver' | 'null' | 'noContent';
	tags: 'objects' | 'strings';
	events: 'strings' | 'objects';
	/** What the id and the name of templates, automations and segments are called. */
	recordNames: 'plain' | 'prefixed' | 'camel' | 'titled';
	/** Where a template's text is: in `body`, in a list of components, or only the variables' names. */
	templateText: 'body' | 'components' | 'variables';
	/** What `opt_in` does: it may only be written down. */
	optInTrue: 'confirmed' | 'pending' | 'recorded';
	optInFalse: 'opted_out' | 'recorded';
	segmentContacts: 'contacts' | 'ids';
	/** The answer to attaching and detaching a tag; `empty` is 204. */
	tagAnswer: 'contact' | 'tag' | 'empty';
	sendAnswer: 'record' | 'empty' | 'message';
	enrollAnswer: 'record' | 'empty' | 'message';
	/** `otherUrl`: the service adds a parameter to the URL. */
	subscriptionCreateAnswer: 'full' | 'noSecret' | 'noId' | 'noTime' | 'noUrl' | 'otherUrl';
	tagInEvent: 'string' | 'object';
	answersInEvent: 'object' | 'array';
	sendBody: NamedForm | SendForm;
	enrollBody: NamedForm | EnrollForm;
	/** How a body with other fields is refused. */
	invalidBody: InvalidForm;
	/** How JSON is written: with a byte order mark, in Latin-1, or with an odd Content-Type. */
	encoding: 'utf8' | 'bom' | 'latin1' | 'oddType';
}

const byId = { contactBy: 'id', checksContact: false, isStrict: true } as const;
const byPhone = { ...byId, contactBy: 'phone' } as const;
const variables = {
	variables: 'variables',
	variablesAs: 'object',
	templateBy: 'either',
	needsVariables: false,
} as const;

export const sendForms: Record<NamedForm, SendForm> = {
	contactId: { ...byId, ...variables, contact: 'contact_id', template: 'template' },
	contactIdCamel: {
		...byId,
		...variables,
		contact: 'contactId',
		template: 'templateName',
		variables: 'params',
	},
	phone: { ...byPhone, ...variables, contact: 'to', template: 'template.name' },
};

export const enrollForms: Record<NamedForm, EnrollForm> = {
	contactId: { ...byId, contact: 'contact_id' },
	contactIdCamel: { ...byId, contact: 'contactId' },
	phone: { ...byPhone, contact: 'phone' },
};

export const defaultShapes: Shapes = {
	list: 'array',
	emptyList: 'asEver',
	tags: 'objects',
	events: 'strings',
	recordNames: 'plain',
	templateText: 'body',
	optInTrue: 'confirmed',
	optInFalse: 'recorded',
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
	encoding: 'utf8',
};

/** The shape chosen for one of the short lists. */
export function listShapeOf(shapes: Shapes, name: ListName): ListShape {
	return typeof shapes.list === 'string' ? shapes.list : (shapes.list[name] ?? 'array');
}
