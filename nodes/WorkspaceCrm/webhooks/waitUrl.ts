import { createHash } from 'node:crypto';

import { parseUrl } from '../api/urls';

/** Our parameters in the URL that resumes an execution. Digits and letters only, which stay as they are. */
const WAIT = 'crm_wait';
const CONTACT = 'crm_contact';
const SINCE = 'crm_since';
const UNTIL = 'crm_until';
const TEST = 'crm_test';

/** A wait for a reply, as the URL of its subscription tells it. Anybody can write such a URL. */
export interface WaitUrl {
	executionId: string;
	nodeId: string;
	/** Tells one wait of an execution from another. */
	waitId: string;
	/** Stands for the contact who is asked; from `contactKeyOf`. */
	contactKey: string;
	/** Milliseconds since 1970, by n8n's clock. */
	sinceMs: number;
	untilMs: number;
	/** Whether somebody started the execution in the editor. */
	isTest: boolean;
}

/** The parameters that make n8n's URL for an execution the URL of a wait. */
export function waitParameters(
	wait: Omit<WaitUrl, 'executionId' | 'nodeId'>,
): Record<string, string> {
	return {
		[WAIT]: wait.waitId,
		[CONTACT]: wait.contactKey,
		[SINCE]: String(wait.sinceMs),
		[UNTIL]: String(wait.untilMs),
		[TEST]: wait.isTest ? '1' : '0',
	};
}

/** The wait that a URL belongs to; undefined if it belongs to none. */
export function readWaitUrl(text: string): WaitUrl | undefined {
	const url = parseUrl(text);
	const [executionId, nodeId] = url?.pathname.split('/').slice(-2) ?? [];
	const read = (name: string) => url?.searchParams.get(name) ?? '';
	const [sinceMs, untilMs] = [readTime(read(SINCE)), readTime(read(UNTIL))];
	const waitId = read(WAIT);
	if (!executionId || !nodeId || !waitId || !sinceMs || !untilMs) return undefined;
	const [contactKey, isTest] = [read(CONTACT), read(TEST) === '1'];
	return { executionId, nodeId, waitId, contactKey, sinceMs, untilMs, isTest };
}

/** What stands for a contact in URLs, which proxies may log. */
export function contactKeyOf(contactId: string): string {
	return createHash('sha256').update(contactId.toLowerCase()).digest('hex').slice(0, 16);
}

/** The id of the wait that a request to such a URL is for. */
export function waitIdOf(query: object): unknown {
	return (query as Record<string, unknown>)[WAIT];
}

/**
 * A text without n8n's signature, which lets its holder knock at the execution; also where the URL is a
 * parameter of another one.
 */
export function withoutSignature(text: string): string {
	return text.replace(/(signature(?:=|%3D))[^&#\s"'%]*/gi, '$1(hidden)');
}

function readTime(text: string): number | undefined {
	return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
