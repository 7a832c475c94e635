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
	const [, date, clock = ' 00:00'] = /^(\d{4}-\d{2}-\d{2})([tT ].+)?$/.exec(time) ?? [];
	if (date === undefined || !isDay(date)) return NaN;
	if (/(z|[+-]\d{2}(:?\d{2})?)$/i.test(clock)) {
		return parseUtcMs(`${date}T${clock.slice(1).replaceAll(' ', '')}`);
	}
	const asUtcMs = parseUtcMs(date + clock);
	if (Number.isNaN(asUtcMs)) return NaN;
	// The offset may be another one on the other side of a change of the clocks.
	const offsets = [-DAY_MS, DAY_MS].map((ms) => offsetMs(asUtcMs + ms, timeZone));
	const candidates = offsets.map((offset) => asUtcMs - offset);
	const fitting = candidates.find((ms) => ms + offsetMs(ms, timeZone) === asUtcMs);
	return fitting ?? Math.max(...candidates);
}

const DAY_MS = 24 * 60 * 60_000;

/** JavaScript takes the 31st of February for the 3rd of March. */
function isDay(date: string): boolean {
	const ms = Date.parse(`${date}T00:00Z`);
	return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

/** How far the clocks of a zone are ahead of UTC at a time. */
function offsetMs(timeMs: number, timeZone: string): number {
	const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
	const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value;
	const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? [];
	return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
