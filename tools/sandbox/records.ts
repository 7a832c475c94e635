/** The records of the CRM as they travel over the wire, plus what the sandbox keeps beside them. */

export type JsonObject = Record<string, unknown>;

export const optInStates = ['none', 'pending', 'confirmed', 'opted_out'] as const;
export type OptInStatus = (typeof optInStates)[number];

export const eventTypes = [
	'contact.created',
	'contact.opted_out',
	'message.received',
	'form.submitted',
	'tag.added',
] as const;
export type EventType = (typeof eventTypes)[number];

export interface Contact {
	id: string;
	/** E.164, with the leading plus sign. */
	phone: string;
	name: string | null;
	locale: string | null;
	source: string | null;
	opt_in_status: OptInStatus;
	attributes: JsonObject;
	tags: string[];
	last_inbound_at: string | null;
	created_at: string;
}

export interface Tag {
	id: string;
	name: string;
}

export interface Template {
	/** Some services name templates only; one seeded record has no id for that reason. */
	id?: string;
	name: string;
	language: string;
	category: string;
	body: string;
}

export interface Automation {
	id: string;
	name: string;
	trigger: string;
	active: boolean;
}

export interface Segment {
	id: string;
	name: string;
	/** A contact is in the segment when everything given here fits it. */
	rule: { tag?: string; opt_in_status?: OptInStatus };
}

export interface Subscription {
	id: string;
	url: string;
	events: EventType[];
	secret: string;
	active: boolean;
	created_at: string;
}

export interface Enrolment {
	id: string;
	automation_id: string;
	contact_id: string;
	created_at: string;
}

export interface SentMessage {
	id: string;
	contact_id: string;
	template: string;
	variables: unknown;
	created_at: string;
}

export interface ConsentEntry {
	contact_id: string;
	/** What the client said; null when only a proof was sent. */
	opt_in: boolean | null;
	consent_proof: string | null;
	recorded_at: string;
}

export interface EventEnvelope {
	id: string;
	event: EventType;
	created_at: string;
	data: JsonObject;
}

export interface ListEnvelope {
	data: unknown[];
	total: number;
	limit: number;
	offset: number;
}
