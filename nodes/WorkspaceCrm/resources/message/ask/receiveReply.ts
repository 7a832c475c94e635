import { type IDataObject, type IWebhookFunctions, type IWebhookResponseData } from 'n8n-workflow';

import { processRuntime } from '../../../n8n/connect';
import type { Runtime } from '../../../crm/connection';
import type { Delivery } from '../../../crm/records';
import { keysOf } from '../../../domain/sameNumber';
import { asWord } from '../../../domain/sameText';
import { parseUtcMs } from '../../../domain/time';
import { NothingStarted, receive, whenAnswered } from '../../../n8n/webhook';
import { readSigned, toOutput } from '../../../events/signedDelivery';
import { deleteInBackground } from '../../../events/subscriptions';
import { readState, type AwaitedEvent, type WaitState } from './waitState';

/** Resumes the execution with the reply, or keeps it waiting. */
export async function receiveReply(
	context: IWebhookFunctions,
	runtime = processRuntime,
): Promise<IWebhookResponseData> {
	return await receive(context, (body) => {
		const state = readState(context);
		// Anybody who sees the URL can send requests to it; only the service has the secret.
		const { delivery, deliveryId } = readSigned(body, context.getHeaderData(), [state.secret]);
		assertReply(delivery, state);
		// Only once the execution resumes: until then, the service must be able to retry.
		whenAnswered(context, (isResumed) => {
			if (isResumed) void endWait(context, runtime, state);
		});
		const json = outputOfReply(delivery, deliveryId, state, runtime.clock.now());
		return { json, pairedItem: { item: 0 } };
	});
}

/** @throws NothingStarted if an event is not the reply */
function assertReply(delivery: Delivery, state: WaitState): void {
	if (delivery.event !== state.event) throw keepsWaiting('it is another event');
	const [asked = ''] = keysOf({ id: state.contactId });
	if (!keysOf({ id: delivery.contactId }).includes(asked))
		throw keepsWaiting('it is about another contact');
	const { askedAtMs } = state;
	const writtenMs = parseUtcMs(delivery.createdAt ?? '');
	if (askedAtMs === undefined || writtenMs >= askedAtMs) return;
	const reason = Number.isNaN(writtenMs)
		? 'its time cannot be read'
		: 'it may be older than the question';
	throw keepsWaiting(reason, `did not continue the execution, because ${reason}`);
}

function keepsWaiting(reason: string, log?: string): NothingStarted {
	return new NothingStarted(200, `The execution keeps waiting: ${reason}`, log);
}

/** The IDs of subscriptions whose wait is answered, until they are deleted. Shared by all workflows. */
export const processAnswered = new Set<string>();

/**
 * Deletes the subscription of a wait that is answered, in the background. Until then, it is remembered as
 * answered: it must not stop anybody from asking the contact again.
 */
async function endWait(
	context: IWebhookFunctions,
	runtime: Runtime,
	{ subscriptionId: id, workspace }: WaitState,
): Promise<void> {
	processAnswered.add(id);
	const texts = { ...LEFT_BY_REPLY, what: `of the answered execution ${context.getExecutionId()}` };
	const kept = { id, workspace };
	if (await deleteInBackground(context, runtime, kept, texts)) processAnswered.delete(id);
}

const LEFT_BY_REPLY = {
	ifOther:
		'Until the time of its wait is over, it prevents asking this contact again. With the key of its workspace, delete it with Subscription > Delete in the Workspace CRM node.',
	ifRefused:
		'Once n8n is restarted, it prevents asking this contact again until the time of its wait is over. Delete it with Subscription > Delete in the Workspace CRM node.',
};

type Awaited = Pick<WaitState, 'contactId' | 'event' | 'simplify'>;

/** What workflows branch on: a yes, any other reply or form, or no reply. A no is written in too many ways to tell. */
export type Answer = 'yes' | 'other' | 'none';

/** The output if nobody replies in time: the fields of a reply, all null. */
export function outputWithoutReply(awaited: Awaited): IDataObject {
	const { contactId: contact_id } = awaited;
	const answer: Answer = 'none';
	const told = { answer, approved: false, contact_id, respondedAt: null };
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

/** The output for a reply. Fields of the event can never override `answer` and `approved`: only the approval words count. */
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
	const answer: Answer = approved ? 'yes' : 'other';
	const told = { answer, approved, contact_id, respondedAt };
	const own = { reply, replied: true, timed_out: false, ...told };
	// n8n passes `chatInput` to an agent whose tool call was refused.
	const words = isForAgent && !approved && text !== '' ? { chatInput: text } : {};
	const output = toOutput(delivery, deliveryId, simplify) as IDataObject;
	return { ...own, ...output, ...own, ...words };
}

/** The end of a sentence in any script; Unicode leaves out the Tibetan one. */
const SENTENCE_END = /[\p{Sentence_Terminal}\u0f0d]/u;
const QUESTION_MARKS = '?؟፧᥅‽⳺⳻⸮⹔꘏꛷';

/** What people add to a yes, and never to take it back. */
const AGREEING = ' 👍👌✅🙏😊🙂';

/**
 * Whether the whole reply is one of the words, as people type them: an opening ¡ or ¿, a final full stop of any
 * script or exclamation marks, and emojis of agreement after it do not matter. "yes, but" and "yes..." are not
 * approvals.
 */
export function isApproval(reply: string, words: readonly string[]): boolean {
	const text = [...asWord(reply)];
	while (AGREEING.includes(text.at(-1) ?? '-')) text.pop();
	const said = [bare(reply), bare(text.join(''))];
	return words.map(bare).some((word) => word !== '' && said.includes(word));
}

function bare(text: string): string {
	const said = [...asWord(text).replace(/^[¡¿]/, '')];
	let { length } = said;
	while (length > 0 && mayEnd(said[length - 1] ?? '')) length -= 1;
	const end = said.slice(length);
	const isEnd = end.length === 1 || end.every((mark) => mark === '!');
	return (isEnd ? said.slice(0, length) : said).join('').trim();
}

function mayEnd(mark: string): boolean {
	return SENTENCE_END.test(mark) && !QUESTION_MARKS.includes(mark);
}
