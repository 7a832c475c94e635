/**
 * How campaigns and other messages with a key remember: each contact gets an attribute before its message is sent, so
 * that no later run with the same key sends it again. The API cannot remove attributes, so a revoked mark stays, with
 * a value that says so.
 */
import { isNothing, type JsonObject } from './plainData';
import { InputProblem, quoted } from './inputProblem';
import { asPlainWord } from './sameText';

const PREFIX = 'sent:';

/** Whether an attribute is a mark, which only messages with a key may change. */
export const isCampaignAttribute = (name: string): boolean => name.startsWith(PREFIX);

/** Attributes without marks. */
export function withoutMarks(attributes: JsonObject): JsonObject {
	return Object.fromEntries(
		Object.entries(attributes).filter(([name]) => !isCampaignAttribute(name)),
	);
}

/** The mark that one try to send writes. Every try has its own. */
export interface Mark {
	/** `sent:<key>:<8 hex digits>` */
	readonly attribute: string;
	/** `<time> execution <id>` */
	readonly value: string;
}

interface MarkOrigin {
	nowMs: number;
	/** From 0 up to 1, not included. */
	random: number;
	executionId: string;
}

/** @throws InputProblem for a key that cannot be part of the name of an attribute, with one that can */
export function readCampaignKey(text: string): string {
	const key = text.trim();
	if (KEY.test(key)) return key;
	const words = asPlainWord(text.slice(0, MAX_READ_CHARACTERS));
	const offered = words
		.replace(/[^a-z0-9_]+/g, '-')
		.replace(/^-|-$/g, '')
		.slice(0, 40);
	const offer = KEY.test(offered) ? `${quoted(offered)}, or another` : 'one';
	throw new InputProblem(
		`${quoted(text)} is not a campaign key`,
		`No message was sent. Use ${offer} of ${GRAMMAR}.`,
	);
}

/**
 * The key of a message about one thing, such as an order: most come from an ID, so none is offered that two IDs could
 * share.
 *
 * @throws InputProblem for a key that cannot be part of the name of an attribute
 */
export function readSendOnceKey(text: string): string {
	const key = text.trim();
	if (KEY.test(key)) return key;
	throw new InputProblem(
		`${quoted(text)} cannot be a Send Once Key`,
		`No message was sent. A key has ${GRAMMAR}. For an ID that is longer or has other characters, use an expression such as {{ $json.id.hash() }}, with the field that holds the ID.`,
	);
}

const GRAMMAR = "1 to 40 characters: small letters without accents, digits, '-' and '_'";
const KEY = /^[a-z0-9_-]{1,40}$/;
/** A longer text is no key, whatever follows. */
const MAX_READ_CHARACTERS = 100;

/**
 * A new mark. Random digits make it unique, not the execution: n8n can run an execution twice, for example
 * when a worker in queue mode stops answering.
 */
export function newMark(key: string, { nowMs, random, executionId }: MarkOrigin): Mark {
	const digits = Math.floor(random * 2 ** 32).toString(16);
	return {
		attribute: `${PREFIX}${key}:${digits.padStart(8, '0')}`,
		value: `${new Date(nowMs).toISOString()} execution ${executionId}`,
	};
}

/** The attributes that revoke a mark. */
export function revokedMark({ attribute, value }: Mark): JsonObject {
	return { [attribute]: `refused ${value}` };
}

/** Whether a contact shows that a mark was revoked. */
export function isRevoked(attributes: JsonObject, mark: Mark): boolean {
	return attributes[mark.attribute] === revokedMark(mark)[mark.attribute];
}

export function holdsMark(attributes: JsonObject, { attribute }: Mark): boolean {
	return isMark(attributes[attribute]);
}

/**
 * The value of the key's first mark that is not our own, such as
 * `2026-03-01T09:00:00.000Z execution 12`.
 */
export function otherMark(attributes: JsonObject, key: string, own?: Mark): string | undefined {
	const names = Object.keys(attributes).filter(
		(name) => name.startsWith(`${PREFIX}${key}:`) && name !== own?.attribute,
	);
	const value = names.map((name) => attributes[name]).find(isMark);
	return value === undefined ? undefined : quoted(value);
}

/** A person may also write a mark by hand, with any value. */
function isMark(value: unknown): boolean {
	return !isNothing(value) && !(typeof value === 'string' && /^\s*refused\b/.test(value));
}
