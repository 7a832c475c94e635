import * as fc from 'fast-check';
import { DateTime } from 'luxon';

import { parseUtcMs, parseZonedMs } from '../../../nodes/WorkspaceCrm/domain/time';

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham', 'UTC'];

test('a local time is what luxon, and so n8n, takes it for', () => {
	const minutes = fc.integer({ min: 0, max: 20 * 365 * 24 * 60 });
	fc.assert(
		fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
			const text = new Date(Date.UTC(2020, 0, 1) + minute * 60_000).toISOString().slice(0, 16);
			const wanted = DateTime.fromISO(text, { zone });
			const given = parseZonedMs(text, zone);
			// Of an hour that comes twice or never, either reading will do.
			const isOdd = [-60, 60].some(
				(more) => wanted.plus({ minutes: more }).offset !== wanted.offset,
			);
			if (isOdd) expect(Math.abs(given - wanted.toMillis())).toBeLessThanOrEqual(3_600_000);
			else expect(given).toBe(wanted.toMillis());
		}),
		{ numRuns: 2_000 },
	);
});

test.each(['', 'now', '2026-13-01T00:00', '12:00', '1795392000000'])('%j is no time', (text) => {
	expect(parseZonedMs(text, 'UTC')).toBeNaN();
	expect(parseUtcMs(text === '12:00' ? 'x' : text)).toBeNaN();
});
