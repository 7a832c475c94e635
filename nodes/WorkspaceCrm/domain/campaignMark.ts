/**
 * The memory of campaigns: attributes that a contact gets before it is sent a message, so that no later
 * run with the same campaign key sends it again. The API cannot remove an attribute, so a mark that was
 * taken back stays, with a value that says so.
 */
import { isBlank, type JsonObject } from './json';
import { InputProblem, shown } from './problem';

/** What the attributes of campaigns begin with. */
const PREFIX = 'sent:';

/** Whether an attribute is the mark of a campaign, which only campaigns change. */
export const isCampaignAttribute = (name: string): boolean => name.startsWith(PREFIX);

/** A mark that one try to send writes. No other try has the same. */
export interface Mark {
	/** `sent:<campaign key>:<8 hex digits>` */
	readonly attribute: string;
	/** `<time> execution <id>` */
	readonly value: string;
}

/** When, where and by what chance a mark is made. */
interface MarkOrigin {
	nowMs: number;
	/** From 0 up to 1, not included. */
	random: number;
	executionId: string;
}

/** @throws InputProblem for a key that cannot be part of the name of an attribute */
export function readCampaignKey(text: string): string {
	const key = text.trim();
	if (/^[a-z0-9_-]{1,40}$/.test(key)) return key;
	throw new InputProblem(
		`${shown(text)} is not a campaign key`,
		"No message was sent. A campaign key has 1 to 40 characters: small letters without accents, digits, '-' and '_', such as spring-sale-2026.",
	);
}

/**
 * A new mark. It is told from all others by chance, and not by the execution: n8n can run one execution
 * twice, such as after a worker in queue mode stopped answering.
 */
export function newMark(key: string, { nowMs, random, executionId }: MarkOrigin): Mark {
	const digits = Math.floor(random * 2 ** 32).toString(16);
	return {
		attribute: `${PREFIX}${key}:${digits.padStart(8, '0')}`,
		value: `${new Date(nowMs).toISOString()} execution ${executionId}`,
	};
}

/** The attributes that take a mark back. */
export function revokedMark({ attribute, value }: Mark): JsonObject {
	return { [attribute]: `refused ${value}` };
}

/** Whether attributes hold this mark. */
export function holdsMark(attributes: JsonObject, { attribute }: Mark): boolean {
	return isMark(attributes[attribute]);
}

/**
 * The first mark of a campaign that attributes hold, other than one's own: its value, such as
 * `2026-03-01T09:00:00.000Z execution 12`.
 */
export function otherMark(attributes: JsonObject, key: string, own?: Mark): string | undefined {
	const names = Object.keys(attributes).filter(
		(name) => name.startsWith(`${PREFIX}${key}:`) && name !== own?.attribute,
	);
	const value = names.map((name) => attributes[name]).find(isMark);
	return value === undefined ? undefined : shown(value);
}

/** A person may write a mark by hand, with any value. */
function isMark(value: unknown): boolean {
	return !isBlank(value) && !(typeof value === 'string' && /^\s*refused\b/.test(value));
}
