import { parseUrl } from '../api/url';

/** Our parameters in the URL that resumes an execution. Digits and letters only, which stay as they are. */
const WAIT = 'crm_wait';
const SINCE = 'crm_since';
const UNTIL = 'crm_until';

/** A wait for a reply, as the URL of its subscription tells it. Anybody can write such a URL. */
export interface WaitUrl {
	/** Tells one wait of an execution from another. */
	waitId: string;
	executionId: string;
	/** Milliseconds since 1970, by n8n's clock. */
	sinceMs: number;
	untilMs: number;
}

/** The parameters that make n8n's URL for an execution the URL of a wait. */
export function waitParameters(wait: Omit<WaitUrl, 'executionId'>): Record<string, string> {
	return { [WAIT]: wait.waitId, [SINCE]: String(wait.sinceMs), [UNTIL]: String(wait.untilMs) };
}

/** The wait that a URL belongs to; undefined if it belongs to none. */
export function readWaitUrl(text: string): WaitUrl | undefined {
	const url = parseUrl(text);
	const [executionId, nodeId] = url?.pathname.split('/').slice(-2) ?? [];
	const waitId = url?.searchParams.get(WAIT);
	const sinceMs = readTime(url?.searchParams.get(SINCE));
	const untilMs = readTime(url?.searchParams.get(UNTIL));
	if (!executionId || !nodeId || !waitId) return undefined;
	return sinceMs && untilMs ? { waitId, executionId, sinceMs, untilMs } : undefined;
}

/** The id of the wait that a request to such a URL is for. */
export function waitIdOf(query: object): unknown {
	return (query as Record<string, unknown>)[WAIT];
}

/** The URL as it may be shown: n8n's signature in it lets its holder knock at the execution. */
export function withoutSignature(text: string): string {
	return text.replace(/([?&]signature=)[^&#]*/, '$1(hidden)');
}

function readTime(text: string | null | undefined): number | undefined {
	return /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined;
}
