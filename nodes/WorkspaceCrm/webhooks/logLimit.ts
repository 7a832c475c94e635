const BETWEEN_LINES_MS = 60_000;

/**
 * Anybody can send anything to a webhook, and n8n's log should not fill up with it. So of each kind of
 * line, one a minute is written. Kinds are few: nothing that a stranger wrote may be part of one.
 */
export class LogLimit {
	private readonly kinds = new Map<string, { writtenAtMs: number; leftOut: number }>();

	/**
	 * Whether a line of a kind is to be written now: undefined if not, else what to add to it.
	 *
	 * @param nowMs by a clock that never goes back
	 */
	next(kind: string, nowMs: number): string | undefined {
		const last = this.kinds.get(kind);
		if (last && nowMs - last.writtenAtMs < BETWEEN_LINES_MS) {
			last.leftOut += 1;
			return undefined;
		}
		this.kinds.set(kind, { writtenAtMs: nowMs, leftOut: 0 });
		return last?.leftOut ? ` (and ${last.leftOut} more like it since the last such line)` : '';
	}
}
