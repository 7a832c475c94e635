import type {
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { mapTexts, tryParseJson } from '../domain/json';
import { readRetryAfterMs, type Failure } from './retry';
import type { Clock } from '../n8n/clock';
import { withSignal } from '../n8n/requestSignal';
import { readBodyFailure, readConnectionFailure } from './connection';

/** How long a request may take in all, so that an answer that never ends holds nobody up. */
const REQUEST_LIMIT_MS = 60_000;

/**
 * Requests that begin within so long share the limit of the first, as each limit takes a timer and
 * processor time. So the last of them has up to a second less.
 */
const SHARED_LIMIT_MS = 1_000;

/** How much of an answer is read, unpacked. A page of 100 contacts has some 50 kB. */
const MAX_ANSWER_BYTES = 32_000_000;

export const CREDENTIAL_TYPE = 'workspaceCrmApi';

/** Everything of n8n's that can make requests. */
export type RequestContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| IWebhookFunctions;

type Content = Extract<Failure, { kind: 'unreadable' }>['content'];

/** An answer of success; its body is parsed, and undefined when it is empty. */
export interface Answer {
	status: number;
	body: unknown;
}

/** What came of one try. */
export type Outcome = (Answer & { failure?: undefined }) | { failure: Failure };

/** Sends a request once, and never throws. */
type Attempt = (options: IHttpRequestOptions) => Promise<Outcome>;

/**
 * Gives the tries of one run, which send the credential's key and take a minute at most.
 *
 * @param redact hides the key in every text of the service's
 * @param stop ends a request at once
 */
export function createAttempt(
	context: RequestContext,
	redact: (text: string) => string,
	clock: Clock,
	stop?: AbortSignal,
): Attempt {
	const withReason = (failure: Failure): Outcome => {
		if ('reason' in failure) failure.reason = redact(failure.reason);
		return { failure };
	};
	const limits = timeLimits(context, clock, stop);
	return async (options) => {
		const { limited, abortSignal, limit } = limits();
		const request: IHttpRequestOptions = {
			...options,
			abortSignal,
			timeout: REQUEST_LIMIT_MS,
			// Statuses and bodies are read here, in one way, and not from n8n's many forms of errors.
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			// n8n itself would read and unpack a body of any size.
			encoding: 'stream',
		};
		let answer: IN8nHttpFullResponse;
		try {
			const { httpRequestWithAuthentication } = limited.helpers;
			const sending = httpRequestWithAuthentication.call(limited, CREDENTIAL_TYPE, request);
			answer = (await sending) as IN8nHttpFullResponse;
		} catch (error) {
			return withReason(readConnectionFailure(error, limit.aborted));
		}
		const content = await readContent(answer, redact).catch((error: unknown) =>
			withReason(readBodyFailure(error, limit.aborted)),
		);
		return toOutcome(answer, content, clock.now());
	};
}

/** Gives the time limit of a request that begins now, and the context with which to send it. */
function timeLimits(context: RequestContext, clock: Clock, stop: AbortSignal | undefined) {
	const begin = () => {
		const limit = clock.signalAfter(REQUEST_LIMIT_MS);
		const abortSignal = AbortSignal.any(stop ? [stop, limit] : [limit]);
		const limited = withSignal(context, abortSignal);
		return { limit, abortSignal, limited, untilMs: clock.elapsedMs() + SHARED_LIMIT_MS };
	};
	let last: ReturnType<typeof begin> | undefined;
	return () => {
		if (!last || last.limit.aborted || clock.elapsedMs() >= last.untilMs) last = begin();
		return last;
	};
}

/** A status other than success tells enough, even where its body cannot be read. */
function toOutcome(
	{ statusCode: status, headers }: IN8nHttpFullResponse,
	content: Outcome,
	nowMs: number,
): Outcome {
	if (status >= 200 && status < 300) return content;
	const body = content.failure ? undefined : content.body;
	const retryAfterMs = readRetryAfterMs(headers['retry-after'], headers.date, nowMs);
	return { failure: { kind: 'status', status, retryAfterMs, body } };
}

/** The JSON of an answer, without the key. Rejects when its body does not come to its end. */
async function readContent(
	{ statusCode: status, headers, body }: IN8nHttpFullResponse,
	redact: (text: string) => string,
): Promise<Outcome> {
	const unreadable = (content: Content): Outcome => ({
		failure: { kind: 'unreadable', status, content },
	});
	const text = await readText(body as AsyncIterable<Buffer>, headers['content-type']);
	if (text === undefined) return unreadable('large');
	if (text === '') return { status, body: undefined };
	const parsed = tryParseJson(text);
	if (parsed === undefined) return unreadable(kindOf(text));
	const redacted = mapTexts(parsed, redact);
	return redacted === undefined ? unreadable('deep') : { status, body: redacted };
}

/** The text of a body, or undefined if that is too large. */
async function readText(
	body: AsyncIterable<Buffer>,
	contentType: unknown,
): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		// Leaving the loop closes the connection.
		if (bytes > MAX_ANSWER_BYTES) return undefined;
		chunks.push(chunk);
	}
	// Most answers come in one piece, and copying it takes time.
	const [first] = chunks;
	const whole = first && chunks.length === 1 ? first : Buffer.concat(chunks);
	// It may begin with a byte order mark, which counts as a blank.
	return decode(whole, contentType).trim();
}

/** JSON is UTF-8 (RFC 8259), whatever it is called. Only what cannot be read so has another charset. */
function decode(bytes: Buffer, contentType: unknown): string {
	const [, charset = 'utf-8'] = /charset=["']?([\w-]+)/i.exec(String(contentType)) ?? [];
	if (/^utf-?8$/i.test(charset)) return bytes.toString();
	const isUtf16 = /^utf-?16/i.test(charset);
	return (
		(isUtf16 ? undefined : tryDecode(bytes, 'utf-8')) ??
		tryDecode(bytes, charset) ??
		bytes.toString()
	);
}

/** Returns undefined for bytes that are not of the charset, and for a charset that nobody knows. */
function tryDecode(bytes: Buffer, charset: string): string | undefined {
	try {
		return new TextDecoder(charset, { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

function kindOf(text: string): Content {
	if (text.startsWith('<')) return 'page';
	return /^[{[]/.test(text) ? 'broken' : 'text';
}
