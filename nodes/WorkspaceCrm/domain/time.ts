/**
 * Parses an "ISO 8601 UTC timestamp" (API reference) to milliseconds since 1970. A missing Z still means UTC,
 * where `Date.parse` would take local time.
 *
 * @returns NaN for anything else
 */
export function parseUtcMs(text: string): number {
	const time = text.trim();
	const zone = /z$|[+-]\d{2}(:?\d{2})?$/i.exec(time.replace(/^\d{4}-\d{2}-\d{2}/, ''))?.[0];
	if (zone === undefined) return Date.parse(`${time.replace(' ', 'T')}Z`);
	// After a T, Date.parse does not read a zone without minutes.
	return Date.parse(zone.length === '+02'.length ? `${time}:00` : time);
}

/**
 * Parses a date and time to milliseconds since 1970. A time that the clocks skip counts as one hour later.
 *
 * @param timeZone for times without a zone: an IANA name such as Europe/Berlin
 * @returns NaN for anything else
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
	// The offset differs before and after a change of the clocks.
	const offsets = [-DAY_MS, DAY_MS].map((ms) => offsetMs(asUtcMs + ms, timeZone));
	const candidates = offsets.map((offset) => asUtcMs - offset);
	const fitting = candidates.find((ms) => ms + offsetMs(ms, timeZone) === asUtcMs);
	return fitting ?? Math.max(...candidates);
}

const DAY_MS = 24 * 60 * 60_000;

/** JavaScript reads February 31 as March 3. */
function isDay(date: string): boolean {
	const ms = Date.parse(`${date}T00:00Z`);
	return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

/** How far a zone is ahead of UTC at a time. */
function offsetMs(timeMs: number, timeZone: string): number {
	const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
	const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value;
	const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? [];
	return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
