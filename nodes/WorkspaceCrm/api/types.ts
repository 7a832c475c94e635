/**
 * The only place that reads records of the service. A reader returns the fields and types of the API
 * reference; a field of another type counts as missing. `record` and `envelope` are the unchanged
 * originals, for the output.
 */
import type { IDataObject } from 'n8n-workflow';

import { isJsonObject, tryParseJson, type JsonObject } from '../domain/json';

/** A record as the service sent it. The output contains it unchanged. */
export type WireRecord = IDataObject;

const OPT_IN_STATUSES = ['none', 'pending', 'confirmed', 'opted_out'] as const;

/** The states of consent. Campaigns reach only `confirmed`; `opted_out` is never messaged. */
export type OptInStatus = (typeof OPT_IN_STATUSES)[number];

/** A contact (API reference, Contact). */
export interface Contact {
	readonly record: WireRecord;
	/** Empty if missing, like the phone. */
	readonly id: string;
	readonly phone: string;
	readonly name?: string;
	readonly locale?: string;
	readonly source?: string;
	readonly optInStatus?: OptInStatus;
	readonly attributes: JsonObject;
	readonly tags: readonly string[];
	readonly createdAt?: string;
	/** When the contact last wrote; undefined if never. */
	readonly lastInboundAt?: string;
	/** Whether the request created it; only the answer to POST /v1/contacts says so. */
	readonly isNew: boolean;
}

export function readContact(record: WireRecord): Contact {
	const { id, phone, name, locale, source, opt_in_status, attributes, tags, created } = record;
	const { created_at, last_inbound_at } = record;
	return {
		record,
		id: readId(id),
		phone: readId(phone),
		name: textOf(name),
		locale: textOf(locale),
		source: textOf(source),
		optInStatus: OPT_IN_STATUSES.find((status) => status === opt_in_status),
		attributes: isJsonObject(attributes) ? attributes : {},
		tags: readTexts(tags),
		createdAt: textOf(created_at),
		lastInboundAt: textOf(last_inbound_at),
		isNew: created === true,
	};
}

/** A webhook subscription (API reference, Webhook subscription). */
export interface Subscription {
	/** Empty if missing, like the URL and the secret. */
	readonly id: string;
	readonly url: string;
	/** Signs the deliveries. Only the answer to the creation contains it. */
	readonly secret: string;
	/** Undefined if the service does not say. */
	readonly events?: readonly string[];
	/** True unless the service says otherwise. */
	readonly isActive: boolean;
	/** Undefined if it is no text. */
	readonly createdAt?: string;
}

export function readSubscription(record: WireRecord): Subscription {
	const { id, url, secret, events, active, created_at } = record;
	return {
		id: readId(id),
		url: readId(url),
		secret: readId(secret),
		events: Array.isArray(events) ? readTexts(events) : undefined,
		isActive: active !== false,
		createdAt: textOf(created_at),
	};
}

/** A webhook delivery and the event in it (API reference, Webhook delivery and Event types). */
export interface Delivery {
	readonly envelope: JsonObject;
	/** The id of the event; empty if the service gave none. */
	readonly id: string;
	/** The type of the event. */
	readonly event: string;
	/** Undefined if it is no text. */
	readonly createdAt?: string;
	/** The id of the contact that the event is about; empty if the service gave none. */
	readonly contactId: string;
	/** For tag.added. "Shape of the `tag` value: not shown", so a text, or an object with a name. */
	readonly tag: string;
	/** For form.submitted. */
	readonly flowId: string;
	/** For message.received: the text of the message; empty if it has none. */
	readonly messageText: string;
	/** For message.received: the type of the message. */
	readonly messageType: string;
	/** For message.received: whether it is the contact's first message. */
	readonly isNewContact: boolean;
}

/** The events that the service sends (API reference, event types), as the editor lists them. */
export const EVENT_TYPES = [
	{
		name: 'Contact Created',
		value: 'contact.created',
		description: 'A new contact appears, from any source',
	},
	{
		name: 'Contact Opted Out',
		value: 'contact.opted_out',
		description: 'A contact opts out, e.g. by a stop keyword',
	},
	{
		name: 'Form Submitted',
		value: 'form.submitted',
		description: 'A contact completes a form (flow)',
	},
	{
		name: 'Message Received',
		value: 'message.received',
		description: 'A message from a contact arrives',
	},
	{
		name: 'Tag Added',
		value: 'tag.added',
		description: 'A tag is newly attached to a contact',
	},
] as const;

/** Parses the body of a delivery; undefined if it is not a JSON object that names an event. */
export function readDelivery(body: string): Delivery | undefined {
	const envelope = tryParseJson(body);
	if (!isJsonObject(envelope)) return undefined;
	const { id, event, created_at } = envelope;
	if (typeof event !== 'string' || event === '') return undefined;
	const data = isJsonObject(envelope.data) ? envelope.data : {};
	const message = isJsonObject(data.message) ? data.message : {};
	return {
		envelope,
		id: readId(id),
		event,
		createdAt: textOf(created_at),
		contactId: isJsonObject(data.contact) ? readId(data.contact.id) : '',
		tag: readId(isJsonObject(data.tag) ? (data.tag.name ?? data.tag.tag ?? data.tag.id) : data.tag),
		flowId: readId(data.flow_id),
		messageText: readId(message.text),
		messageType: readId(message.type),
		isNewContact: message.is_new_contact === true,
	};
}

/** An ID as a string; some services send a number. Empty for any other type. */
export function readId(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

function readTexts(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
