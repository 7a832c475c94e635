import { createHash } from 'node:crypto';

import { parseUrl } from '../crm/urls';
import { idForm } from '../domain/sameNumber';
import { MINUTE_MS } from '../domain/time';

/** Our parameters in the URL that resumes an execution. Their values need no encoding. */
const CONTACT = 'crm_contact';
const UNTIL = 'crm_until';
const TEST = 'crm_test';

/** Until then, n8n may not have resumed the execution yet, and the service may still retry. */
const KEPT_AFTER_END_MS = 10 * MINUTE_MS;

/**
 * The parameters to add to n8n's resume URL: the contact by `hashContactId`, the end by n8n's clock, and whether
 * somebody started the execution in the editor.
 */
export function waitParameters(
	wait: Pick<WaitUrl, 'contactKey' | 'untilMs' | 'isTest'>,
): Record<string, string> {
	return {
		[CONTACT]: wait.contactKey,
		[UNTIL]: String(wait.untilMs),
		[TEST]: wait.isTest ? '1' : '0',
	};
}

/**
 * Reads the wait for a reply from the URL of its subscription; undefined for any other URL. Do not trust it:
 * anybody can create such a URL.
 */
export function readWaitUrl(text: string) {
	const { origin, pathname = '', searchParams } = parseUrl(text) ?? {};
	const [, path, executionId, nodeId] = /^(.*)\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
	const read = (name: string) => searchParams?.get(name) ?? '';
	const contactKey = read(CONTACT);
	const untilMs = /^\d{1,15}$/.test(read(UNTIL)) ? Number(read(UNTIL)) : 0;
	if (!executionId || !nodeId || !contactKey || !untilMs) return undefined;
	// Where its n8n resumes executions.
	const baseUrl = `${origin}${path}`;
	return { baseUrl, executionId, nodeId, contactKey, untilMs, isTest: read(TEST) === '1' };
}

export type WaitUrl = NonNullable<ReturnType<typeof readWaitUrl>>;

/** Whether a URL belongs to a wait that ended more than ten minutes ago. */
export function isLongOver(url: string, nowMs: number): boolean {
	const { untilMs = Infinity } = readWaitUrl(url) ?? {};
	return untilMs + KEPT_AFTER_END_MS < nowMs;
}

/**
 * Whether a wait has ended in this n8n: its time is over, its execution asks again, or a test takes the place of an
 * earlier test of the same node, which may have been stopped. Its last minute counts as over: so a daily schedule can
 * ask every day with a limit of one day, though it starts some seconds earlier on one day than on another.
 */
export function isEnded(theirs: WaitUrl, ours: WaitUrl, nowMs: number): boolean {
	if (theirs.baseUrl !== ours.baseUrl) return false;
	// An execution waits in one place at a time, so its earlier waits are over.
	if (theirs.executionId === ours.executionId) return true;
	if (theirs.nodeId === ours.nodeId && theirs.isTest && ours.isTest) return true;
	return theirs.untilMs - MINUTE_MS <= nowMs;
}

/** A hash of a contact ID for URLs, which proxies may log. */
export function hashContactId(contactId: string): string {
	return createHash('sha256').update(idForm(contactId)).digest('hex').slice(0, 16);
}

/** A URL without its query, which may hold n8n's signature: it lets its holder call the execution. */
export function withoutQuery(url: string): string {
	return url.replace(/\?.*/s, '');
}
