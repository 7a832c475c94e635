import { randomUUID } from 'node:crypto';
import type { Contact, EventEnvelope, EventType, JsonObject } from '../records';
import type { Shapes } from '../shapes';
import type { Store } from '../state/store';
import type { Deliveries } from './deliveries';

export interface InboundMessage {
	wa_message_id: string;
	type: string;
	text: string;
	is_new_contact: boolean;
}

/** Makes events and hands each one to the subscriptions that want it. */
export class Events {
	constructor(
		private readonly store: Store,
		private readonly deliveries: Deliveries,
		private readonly shapes: () => Shapes,
	) {}

	contactCreated(contact: Contact): EventEnvelope {
		return this.publish('contact.created', { contact });
	}

	contactOptedOut(contact: Contact): EventEnvelope {
		return this.publish('contact.opted_out', { contact });
	}

	messageReceived(contact: Contact, message: InboundMessage): EventEnvelope {
		return this.publish('message.received', { contact, message });
	}

	formSubmitted(contact: Contact, flowId: string, answers: JsonObject): EventEnvelope {
		const asArray = this.shapes().answersInEvent === 'array';
		return this.publish('form.submitted', {
			contact,
			flow_id: flowId,
			answers: asArray
				? Object.entries(answers).map(([question, answer]) => ({ question, answer }))
				: answers,
		});
	}

	tagAdded(contact: Contact, tagName: string): EventEnvelope {
		const asObject = this.shapes().tagInEvent === 'object';
		return this.publish('tag.added', {
			contact,
			tag: asObject ? this.store.addTag(tagName) : tagName,
		});
	}

	private publish(event: EventType, data: JsonObject): EventEnvelope {
		const envelope: EventEnvelope = {
			id: `evt_${randomUUID()}`,
			event,
			created_at: this.store.nowIso(),
			// A copy, because the contact may change afterwards.
			data: structuredClone(data),
		};
		for (const subscription of this.store.subscriptions.values()) {
			if (subscription.active && subscription.events.includes(event)) {
				this.deliveries.start(envelope, subscription);
			}
		}
		return envelope;
	}
}
