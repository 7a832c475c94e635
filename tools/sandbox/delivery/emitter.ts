import { randomUUID } from 'node:crypto';
import { notFound } from '../http/api-error';
import type { Contact, EventEnvelope, JsonObject } from '../records';
import { normalisePhone } from '../state/phone';
import type { Store } from '../state/store';
import type { Events } from './events';

/** Who did something: a contact's id, alone or in an object, or a phone. */
export type Who = string | { contactId: string } | { phone: string };

export type Emitter = ReturnType<typeof createEmitter>;

const stopWords = /^\s*(stop|unsubscribe)\s*$/i;

/** What contacts do by themselves. Each call makes the event and starts its deliveries. */
export function createEmitter(store: Store, events: Events) {
	const find = (who: Who): Contact | undefined => {
		if (typeof who === 'string') return store.contacts.get(who);
		return 'phone' in who ? store.findByPhone(who.phone) : store.contacts.get(who.contactId);
	};
	const known = (who: Who): Contact => {
		const contact = find(who);
		if (!contact) throw notFound('contact');
		return contact;
	};
	const create = (who: Who): Contact => {
		if (typeof who === 'string' || !('phone' in who)) throw notFound('contact');
		const contact = store.addContact({
			phone: normalisePhone(who.phone),
			source: 'inbound_message',
			last_inbound_at: store.nowIso(),
		});
		events.contactCreated(contact);
		return contact;
	};
	const optOut = (who: Who): EventEnvelope => {
		const contact = known(who);
		contact.opt_in_status = 'opted_out';
		store.recordConsent(contact, false, null);
		return events.contactOptedOut(contact);
	};
	return {
		/** A message from a phone that is not known yet creates the contact; a stop word opts out. */
		inboundMessage(who: Who, text: string, type = 'text'): EventEnvelope {
			const existing = find(who);
			const contact = existing ?? create(who);
			contact.last_inbound_at = store.nowIso();
			const received = events.messageReceived(contact, {
				wa_message_id: `wamid.${randomUUID()}`,
				type,
				text,
				is_new_contact: !existing,
			});
			if (stopWords.test(text)) optOut({ contactId: contact.id });
			return received;
		},
		optOut,
		submitForm: (who: Who, flowId: string, answers: JsonObject) =>
			events.formSubmitted(known(who), flowId, answers),
	};
}
