import type { Connection, CrmRequest } from './connection';
import { otherFailure, statusFailure, type Failure } from './failure';
import { readJson } from './readJson';
import type { WireAnswer } from './transport';

/** A successful answer. Its body is parsed JSON, or undefined if it is empty. */
export interface Answer {
	status: number;
	body: unknown;
}

/** The result of one try. */
export type TryResult = (Answer & { failure?: undefined }) | { failure: Failure };

/** The largest answer to read, in decompressed bytes. A page of 100 contacts has some 50 kB. */
const MAX_ANSWER_BYTES = 32_000_000;

/**
 * Reads an answer of any status. An API key in it is hidden.
 *
 * @throws the error of a body that breaks off
 */
export async function readAnswer(
	{ status, headers, body }: WireAnswer,
	{ sendsMessage }: Pick<CrmRequest, 'sendsMessage'>,
	{ clock, hideKey }: Pick<Connection, 'clock' | 'hideKey'>,
): Promise<TryResult> {
	const bytes = await readStream(body);
	const json = bytes && readJson(bytes, hideKey);
	if (status < 200 || status >= 300) {
		// A body that is not JSON is ignored: the status says enough.
		const facts = { retryAfterMs: readRetryAfterMs(headers, clock.now()), body: json?.value };
		return { failure: statusFailure(status, facts, sendsMessage) };
	}
	if (json) return { status, body: json.value };
	const reason = bytes ? 'something other than JSON' : 'more than 32 MB';
	return { failure: otherFailure('unreadable', { status, reason }) };
}

/** Reads a body; undefined if it is too large. Rejects if the body breaks off. */
async function readStream(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		// Leaving the loop closes the connection.
		if (bytes > MAX_ANSWER_BYTES) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/**
 * "Gives the seconds to wait" (API reference, errors). Proxies may send a date instead, as HTTP allows. Undefined if
 * the header is missing or is neither.
 */
function readRetryAfterMs(headers: WireAnswer['headers'], nowMs: number): number | undefined {
	const text = String(headers['retry-after'] ?? '').trim();
	if (/^\d{1,12}(\.\d+)?$/.test(text)) return Number(text) * 1_000;
	const untilMs = readHttpDate(text);
	if (untilMs === undefined) return undefined;
	// By the clock of whoever sent it, if that is known: ours may differ.
	return Math.max(0, untilMs - (readHttpDate(headers.date) ?? nowMs));
}

/** Milliseconds since 1970 of a date such as "Fri, 02 Jan 2026 03:04:35 GMT" (RFC 9110, HTTP date). */
function readHttpDate(header: unknown): number | undefined {
	const text = String(header ?? '');
	if (!/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return undefined;
	const ms = Date.parse(text);
	return Number.isNaN(ms) ? undefined : ms;
}
