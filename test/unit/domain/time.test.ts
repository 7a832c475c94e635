import * as fc from 'fast-check';
import { DateTime } from 'luxon';

import { parseUtcMs, parseZonedMs } from '../../../nodes/WorkspaceCrm/domain/time';

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham', 'UTC'];

test('a local time is read as luxon, and so n8n, reads it', () => {
	const minutes = fc.integer({ min: 0, max: 20 * 365 * 24 * 60 });
	fc.assert(
		fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
			const text = new Date(Date.UTC(2020, 0, 1) + minute * 60_000).toISOString().slice(0, 16);
			const wanted = DateTime.fromISO(text, { zone });
			const given = parseZonedMs(text, zone);
			// For an hour that occurs twice or never, either reading is right.
			const isOdd = [-60, 60].some(
				(more) => wanted.plus({ minutes: more }).offset !== wanted.offset,
			);
			if (isOdd) expect(Math.abs(given - wanted.toMillis())).toBeLessThanOrEqual(3_600_000);
			else expect(given).toBe(wanted.toMillis());
		}),
		{ numRuns: 500 },
	);
});

test.each([
	['2026-11-24T10:00+02', 'Europe/Berlin', '2026-11-24T08:00'],
	['2026-11-24 10:00 +01', 'UTC', '2026-11-24T09:00'],
	['2027-03-14T02:30', 'America/New_York', '2027-03-14T07:30'],
	['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:30'],
])('%s in %s is %s', (text, zone, utc) => {
	expect(new Date(parseZonedMs(text, zone)).toISOString().slice(0, 16)).toBe(utc);
});

test('the 31st of February is not a date', () =>
	expect(parseZonedMs('2026-02-31', 'UTC')).toBeNaN());

test.each(['', 'now', '2026-13-01T00:00', '12:00', '1795392000000', '01-01-2025 12:00:00'])(
	'%j is not a time',
	(text) => {
		expect(parseZonedMs(text, 'UTC')).toBeNaN();
		expect(parseUtcMs(text === '12:00' ? 'x' : text)).toBeNaN();
	},
);

const noon = '2026-01-01T12:00:00Z';

test.each([
	[noon, noon],
	['2026-01-01T12:00:00.000z', noon],
	[' 2026-01-01 12:00 ', noon],
	['2026-01-01T12:00:00', noon],
	['2026-01-01T14:00:00+02', noon],
	['2026-01-01 14:00:00 +02', noon],
	['2026-01-01T14:00:00+0200', noon],
	['2026-01-01T10:00:00-02:00', noon],
	[' 2026-01-01 ', '2026-01-01T00:00:00Z'],
])('%j is %s: ISO 8601 in any form, UTC without a zone', (text, expected) => {
	expect(parseUtcMs(text)).toBe(Date.parse(expected));
});
