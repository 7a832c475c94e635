import { createHash } from 'node:crypto';

import { parseUrl } from '../api/urls';

/** Our parameters in the URL that resumes an execution. Digits and letters only, which stay as they are. */
const CONTACT = 'crm_contact';
const UNTIL = 'crm_until';
const TEST = 'crm_test';

/** Until then, n8n may still be about to go on by itself, and the service about to try again. */
const KEPT_AFTER_END_MS = 10 * 60_000;

/** A wait for a reply, as the URL of its subscription tells it. Anybody can write such a URL. */
export interface WaitUrl {
	/** Where its n8n resumes executions. */
	baseUrl: string;
	executionId: string;
	nodeId: string;
	/** Stands for the contact who is asked; from `contactKeyOf`. */
	contactKey: string;
	/** Milliseconds since 1970, by n8n's clock. */
	untilMs: number;
	/** Whether somebody started the execution in the editor. */
	isTest: boolean;
}

/** The parameters that make n8n's URL for an execution the URL of a wait. */
export function waitParameters(
	wait: Pick<WaitUrl, 'contactKey' | 'untilMs' | 'isTest'>,
): Record<string, string> {
	return {
		[CONTACT]: wait.contactKey,
		[UNTIL]: String(wait.untilMs),
		[TEST]: wait.isTest ? '1' : '0',
	};
}

/** The wait that a URL belongs to; undefined if it belongs to none. */
export function readWaitUrl(text: string): WaitUrl | undefined {
	const { origin, pathname = '', searchParams } = parseUrl(text) ?? {};
	const [, path, executionId, nodeId] = /^(.*)\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
	const read = (name: string) => searchParams?.get(name) ?? '';
	const contactKey = read(CONTACT);
	const untilMs = /^\d{1,15}$/.test(read(UNTIL)) ? Number(read(UNTIL)) : 0;
	if (!executionId || !nodeId || !contactKey || !untilMs) return undefined;
	const isTest = read(TEST) === '1';
	return { baseUrl: `${origin}${path}`, executionId, nodeId, contactKey, untilMs, isTest };
}

/** Whether a URL is that of a wait whose time was over some minutes ago. */
export function isLongOver(url: string, nowMs: number): boolean {
	const { untilMs = Infinity } = readWaitUrl(url) ?? {};
	return untilMs + KEPT_AFTER_END_MS < nowMs;
}

/** What stands for a contact in URLs, which proxies may log. */
export function contactKeyOf(contactId: string): string {
	return createHash('sha256').update(contactId.toLowerCase()).digest('hex').slice(0, 16);
}

/** The URL of a wait without n8n's signature, which lets its holder knock at the execution. */
export function withoutQuery(url: string): string {
	return url.replace(/\?.*/s, '');
}
