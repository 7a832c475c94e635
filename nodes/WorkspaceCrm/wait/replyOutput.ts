import type { IDataObject } from 'n8n-workflow';

import type { Delivery } from '../api/records';
import { fold } from '../domain/text';
import { toOutput } from '../webhooks/signedDelivery';
import type { AwaitedEvent, WaitState } from './waitState';

type Awaited = Pick<WaitState, 'contactId' | 'event' | 'simplify'>;

/** The output if nobody replies in time: the fields of a reply, all null. */
export function outputWithoutReply(awaited: Awaited): IDataObject {
	const { contactId: contact_id } = awaited;
	const told = { approved: false, contact_id, respondedAt: null };
	const own = { reply: null, replied: false, timed_out: true, ...told };
	const names = awaited.simplify
		? ['event', 'event_id', 'delivery_id', 'created_at', 'contact', ...PARTS[awaited.event]]
		: ['id', 'event', 'created_at', 'data', 'delivery_id'];
	return { ...own, ...Object.fromEntries(names.map((name) => [name, null])) };
}

/** The parts of the event's payload besides the contact (API reference, event types). */
const PARTS: Record<AwaitedEvent, string[]> = {
	'message.received': ['message'],
	'form.submitted': ['flow_id', 'answers'],
};

/** The output for a reply. Fields of the event can never override `approved`: only the approval words count. */
export function outputOfReply(
	delivery: Delivery,
	deliveryId: string,
	state: Awaited & Pick<WaitState, 'approvalWords' | 'isApproval'>,
	nowMs: number,
): IDataObject {
	const { contactId: contact_id, event, approvalWords, isApproval: isForAgent, simplify } = state;
	const text = event === 'message.received' ? delivery.messageText : '';
	const approved = isApproval(text, approvalWords);
	// First, so that users see the reply that was compared with the approval words.
	const reply = event === 'message.received' ? text : null;
	// As n8n's own Send and Wait calls it.
	const respondedAt = new Date(nowMs).toISOString();
	const own = { reply, replied: true, timed_out: false, approved, contact_id, respondedAt };
	// n8n passes `chatInput` to an agent whose tool call was refused.
	const words = isForAgent && !approved && text !== '' ? { chatInput: text } : {};
	const output = toOutput(delivery, deliveryId, simplify) as IDataObject;
	return { ...own, ...output, ...own, ...words };
}

/**
 * Whether the whole reply is one of the words, as people type them: an opening ¡ or ¿ and a final full stop or
 * exclamation marks do not matter. "yes, but" and "yes..." are not approvals.
 */
export function isApproval(reply: string, words: readonly string[]): boolean {
	const said = bare(reply);
	return said !== '' && words.some((word) => bare(word) === said);
}

function bare(text: string): string {
	return fold(text)
		.replace(/^[¡¿]/, '')
		.replace(/(?<![.。!])([.。]|!+)$/, '')
		.trim();
}
