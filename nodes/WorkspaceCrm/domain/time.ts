/**
 * The milliseconds since 1970 of an "ISO 8601 UTC timestamp" (API reference), also without the Z, which
 * would make it a local time. NaN for anything else.
 */
export function parseUtcMs(text: string): number {
	const time = text.trim();
	const zone = /z$|[+-]\d{2}(:?\d{2})?$/i.exec(time.replace(/^\d{4}-\d{2}-\d{2}/, ''))?.[0];
	if (zone === undefined) return Date.parse(`${time.replace(' ', 'T')}Z`);
	// Date.parse reads no zone of hours only after a T.
	return Date.parse(zone.length === '+02'.length ? `${time}:00` : time);
}

/**
 * The milliseconds since 1970 of a date and time, which without a zone of its own is meant in the one
 * given. NaN for anything else. A time that the clocks skip counts as one hour later.
 *
 * @param timeZone by its IANA name, such as Europe/Berlin
 */
export function parseZonedMs(text: string, timeZone: string): number {
	const time = text.trim();
	if (/[tT ]\d{2}:\d{2}.*(z|[+-]\d{2}:?\d{2})$/i.test(time)) return Date.parse(time);
	const asUtcMs = parseUtcMs(/\d{2}:\d{2}/.test(time) ? time : `${time}T00:00:00`);
	if (Number.isNaN(asUtcMs)) return NaN;
	// Twice, as the offset may be another one on the other side of a change of the clocks.
	const firstMs = asUtcMs - offsetMs(asUtcMs, timeZone);
	return asUtcMs - offsetMs(firstMs, timeZone);
}

/** How far the clocks of a zone are ahead of UTC at a time. */
function offsetMs(timeMs: number, timeZone: string): number {
	const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
	const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value;
	const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? [];
	return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
