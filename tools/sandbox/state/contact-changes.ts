import type { Events } from '../delivery/events';
import {
	onlyFields,
	optionalBoolean,
	optionalObject,
	optionalString,
	optionalStrings,
	requiredString,
} from '../http/fields';
import type { Contact, JsonObject } from '../records';
import { normalisePhone } from './phone';
import type { Store } from './store';

/**
 * Records what a client said about consent. Only `true` changes the status, and somebody who opted out
 * needs a proof, too; the reference leaves both open.
 */
function applyConsent(
	store: Store,
	contact: Contact,
	optIn: boolean | undefined,
	proof: string | undefined,
): void {
	if (optIn === undefined && proof === undefined) return;
	store.recordConsent(contact, optIn ?? null, proof ?? null);
	const needsProof = contact.opt_in_status === 'opted_out';
	if (optIn && (proof || !needsProof)) contact.opt_in_status = 'confirmed';
}

/** Attaches a tag, creating it if missing. Returns true and sends an event only if it is newly attached. */
export function attachTag(store: Store, events: Events, contact: Contact, name: string): boolean {
	store.addTag(name);
	if (contact.tags.includes(name)) return false;
	contact.tags.push(name);
	events.tagAdded(contact, name);
	return true;
}

const createFields = [
	'phone',
	'default_country',
	'name',
	'source',
	'attributes',
	'tags',
	'opt_in',
	'consent_proof',
];

/** POST /v1/contacts: creates or updates by phone. Everything is checked before anything changes. */
export function upsertContact(
	store: Store,
	events: Events,
	body: JsonObject,
): { contact: Contact; created: boolean } {
	onlyFields(body, createFields);
	const givenPhone = requiredString(body, 'phone');
	const country = optionalString(body, 'default_country');
	const name = optionalString(body, 'name');
	const source = optionalString(body, 'source');
	const attributes = optionalObject(body, 'attributes');
	const tags = optionalStrings(body, 'tags') ?? [];
	const optIn = optionalBoolean(body, 'opt_in');
	const proof = optionalString(body, 'consent_proof');
	const { newNumbers, phones } = store.rules;
	const unified = newNumbers.get(givenPhone) ?? normalisePhone(givenPhone, country);
	const phone = phones === 'unified' ? unified : givenPhone;

	const existing = store.findByPhone(phone);
	const contact = existing ?? store.addContact({ phone });
	if (name !== undefined) contact.name = name;
	if (source !== undefined) contact.source = source;
	Object.assign(contact.attributes, attributes);
	applyConsent(store, contact, optIn, proof);
	if (!existing) events.contactCreated(contact);
	for (const tag of tags) attachTag(store, events, contact, tag);
	return { contact, created: !existing };
}

/** PATCH /v1/contacts/{id}: the four fields that the reference names. */
export function patchContact(contact: Contact, body: JsonObject): void {
	onlyFields(body, ['name', 'locale', 'source', 'attributes']);
	const name = optionalString(body, 'name');
	const locale = optionalString(body, 'locale');
	const source = optionalString(body, 'source');
	const attributes = optionalObject(body, 'attributes');
	if (name !== undefined) contact.name = name;
	if (locale !== undefined) contact.locale = locale;
	if (source !== undefined) contact.source = source;
	Object.assign(contact.attributes, attributes);
}
