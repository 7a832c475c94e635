/**
 * Reads the records that the API reference shows. For those that it does not show, see `assumptions.ts`. A reader
 * returns the fields and types of the reference; a field of another type counts as missing. `record` and `envelope` are the unchanged
 * originals, for the output.
 */
import { OPT_IN_STATUSES } from '../domain/consent';
import { isJsonObject, type JsonValue } from '../domain/plainData';
import { readJson } from './readJson';

/** A record as the service sent it. The output contains it unchanged. */
export type WireRecord = Record<string, JsonValue>;

/** Reads a contact (API reference, Contact). */
export function readContact(record: WireRecord) {
	const { id, phone, name, locale, source, opt_in_status, attributes, tags, created } = record;
	const { created_at, last_inbound_at } = record;
	return {
		record,
		/** Empty if missing, like the phone. */
		id: textOrEmpty(id),
		phone: textOrEmpty(phone),
		name: textIn(name),
		locale: textIn(locale),
		source: textIn(source),
		optInStatus: OPT_IN_STATUSES.find((status) => status === opt_in_status),
		attributes: isJsonObject(attributes) ? attributes : {},
		tags: readTexts(tags),
		createdAt: textIn(created_at),
		/** When the contact last wrote; undefined if never. */
		lastInboundAt: textIn(last_inbound_at),
		/** Whether the request created it; only the answer to POST /v1/contacts says so. */
		isNew: created === true,
	};
}

export type Contact = Readonly<ReturnType<typeof readContact>>;

/** Reads a webhook subscription (API reference, Webhook subscription). */
export function readSubscription(record: WireRecord) {
	const { id, url, secret, events, active, created_at } = record;
	return {
		/** Empty if missing, like the URL and the secret. */
		id: textOrEmpty(id),
		url: textOrEmpty(url),
		/** Signs the deliveries. Only the answer to the creation contains it. */
		secret: textOrEmpty(secret),
		/** Undefined if the service does not say. */
		events: Array.isArray(events) ? readTexts(events) : undefined,
		/** True unless the service says otherwise. */
		isActive: active !== false,
		createdAt: textIn(created_at),
	};
}

export type Subscription = Readonly<ReturnType<typeof readSubscription>>;

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

export type EventType = (typeof EVENT_TYPES)[number]['value'];

/**
 * Reads a webhook delivery and the event in it (API reference, Webhook delivery and Event types);
 * undefined if the body is not a JSON object that names an event.
 */
export function readDelivery(body: Buffer) {
	const envelope = readJson(body)?.value;
	if (!isJsonObject(envelope)) return undefined;
	const { id, event, created_at } = envelope;
	if (typeof event !== 'string' || event === '') return undefined;
	const data = isJsonObject(envelope.data) ? envelope.data : {};
	const message = isJsonObject(data.message) ? data.message : {};
	return {
		envelope,
		/** The id of the event; empty if the service gave none. */
		id: textOrEmpty(id),
		/** The type of the event. */
		event,
		createdAt: textIn(created_at),
		/** The id of the contact that the event is about; empty if the service gave none. */
		contactId: isJsonObject(data.contact) ? textOrEmpty(data.contact.id) : '',
		/** For tag.added. "Shape of the `tag` value: not shown", so a text, or an object with a name. */
		tag: textOrEmpty(
			isJsonObject(data.tag) ? (data.tag.name ?? data.tag.tag ?? data.tag.id) : data.tag,
		),
		/** For form.submitted. */
		flowId: textOrEmpty(data.flow_id),
		/** For message.received, like the next two; empty if the message has no text. */
		messageText: textOrEmpty(message.text),
		messageType: textOrEmpty(message.type),
		/** Whether it is the contact's first message. */
		isNewContact: message.is_new_contact === true,
	};
}

export type Delivery = Readonly<NonNullable<ReturnType<typeof readDelivery>>>;

/** A text, or a number as a text, because some services send IDs as numbers. Empty for any other type. */
export function textOrEmpty(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function textIn(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

function readTexts(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
