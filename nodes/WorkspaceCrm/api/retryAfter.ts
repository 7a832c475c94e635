/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 *
 * @param dateHeader the answer's own `Date`: measuring from it keeps a wrong clock here harmless
 * @returns milliseconds from now, never negative; undefined if the header is missing or unreadable
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function readRetryAfterMs(
	retryAfter: unknown,
	dateHeader: unknown,
	nowMs: number,
): number | undefined {
	const text = String(retryAfter ?? '').trim();
	if (/^\d{1,12}(\.\d+)?$/.test(text)) return Number(text) * 1_000;
	const untilMs = parseHttpDate(text);
	return untilMs && Math.max(0, untilMs - (parseHttpDate(dateHeader) ?? nowMs));
}

/** Only what has the form of one, because `Date.parse` finds a date in almost any text: "in 5". */
function parseHttpDate(value: unknown): number | undefined {
	if (typeof value !== 'string' || !/^[A-Z][a-z]+, .+ GMT$/.test(value)) return undefined;
	const ms = Date.parse(value);
	return Number.isNaN(ms) ? undefined : ms;
}
