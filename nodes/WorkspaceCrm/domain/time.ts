const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(?:[t ]([\d:.]+))? ?(z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Parses an ISO 8601 date, with or without a time, to milliseconds since 1970. A time that the clocks skip
 * counts as one hour later.
 *
 * @param timeZone for times without a zone: an IANA name such as Europe/Berlin; by default UTC
 * @returns NaN for anything else
 */
export function parseZonedMs(text: string, timeZone?: string): number {
	const [, date, clock = '00:00', zone] = ISO_TIME.exec(text.trim()) ?? [];
	// JavaScript reads February 31 as March 3.
	if (date === undefined || !String(new Date(date).toJSON()).startsWith(date)) return NaN;
	// Date.parse does not read a zone without minutes.
	const fullZone = zone?.length === '+02'.length ? `${zone}:00` : zone;
	const ms = Date.parse(`${date}T${clock}${fullZone ?? 'Z'}`);
	if (zone !== undefined || timeZone === undefined || Number.isNaN(ms)) return ms;
	// The offset differs before and after a change of the clocks.
	const offsets = [-DAY_MS, DAY_MS].map((moreMs) => offsetMs(ms + moreMs, timeZone));
	const candidates = offsets.map((offset) => ms - offset);
	const fitting = candidates.find((each) => each + offsetMs(each, timeZone) === ms);
	return fitting ?? Math.max(...candidates);
}

/** Parses an "ISO 8601 UTC timestamp" (API reference), also one without a Z. */
export function parseUtcMs(text: string): number {
	return parseZonedMs(text);
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** How far a zone is ahead of UTC at a time. */
function offsetMs(timeMs: number, timeZone: string): number {
	const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
	const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value;
	const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? [];
	return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
