import type { Delivery } from '../api/types';
import { parseUtcMs } from '../domain/time';

/** The filters that the user set; a missing filter passes every event. */
export interface EventFilter {
	/** Event types that start the workflow. */
	events: string[];
	/** For tag.added: names of tags. */
	tags?: string[];
	/** For message.received: types of messages. */
	messageTypes?: string[];
	/** For message.received: only a contact's first message. */
	onlyNewContacts?: boolean;
	/** For message.received: words and phrases; the text must contain one. */
	messageContains?: string[];
	/** For form.submitted: ids of flows. */
	flowIds?: string[];
	/** Older events do not start the workflow. */
	maxAgeMs?: number;
}

/** Logged, unlike the other reasons: with a wrong clock, it drops every event. */
export const TOO_OLD = 'the event is too old';

/**
 * Returns why an event does not start the workflow; undefined if it does. A filter applies only to its
 * own type of event.
 *
 * @see API reference, event types
 */
export function reasonToSkip(
	delivery: Delivery,
	filter: EventFilter,
	nowMs: number,
): string | undefined {
	const { event } = delivery;
	if (!filter.events.includes(event)) return 'the event is not chosen';
	if (isTooOld(delivery.createdAt, filter.maxAgeMs, nowMs)) return TOO_OLD;

	if (event === 'tag.added' && !isListed(filter.tags, delivery.tag)) {
		return 'the tag is not among the chosen ones';
	}
	if (event === 'form.submitted' && !isListed(filter.flowIds, delivery.flowId)) {
		return 'the form is not among the chosen ones';
	}
	if (event === 'message.received') {
		if (!isListed(filter.messageTypes, delivery.messageType)) {
			return 'the type of the message is not among the chosen ones';
		}
		if (!holdsOne(delivery.messageText, filter.messageContains)) {
			return 'the message has none of the chosen words';
		}
		if (filter.onlyNewContacts && !delivery.isNewContact) {
			return 'the contact is not new';
		}
	}
	return undefined;
}

function isListed(allowed: string[] = [], value: string): boolean {
	return allowed.length === 0 || (value !== '' && allowed.includes(value));
}

/** Whether a text contains one of the words or phrases. */
function holdsOne(text: string, phrases: string[] = []): boolean {
	return phrases.length === 0 || phrases.some((phrase) => holds(toWords(text), toWords(phrase)));
}

/** Scripts without spaces between words; in them, a word may match anywhere in the text. */
const UNSPACED =
	'[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]';
const BESIDE = `(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}]`;

/** Whether a text contains a phrase as whole words: no letter, digit or mark beside it. */
function holds(text: string, phrase: string): boolean {
	const isUnspaced = (place: string) => new RegExp(place, 'u').test(phrase);
	const before = isUnspaced(`^${UNSPACED}`) ? '' : `(?<!${BESIDE})`;
	const after = isUnspaced(`${UNSPACED}\\p{M}*$`) ? '' : `(?!${BESIDE})`;
	const escaped = phrase.replace(/[$^+|]/g, '\\$&');
	return new RegExp(`${before}${escaped}${after}`, 'u').test(text);
}

/** Normalizes a text for comparing: one case, spaces for punctuation, no invisible characters. */
export function toWords(text: string): string {
	return text
		.normalize('NFKC')
		.replace(/[\p{Cf}\uFE0E\uFE0F]/gu, '')
		.toUpperCase()
		.toLowerCase()
		.replace(/i\u0307/g, 'i')
		.replace(/[\s\p{P}]+/gu, ' ')
		.trim();
}

/** An event without a readable time passes: an extra run is better than a lost event. */
function isTooOld(createdAt: string | undefined, maxAgeMs = Infinity, nowMs: number): boolean {
	return createdAt !== undefined && nowMs - parseUtcMs(createdAt) > maxAgeMs;
}
