import type { IDataObject } from 'n8n-workflow';

import type { Delivery } from '../api/types';
import { toOutput } from '../webhooks/deliveryOutput';
import type { AwaitedEvent, WaitState } from './waitState';

type Awaited = Pick<WaitState, 'contactId' | 'event' | 'simplify'>;

/** What comes out if nobody replies in time: the fields of a reply, without values. */
export function outputWithoutReply(awaited: Awaited): IDataObject {
	const { contactId: contact_id } = awaited;
	const own = { reply: null, replied: false, timed_out: true, approved: false, contact_id };
	const names = awaited.simplify
		? ['event', 'event_id', 'delivery_id', 'created_at', 'contact', ...PARTS[awaited.event]]
		: ['id', 'event', 'created_at', 'data', 'delivery_id'];
	return { ...own, ...Object.fromEntries(names.map((name) => [name, null])) };
}

/** The parts of the event's payload, beside the contact (API reference, event types). */
const PARTS: Record<AwaitedEvent, string[]> = {
	'message.received': ['message'],
	'form.submitted': ['flow_id', 'answers'],
};

/**
 * What comes out of a reply. Nothing in the event can say that it is an approval, whatever its fields
 * are called; only the words can.
 */
export function outputOfReply(
	delivery: Delivery,
	deliveryId: string,
	state: Awaited & Pick<WaitState, 'approvalWords' | 'isApproval'>,
): IDataObject {
	const { contactId, event, approvalWords, isApproval: isForAgent, simplify } = state;
	const text = event === 'message.received' ? delivery.messageText : '';
	const approved = isApproval(text, approvalWords);
	// The first thing to see is what was written, as it is no approval unless it is one of the words.
	const reply = event === 'message.received' ? text : null;
	const own = { reply, replied: true, timed_out: false, approved, contact_id: contactId };
	// An agent whose tool call is refused is told these words of the person.
	const words = isForAgent && !approved && text !== '' ? { chatInput: text } : {};
	const output = toOutput(delivery, deliveryId, simplify) as IDataObject;
	return { ...own, ...output, ...own, ...words };
}

/**
 * Whether a reply is one of the words, as a whole and in whatever case. A full stop or exclamation marks
 * at its end do not matter. Everything else is no approval: neither "yes, but" nor "yes...".
 */
export function isApproval(reply: string, words: readonly string[]): boolean {
	return words.map(plain).includes(plain(reply)) && plain(reply) !== '';
}

function plain(text: string): string {
	const letters = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
	return letters
		.replace(/(?<![.!])(\.|!+)$/, '')
		.trim()
		.toLowerCase();
}
